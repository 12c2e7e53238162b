import { Argument, type Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Address } from '../../domain/address.js'
import { numberOption, timerOption } from '../../option-kinds/number-option.js'
import { tokens } from '../input/arguments.js'
import { addDeploymentFlags } from '../input/deployment-flags.js'
import { usageError, withDeployment, type Deployment } from '../input/deployment.js'
import { numberFlag } from '../input/number-flag.js'
import { watchedTokens, type WatchedToken } from '../input/watched-tokens.js'

// The common part of the commands that stream until they are stopped: `watch` and `record`.

/** The flags, as commander names and parses them. */
export interface StreamFlags {
  /** In ms. */
  readonly interval: number
  /** In s. */
  readonly duration?: number
  readonly depth: boolean
}

const intervalOption = timerOption({ meaning: 'Interval between depth requests', default: 1000 })
const durationOption = numberOption({ meaning: 'Stop after this time', unit: 's', above: 0, max: 2_000_000 })

/** Adds the tokens, the flags above and those of the deployment to a command. */
export const addStreamFlags = (command: Command): Command =>
  addDeploymentFlags(
    command
      .addArgument(
        new Argument(
          '[token...]',
          'contract addresses, 0x…, or topics, svc-0x… (default: those of SVC_TOKENS; with --simulate, ETH and BTC)',
        ).argParser(tokens),
      )
      .addOption(numberFlag('--interval <ms>', intervalOption))
      .addOption(numberFlag('--duration <s>', durationOption))
      .option('--no-depth', 'request prices only'),
  )

/** Calls `use` with the deployment and the tokens. A command without tokens is a usage error. */
export const withTokens = (
  command: Command,
  given: readonly Address[],
  use: (deployment: Deployment, watched: readonly WatchedToken[]) => Promise<void>,
): Promise<void> =>
  withDeployment(command, command.opts<StreamFlags>().depth ? 'both' : 'prices', async (deployment) => {
    const watched = watchedTokens(given, deployment, process.env['SVC_TOKENS'])
    if (isLeft(watched)) return usageError(command, watched.left)
    await use(deployment, watched.right)
  })
