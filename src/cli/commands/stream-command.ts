import { Argument, type Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Address } from '../../domain/address.js'
import { positiveNumber, tokens, wholeNumber } from '../input/arguments.js'
import { addDeploymentFlags } from '../input/deployment-flags.js'
import { misuse, withDeployment, type Deployment } from '../input/deployment.js'
import { watchedTokens, type WatchedToken } from '../input/watched-tokens.js'

// What the commands have in common that follow tokens until they are told to end.

/** Their flags, as commander names and parses them. */
export interface StreamFlags {
  /** In ms. */
  readonly interval: number
  /** In s. */
  readonly duration?: number
  readonly depth: boolean
}

/** Gives a command the tokens and the flags, those of the deployment too. */
export const addStreamFlags = (command: Command): Command =>
  addDeploymentFlags(
    command
      .addArgument(
        new Argument(
          '[token...]',
          'contract addresses, 0x…, or topics, svc-0x… (default: those of SVC_TOKENS; with --simulate, ETH and BTC)',
        ).argParser(tokens),
      )
      .option('--interval <ms>', 'from one depth request to the next', wholeNumber(1, 2 ** 31 - 1), 1000)
      .option('--duration <s>', 'end after this time', positiveNumber(2_000_000))
      .option('--no-depth', 'prices alone'),
  )

/** Uses the deployment with the tokens that were asked for. It is a misuse where there are none. */
export const withTokens = (
  command: Command,
  given: readonly Address[],
  use: (deployment: Deployment, watched: readonly WatchedToken[]) => Promise<void>,
): Promise<void> =>
  withDeployment(command, command.opts<StreamFlags>().depth ? 'both' : 'prices', async (deployment) => {
    const watched = watchedTokens(given, deployment, process.env['SVC_TOKENS'])
    if (isLeft(watched)) return misuse(command, watched.left)
    await use(deployment, watched.right)
  })
