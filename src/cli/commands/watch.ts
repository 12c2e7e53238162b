import { endWith, firstValueFrom, ignoreElements, merge, NEVER, startWith, tap, type Observable } from 'rxjs'
import { formatTime } from '../../view/texts.js'
import { rxClock } from '../../base/time/clock.js'
import { showBoard$ } from '../render/show.js'
import type { Demonstration } from '../target/demonstration.js'
import { withTokens, type CommandInput } from '../target/open-source.js'
import type { Io } from '../io.js'
import { printRows$ } from '../render/rows.js'
import { canRedraw } from '../render/terminal.js'
import { stop$ } from '../stop.js'
import { Received, streamFlags, watchRows$ } from './shared/stream.js'
import { defineCommand, many, priceHelp, tokensHelp, eventsAsJson } from './shared/parts.js'
import { demoFlag } from '../target/source-flags.js'
import type { Values } from '../target/parse-flags.js'

const examples = `
Examples:
  $ npx svc-streams watch --simulate
      Watch ETH and BTC of a simulator. Needs no service, no key and no token.
  $ npx svc-streams watch --demo
      The same, with faults: see how the client recovers from them.
  $ npx svc-streams watch WETH WBTC --tokens tokens.json
      Watch tokens by symbol, with { "WETH": { "address": "0x82af…", "decimals": 18 }, … } in the file.
  $ npx svc-streams watch --simulate --json | jq -r 'select(._tag == "Price").event.right.price // empty'
      Print one JSON object per line, for programs.

${priceHelp}

Depth requires --base-url and --auth-key, --gateway or --nats, on mainnet. Quantities are in tokens if the decimals of the
token are known, otherwise in base-token units, and always in base-token units with --json. There, an .event is a Right with a
value, or a Left with an error.

Ctrl-C stops the command with exit code 0. The exit code is 1 if the service has rejected every token, or the signature of
every depth request, or if --duration ends before a price has arrived.`

const flags = { ...streamFlags, json: eventsAsJson, demo: demoFlag }

type WatchFlags = Values<typeof flags>

export const createCommand = defineCommand({
  examples,
  guide: 'reference/commands.md',
  arguments: many(
    '[token...]',
    `${tokensHelp} (default: those of SVC_TOKENS, or all of --tokens; with --simulate, ETH and BTC)`,
  ),
  flags,
  action: (io, command, given, tokens) =>
    withTokens(io, command, given.depth ? 'both' : 'prices', tokens, async (input) => {
      const failure = await show(io, input, given)
      if (failure !== undefined) throw new Error(failure)
    }),
})

/** Resolves to the error message of a command that failed, when it has stopped or all price streams have completed. */
const show = async (
  io: Io,
  { source, tokens, names }: CommandInput,
  { interval, duration, depth, json = false }: WatchFlags,
): Promise<string | undefined> => {
  const { demonstration, depthClient } = source
  const addresses = tokens.map(({ address }) => address)
  const received = new Received()
  const rows$ = watchRows$(source, addresses, interval).pipe(tap((row) => received.add(row)))
  const isBoard = !json && canRedraw(io.stdout, io.env)
  const shown$ = isBoard
    ? showBoard$(io, rows$, {
        tokens: addresses.map(names.display),
        hasDepth: depthClient !== undefined,
        header: demonstration,
        note: depth && depthClient === undefined ? depthNote : undefined,
      })
    : printRows$(io, rows$, names, json)
  const steps$ =
    demonstration === undefined ? NEVER : demonstrate$(demonstration, io.stdout, !json && !isBoard)
  const end = await firstValueFrom(
    merge(steps$, shown$.pipe(endWith('completed' as const)), stop$(io, duration)),
  )
  return received.failureText({ command: 'watch', source, duration, end })
}

const depthNote = 'Depth requires --base-url and --auth-key, --gateway or --nats, on mainnet.'

const demonstrate$ = (
  { title, detail, step$ }: Demonstration,
  output: NodeJS.WriteStream,
  isPrinted: boolean,
): Observable<never> =>
  step$.pipe(
    startWith(`${title} ${detail} Press Ctrl-C to stop.`),
    tap((text) => isPrinted && output.write(`${formatTime(rxClock.wallClock())} ${text}\n`)),
    ignoreElements(),
  )
