import type { Command } from 'commander'
import { endWith, firstValueFrom, map, merge } from 'rxjs'
import type { Address } from '../../domain/address.js'
import type { Deployment } from '../input/deployment.js'
import { createTokenNames } from '../input/token-names.js'
import type { WatchedToken } from '../input/watched-tokens.js'
import { stop$ } from '../stop.js'
import { createCommand } from './create-command.js'
import { showRows$ } from './show-rows.js'
import { addStreamFlags, withTokens, type StreamFlags } from './stream-command.js'
import { watchRows$ } from './watch-rows.js'

/** The flags, as commander names and parses them. */
interface WatchFlags extends StreamFlags {
  readonly json?: boolean
}

const examples = `
Examples:
  $ svc-streams watch --simulate
      Watch ETH and BTC of a simulator. Needs no service, no key and no token.
  $ svc-streams watch 0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      Watch a token of the service that the environment variables configure.
  $ svc-streams watch --simulate --no-depth | grep price
      Print prices only, one per line, as in any pipe.
  $ svc-streams watch --simulate --json | jq -r 'select(._tag == "Price").event.right.price // empty'
      Print one JSON object per line, for programs.
  $ svc-streams watch --simulate --json --duration 60 > minute.ndjson
      Write one minute to a file.

Depth requires --base-url and --auth-key, on mainnet. Prices are in USD. Quantities are in tokens if the decimals of
the token are known, otherwise in base-token units, and always in base-token units with --json. The events of --json
are Price, Depth, Status, Uncorrelated and End; an .event is a Right with a value, or a Left with an error.

Ctrl-C stops the command with exit code 0. It fails with exit code 1 when the service has rejected every token.`

/** `svc-streams watch`: live prices and depth until Ctrl-C. */
export const watchCommand = (): Command => {
  const command = addStreamFlags(
    createCommand('watch', 'Show live prices and order-book depth.', examples).option(
      '--json',
      'print each event as a JSON object, one per line',
    ),
  )
  return command.action((given: readonly Address[], flags: WatchFlags) =>
    withTokens(command, given, async (deployment, watched) => {
      if (!(await watch(deployment, watched, flags))) {
        throw new Error('no token left to watch: the service rejected every token')
      }
    }),
  )
}

/** Resolves to true if the user stopped the command, and to false if all price streams completed. */
const watch = (
  deployment: Deployment,
  watched: readonly WatchedToken[],
  { interval, duration, depth, json = false }: WatchFlags,
): Promise<boolean> => {
  const addresses = watched.map(({ address }) => address)
  const named = watched.flatMap(({ address, symbol }) => (symbol === undefined ? [] : [{ address, symbol }]))
  const names = createTokenNames([...deployment.knownTokens, ...named])
  const hasDepth = deployment.depthClient !== undefined
  const note = depth && !hasDepth ? 'Depth requires --base-url and --auth-key, on mainnet.' : undefined
  const options = { tokens: addresses, names, hasDepth, note, output: process.stdout }
  const shown$ = showRows$(watchRows$(deployment, addresses, interval), options, json)
  const stopped$ = stop$(duration === undefined ? undefined : duration * 1000).pipe(map(() => true))
  return firstValueFrom(merge(shown$.pipe(endWith(false)), stopped$))
}
