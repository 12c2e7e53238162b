import { Argument, type Command } from 'commander'
import { timerOption } from '../../option-kinds/number-option.js'
import type { DataKind } from '../input/client-options.js'
import { addDeploymentFlags } from '../input/deployment-flags.js'
import { parseDuration } from '../input/duration-flag.js'
import { numberFlag } from '../input/number-flag.js'
import { tokensHelp } from '../tokens/token-address.js'
import { tokensFlag } from '../tokens/tokens-flag.js'

// The common part of the commands that stream until they are stopped: `watch` and `record`.

/** The flags, as commander names and parses them. */
export interface StreamFlags {
  /** In ms. */
  readonly interval: number
  /** In ms. */
  readonly duration?: number
  readonly depth: boolean
}

const intervalOption = timerOption({ default: 1000 })

/** Adds the tokens, the flags above and those of the deployment to a command. */
export const addStreamFlags = (command: Command): Command =>
  addDeploymentFlags(
    command
      .addArgument(
        new Argument(
          '[token...]',
          `${tokensHelp} (default: those of SVC_TOKENS, or all of --tokens; with --simulate, ETH and BTC)`,
        ),
      )
      .addOption(tokensFlag())
      .addOption(numberFlag('--interval <ms>', 'interval between depth requests, in ms', intervalOption))
      .option(
        '--duration <duration>',
        'stop after this time: a number of seconds, or 30s, 15m, 1h, 1d, …',
        parseDuration,
      )
      .option('--no-depth', 'request prices only'),
  )

/** The data that a streaming command requests. */
export const streamKind = ({ depth }: StreamFlags): DataKind => (depth ? 'both' : 'prices')
