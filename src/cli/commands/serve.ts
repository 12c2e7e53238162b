import { Argument, InvalidArgumentError, Option, type Command } from 'commander'
import type { NumberOption } from '../../base/option-kinds/number-option.js'
import { gatewayTable } from '../../gateway/options.js'
import { numberFlag, parseDuration, parseNumber, parseRotation } from '../target/parse-flags.js'
import { addSourceFlags, demoFlag, deploymentFlags } from '../target/source-flags.js'
import type { Io } from '../io.js'
import {
  addMetricsFlags,
  createCommand,
  intervalFlag,
  tokensFlag,
  tokensHelp,
  lazyAction,
} from './shared/parts.js'

const gatewayExamples = `
Examples:
  $ npx svc-streams gateway --simulate
      Serve a simulator. Needs no service and no key. Prints the address of the gateway.
  $ npx svc-streams gateway --port 8080
      Serve the service that the environment variables configure, to programs of this machine.
  $ npx svc-streams watch --gateway http://127.0.0.1:8080 0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      Watch a token through it. Every command that takes the addresses of a service takes --gateway.
  $ npx svc-streams gateway --host 0.0.0.0 --port 8443 --keys keys.json --tls-key key.pem --tls-cert cert.pem
      Serve other machines, encrypted. Depth requests must be signed with a key of the file: { "desk": "AAEC…" }.
  $ npx svc-streams gateway --port 8080 --origin https://app.example
      Also serve the pages of a site, which then need no key.
  $ npx svc-streams gateway --port 8080 --history prices --keep 7d
      Also record the prices that consumers get, in files of the folder prices, and serve those of the last 7 days.
  $ npx svc-streams gateway --nats nats://127.0.0.1:4222
      Serve many machines, through a NATS server. Start a second one for failover. With --port 8080, GET /health answers.
  $ npx svc-streams gateway --port 8080 --metrics
      Also serve metrics for Prometheus, at http://127.0.0.1:9464/metrics.
  $ npx svc-streams gateway --recording market.ndjson --speed 10
      Serve a recording, ten times as fast. It starts with the first consumer.
  $ npx svc-streams gateway --gateway https://gate.example --port 8080
      Serve another gateway, for the programs of this machine.

All consumers share one connection to the service, one subscription of each token, and one depth request at a time for
each token. The key of the service (--auth-key) stays in the gateway: consumers sign with a key of --keys, or not at all.

While the service is down, the gateway refuses consumers, and they reconnect when it returns. Standard error gets one
line when the service is lost or depth requests fail, and one when that ends. GET /health answers 200 or 503;
GET /health/ready and GET /health/live are for an orchestrator.

Ctrl-C stops the command with exit code 0. SIGTERM first disconnects the consumers, one after the other. The exit code is
1 if the port is in use or a recording is damaged, and 2 for invalid arguments.`

