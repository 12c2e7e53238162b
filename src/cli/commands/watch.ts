import { Command } from 'commander'
import { endWith, firstValueFrom, map, merge } from 'rxjs'
import type { Address } from '../../domain/address.js'
import type { Deployment } from '../input/deployment.js'
import { createTokenNames } from '../input/token-names.js'
import type { WatchedToken } from '../input/watched-tokens.js'
import { stop$ } from '../stop.js'
import { addStreamFlags, withTokens, type StreamFlags } from './stream-command.js'
import { watchRows$ } from './watch-rows.js'
import { showRows$ } from './watch-view.js'

/** The flags, as commander names and parses them. */
interface WatchFlags extends StreamFlags {
  readonly json?: boolean
}

const examples = `
Examples:
  $ svc-streams watch --simulate
      ETH and BTC of a simulator, live. It needs nothing: no service, no key, no token.
  $ svc-streams watch 0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      A token of the service that the environment variables name.
  $ svc-streams watch --simulate --no-depth | grep price
      Prices alone, a line each, as in any pipe.
  $ svc-streams watch --simulate --json | jq -r 'select(._tag == "Price").event.right.price // empty'
      For programs: a JSON object a line.
  $ svc-streams watch --simulate --json --duration 60 > minute.ndjson
      A minute of it in a file.

Depth is there where the service has a --base-url and an --auth-key, on mainnet. Prices in USD, quantities in tokens
where it is known how many base-token units make one, and in units where not, and in --json. Events in --json are
Price, Depth, Status, Uncorrelated and End; an .event is a Right with a value, or a Left with an error.

Ctrl-C ends it, with exit code 0. It ends by itself, with exit code 1, when the service has refused every token.`

/** `svc-streams watch`: prices and depth as they come, until Ctrl-C. */
export const watchCommand = (): Command => {
  const command = addStreamFlags(
    new Command('watch')
      .description('Show live prices and order-book depth.')
      .option('--json', 'print each event as a JSON object on a line of its own'),
  )
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', examples)
    .showHelpAfterError('Try: svc-streams watch --help')
  return command.action((given: readonly Address[], flags: WatchFlags) =>
    withTokens(command, given, async (deployment, watched) => {
      if (!(await watch(deployment, watched, flags))) {
        throw new Error('nothing is left to watch: the service refused every token')
      }
    }),
  )
}

/** Resolves to whether it was ended from outside. */
const watch = (
  deployment: Deployment,
  watched: readonly WatchedToken[],
  { interval, duration, depth, json = false }: WatchFlags,
): Promise<boolean> => {
  const addresses = watched.map(({ address }) => address)
  const named = watched.flatMap(({ address, symbol }) => (symbol === undefined ? [] : [{ address, symbol }]))
  const names = createTokenNames([...deployment.known, ...named])
  const hasDepth = deployment.depths !== undefined
  const note = depth && !hasDepth ? 'Depth needs --base-url and --auth-key, on mainnet.' : undefined
  const scene = { tokens: addresses, names, hasDepth, note, output: process.stdout }
  const shown$ = showRows$(watchRows$(deployment, addresses, interval), scene, json)
  const stopped$ = stop$(duration === undefined ? undefined : duration * 1000).pipe(map(() => true))
  return firstValueFrom(merge(shown$.pipe(endWith(false)), stopped$))
}
