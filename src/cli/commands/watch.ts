import type { Command } from 'commander'
import type { WatchFlags } from '../actions/watch.js'
import { parseRotation } from '../input/parse-flags.js'
import { demoFlag } from '../input/source-flags.js'
import type { Io } from '../io.js'
import { createCommand, priceHelp, addStreamFlags } from './parts.js'

const examples = `
Examples:
  $ svc-streams watch --simulate
      Watch ETH and BTC of a simulator. Needs no service, no key and no token.
  $ svc-streams watch --demo
      The same, with faults: see how the client recovers from them.
  $ svc-streams watch 0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      Watch a token of the service that the environment variables configure.
  $ svc-streams watch WETH WBTC --tokens tokens.json
      Watch tokens by symbol, with { "WETH": { "address": "0x82af…", "decimals": 18 }, … } in the file.
  $ svc-streams watch WETH --tokens tokens.json --gateway http://127.0.0.1:8080 --since 10m
      Add the change since 10 minutes before the start, from the history of a gateway.
  $ svc-streams watch --simulate --no-depth | grep price
      Print prices only, one per line, as in any pipe.
  $ svc-streams watch --simulate --json | jq -r 'select(._tag == "Price").event.right.price // empty'
      Print one JSON object per line, for programs.
  $ svc-streams watch --simulate --json --duration 1m > minute.ndjson
      Write one minute to a file.

${priceHelp}

Depth requires --base-url and --auth-key, --gateway or --nats, on mainnet. Quantities are in tokens if the decimals of the
token are known, otherwise in base-token units, and always in base-token units with --json. The events of --json are
Price, Depth, Status, Uncorrelated and End; an .event is a Right with a value, or a Left with an error. Price, Depth and
End have the .topic of the token, and its .symbol if it is known. With --since, a price has the .since.price of that time,
or the first one after it, and its time .since.at.

SVC_TOKENS is a list of addresses or topics, separated by commas, also with symbols: ETH=0x82af…,BTC=0x2f2a….

Ctrl-C stops the command with exit code 0. The exit code is 1 if the service has rejected every token, or the signature of
every depth request, or if --duration ends before a price has arrived.`

export const watchCommand = (io: Io): Command => {
  const command = addStreamFlags(
    createCommand(io, 'watch', 'Show live prices and order-book depth.', examples).option(
      '--json',
      'print each event as a JSON object, one per line',
    ),
  )
    .option(
      '--since <duration>',
      'print the change since this time before the start, such as 10m, from the history of --gateway or --nats',
      parseRotation,
    )
    .addOption(demoFlag())
  return command.action(async (given: readonly string[], flags: WatchFlags) => {
    const { watch } = await import('../actions/watch.js')
    await watch(io, command, given, flags)
  })
}