export const gatewayCommand = (io: Io): Command => {
  const { host, port, maxConnections, maxTopicsPerConnection, maxBufferedBytes, depthEvery } = gatewayTable
  return addSourceFlags(
    addMetricsFlags(
      createCommand(
        io,
        'gateway',
        'Serve prices and depth to other programs over one connection.',
        gatewayExamples,
      )
        .addOption(
          numberFlag('--port <port>', 'port to listen on, for HTTP and WebSocket; 0 picks a free port', port),
        )
        .option('--host <address>', 'address to listen on; 0.0.0.0 for other machines, too', host.default)
        .addOption(tokensFlag())
        .option(
          '--keys <file>',
          'keys of consumers, as JSON: { name: base64 }; they must sign depth requests',
        )
        .option('--open-depth', 'without --keys, allow a --host that other machines can reach')
        .option('--tls-key <file>', 'private key in PEM, for https: and wss:')
        .option('--tls-cert <file>', 'certificate of --tls-key, in PEM')
        .option(
          '--history <folder>',
          'record the prices that consumers receive in this folder, and serve them',
        )
        .option('--keep <duration>', 'age at which recorded prices are deleted (default: 7d)', parseRotation)
        .addOption(
          new Option(
            '--origin <url...>',
            'origins of pages with access, such as https://app.example',
          ).argParser(origins),
        )
        .addOption(
          limitFlag(
            '--max-connections <n>',
            'connections of consumers (default: 2000; 10000 with --nats)',
            maxConnections,
          ),
        )
        .addOption(
          limitFlag(
            '--max-topics-per-connection <n>',
            'topics of one consumer (default: 1000; 5000 with --nats)',
            maxTopicsPerConnection,
          ),
        )
        .addOption(
          limitFlag(
            '--max-buffered-bytes <n>',
            'unsent bytes, other than prices, at which a consumer is disconnected (default: 4194304)',
            maxBufferedBytes,
          ),
        )
        .addOption(
          limitFlag(
            '--depth-every <ms>',
            'time between two depth requests for a token (default: 250)',
            depthEvery,
          ),
        )
        .addOption(
          new Option('--drain <duration>', 'time in which consumers are disconnected after SIGTERM')
            .argParser(parseDuration)
            .default(5_000, '5s'),
        ),
    ),
    { ...deploymentFlags, nats: { ...deploymentFlags.nats, help: natsHelp } },
  ).action(lazyAction(io, async () => (await import('../actions/gateway.js')).serveGateway))
}

/** A flag without a value unless the user sets it. */
const limitFlag = (flags: string, help: string, described: NumberOption): Option =>
  new Option(flags, help).argParser(parseNumber(described))

const natsHelp = 'NATS servers to serve on, separated by commas, instead of over HTTP'

const origins = (text: string, previous: readonly string[] = []): readonly string[] => {
  if (gatewayTable.origins.holds([text])) return [...previous, text]
  throw new InvalidArgumentError('Give an origin like https://app.example, without a path.')
}

const dashboardExamples = `
Examples:
  $ npx svc-streams dashboard --simulate
      Show six tokens of a simulator in a browser. Needs no service, no key and no token.
  $ npx svc-streams dashboard --demo
      The same, with faults: see what the page shows while prices or depths are missing.
  $ npx svc-streams dashboard 0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      Show a token of the service that the environment variables configure.
  $ npx svc-streams dashboard WETH WBTC --tokens tokens.json --port 8080
      Show tokens by symbol, with { "WETH": { "address": "0x82af…", "decimals": 18 }, … } in the file.
  $ npx svc-streams dashboard --gateway http://127.0.0.1:8080 WETH --tokens tokens.json
      Show a token of a gateway. Its history, if it has one, is the past of the chart.
  $ npx svc-streams dashboard --gateway http://127.0.0.1:8080 --journal desk.ndjson
      Also show the fills of an account: those of a journal of the command paper, also while it runs.
  $ npx svc-streams dashboard --recording market.ndjson --speed 10
      Show a recording, ten times as fast. It starts when the page is opened.

The command prints the address of the page, which this machine alone can open. The page has a card per token: price,
change, chart, age and depth. A price that is not current is struck through or underlined, and the chart has a gap.
The page needs no reload after the service, or this command, has been started again. It reloads by itself if this command
shows other tokens then.

Ctrl-C stops the command with exit code 0. The exit code is 1 if the port is in use or a recording is damaged, and 2 for
invalid arguments.`

export const dashboardCommand = (io: Io): Command =>
  addSourceFlags(
    createCommand(io, 'dashboard', 'Show live prices and depth in a browser.', dashboardExamples)
      .addArgument(
        new Argument(
          '[token...]',
          `${tokensHelp} (default: those of the simulator or the recording, of SVC_TOKENS, or of --tokens)`,
        ),
      )
      .addOption(tokensFlag())
      .addOption(demoFlag())
      .addOption(intervalFlag())
      .option('--journal <file>', 'journal of `paper`, whose fills the charts show')
      .addOption(
        numberFlag(
          '--port <port>',
          'port to listen on, for HTTP and WebSocket; 0 picks a free port',
          gatewayTable.port,
        ),
      ),
  ).action(lazyAction(io, async () => (await import('../actions/dashboard.js')).serveDashboard))
