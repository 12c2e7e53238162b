import { Argument, type Command } from 'commander'
import { parseDuration, parseRotation } from '../target/parse-flags.js'
import { addDeploymentFlags, demoFlag } from '../target/source-flags.js'
import type { Io } from '../io.js'
import { createCommand, intervalFlag, priceHelp, tokensFlag, tokensHelp, lazyAction } from './shared/parts.js'

const watchExamples = `
Examples:
  $ npx svc-streams watch --simulate
      Watch ETH and BTC of a simulator. Needs no service, no key and no token.
  $ npx svc-streams watch --demo
      The same, with faults: see how the client recovers from them.
  $ npx svc-streams watch 0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      Watch a token of the service that the environment variables configure.
  $ npx svc-streams watch WETH WBTC --tokens tokens.json
      Watch tokens by symbol, with { "WETH": { "address": "0x82af…", "decimals": 18 }, … } in the file.
  $ npx svc-streams watch --simulate --no-depth | grep price
      Print prices only, one per line, as in any pipe.
  $ npx svc-streams watch --simulate --json | jq -r 'select(._tag == "Price").event.right.price // empty'
      Print one JSON object per line, for programs.
  $ npx svc-streams watch --simulate --json --duration 1m > minute.ndjson
      Write one minute to a file.

${priceHelp}

Depth requires --base-url and --auth-key, --gateway or --nats, on mainnet. Quantities are in tokens if the decimals of the
token are known, otherwise in base-token units, and always in base-token units with --json. The events of --json are
Price, Depth, Status, Uncorrelated and End; an .event is a Right with a value, or a Left with an error. Price, Depth and
End have the .topic of the token, and its .symbol if it is known.

SVC_TOKENS is a list of addresses or topics, separated by commas, also with symbols: ETH=0x82af…,BTC=0x2f2a….

Ctrl-C stops the command with exit code 0. The exit code is 1 if the service has rejected every token, or the signature of
every depth request, or if --duration ends before a price has arrived.`

export const watchCommand = (io: Io): Command =>
  addStreamFlags(
    createCommand(io, 'watch', 'Show live prices and order-book depth.', watchExamples).option(
      '--json',
      'print each event as a JSON object, one per line',
    ),
  )
    .addOption(demoFlag())
    .action(lazyAction(io, async () => (await import('../actions/watch.js')).watch))

const recordExamples = `
Examples:
  $ npx svc-streams record --simulate --duration 1m --out market.ndjson
      Record a simulator for one minute. Needs no service, no key and no token.
  $ npx svc-streams record 0x82af49447d8a07e3bd95bd0d56f35241523fbab1 --out market.ndjson
      Record a token of the service that the environment variables configure, until Ctrl-C.
  $ npx svc-streams record WETH --tokens tokens.json --out market.ndjson
      The same for a symbol, with { "WETH": { "address": "0x82af…", "decimals": 18 } } in the file.
  $ npx svc-streams record --simulate --out market.ndjson.gz
      Compress the recording. Programs such as gunzip and svc-streams replay read it.
  $ npx svc-streams record --simulate --gzip --rotate 1h --out market.ndjson
      Start a new file at each full hour of UTC: market.2026-11-22T10-00-00Z.ndjson.gz, … Replay them with:
      npx svc-streams replay market.*.ndjson.gz

Every event is written immediately, errors as well as values. With --out, no written line is lost when the process is
killed, and a compressed file is complete after each event. An existing file is never overwritten. Each file starts with
a header, so it can be replayed alone. Recordings of the same tokens can be concatenated with cat.

The exit code is 1 if the service has rejected every token, or the signature of every depth request, or if --duration
ends before a price has arrived.`

export const recordCommand = (io: Io): Command =>
  addStreamFlags(
    createCommand(
      io,
      'record',
      'Record prices and depth, for svc-streams replay and for tests of strategies.',
      recordExamples,
    )
      .option(
        '-o, --out <file>',
        'new file to write, compressed if it ends in .gz (default: standard output)',
      )
      .option('--gzip', 'compress the file, also if its name does not end in .gz')
      .option(
        '--rotate <duration>',
        'start a new file at each multiple of 30s, 15m, 1h, 1d, …; its name contains its start',
        parseRotation,
      ),
  ).action(lazyAction(io, async () => (await import('../actions/record.js')).recordStreams))

/** Adds the tokens, the flags of streams and those of the deployment to a command. */
const addStreamFlags = (command: Command): Command =>
  addDeploymentFlags(
    command
      .addArgument(
        new Argument(
          '[token...]',
          `${tokensHelp} (default: those of SVC_TOKENS, or all of --tokens; with --simulate, ETH and BTC)`,
        ),
      )
      .addOption(tokensFlag())
      .addOption(intervalFlag())
      .option(
        '--duration <duration>',
        'stop after this time: a number of seconds, or 30s, 15m, 1h, 1d, …',
        parseDuration,
      )
      .option('--no-depth', 'request prices only'),
  )
