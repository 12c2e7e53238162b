import { InvalidArgumentError, type Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import type { GatewayOptions, GatewayTokens } from '../../gateway/index.js'
import { runGateway, type RunningGateway } from '../../gateway/run-gateway.js'
import { counted } from '../../view/texts.js'
import { readTokens, withSource, type OpenSource } from '../target/open-source.js'
import { flagErrorText } from '../target/source.js'
import { summaryText, type Io } from '../io.js'
import {
  Flag,
  type Flags,
  numberFlag,
  onlyGiven,
  parsedFlag,
  parseDuration,
  parseNumber,
  parseRotation,
  textFlag,
  toggle,
  usageError,
  type Values,
} from '../target/parse-flags.js'
import { symbolsOf, userTokens, type UserTokens } from '../target/select-tokens.js'
import { serveNats } from './shared/gateway-nats.js'
import { readSecrets, reloader, secretFlags } from './shared/gateway-secrets.js'
import { metricsFlags, metricsLines, startMetrics } from './shared/metrics-server.js'
import { log, logFormatFlag, setLogFormat } from './shared/log.js'
import { failToListen, serveUntilStopped, tokenVariables } from './shared/serve.js'
import { defineCommand, tokensFlag } from './shared/parts.js'
import { gatewayTable, historyTable } from '../../gateway/options.js'
import { flagName, sourceFlags } from '../target/source-flags.js'

const examples = `
Examples:
  $ npx svc-streams gateway --simulate
      Serve a simulator. Needs no service and no key. Prints the address of the gateway.
  $ npx svc-streams gateway --port 8080
      Serve the service that the environment variables configure, to programs of this machine.
  $ npx svc-streams gateway --host 0.0.0.0 --port 8443 --keys keys.json --tls-key key.pem --tls-cert cert.pem
      Serve other machines, encrypted. Depth requests must be signed with a key of the file: { "desk": "AAEC…" }.
  $ npx svc-streams gateway --port 8080 --history prices --keep 7d
      Also record the prices that consumers get, in files of the folder prices, and serve those of the last 7 days.
  $ npx svc-streams gateway --nats nats://127.0.0.1:4222
      Serve many machines, through a NATS server. Start a second one for failover. With --port 8080, GET /health answers.

All consumers share one connection to the service. The key of the service (--auth-key) stays in the gateway: consumers sign with
a key of --keys, or not at all. While the service is down, the gateway refuses consumers, and they reconnect when it returns.

Ctrl-C stops the command with exit code 0. SIGTERM first disconnects the consumers, one after the other. The exit code is
1 if the port is in use or a recording is damaged, and 2 for invalid arguments.`

const origins = (text: string, previous: readonly string[] = []): readonly string[] => {
  if (gatewayTable.origins.holds([text])) return [...previous, text]
  throw new InvalidArgumentError('Give an origin like https://app.example, without a path.')
}

const drainFlag = new Flag<number>(
  '--drain <duration>',
  'time in which consumers are disconnected after SIGTERM',
)
  .argParser(parseDuration)
  .default(5_000, '5s')

/** `SVC_NATS` alone selects the source, as in every command. With the flag, it is where the command serves. */
const natsFlag = new Flag<string | true | undefined>(
  '--nats [url]',
  'serve on NATS servers, separated by commas, instead of over HTTP; without them, on those of the variable',
).env('SVC_NATS')

type LimitName = keyof typeof gatewayTable & (`max${string}` | 'depthEvery')

/** The flags of limits, by the names of their options. */
const limits = <Name extends LimitName>(helps: Record<Name, string>) =>
  Object.fromEntries(
    (Object.entries(helps) as [Name, string][]).map(([name, help]) => {
      const unit = name === 'depthEvery' ? 'ms' : 'n'
      return [name, parsedFlag(`${flagName(name)} <${unit}>`, help, parseNumber(gatewayTable[name]))]
    }),
  ) as Record<Name, Flag<number | undefined>>

/** The limits of a gateway over HTTP and on NATS. */
const limitFlags = limits({
  maxConnections: 'connections of consumers (default: 2000; 10000 with --nats)',
  maxTopicsPerConnection: 'topics of one consumer (default: 10000; 5000 with --nats)',
  depthEvery: 'time between two depth requests for a token (default: 250)',
})

/** The limits of a gateway over HTTP alone. */
const httpLimitFlags = limits({
  maxConnectionsPerAddress: 'connections of one address (default: no limit)',
  maxMessagesPerSecond:
    'messages and requests of one connection, which may send ten times as many at once (default: 1000)',
  maxNewTopicsPerSecond:
    'further topics of the service for one connection, a hundred times as many at once (default: 100)',
  maxBufferedBytes: 'unsent bytes, other than prices, at which a consumer is disconnected (default: 4194304)',
})

/** The flags that have no meaning on NATS. */
const httpFlags = {
  tokens: tokensFlag,
  ...secretFlags,
  openDepth: toggle('--open-depth', 'without --keys, allow a --host that other machines can reach'),
  origin: parsedFlag<readonly string[]>(
    '--origin <url...>',
    'origins of pages with access, such as https://app.example',
    origins,
  ),
  history: textFlag(
    '--history <folder>',
    'record the prices that consumers receive in this folder, and serve them',
  ),
  keep: parsedFlag(
    '--keep <duration>',
    'age at which recorded prices are deleted (default: 7d)',
    parseRotation,
  ),
  maxHistoryBytes: parsedFlag(
    '--max-history-bytes <n>',
    'size at which the oldest recorded prices are deleted (default: 10737418240)',
    parseNumber(historyTable.maxBytes),
  ),
  ...httpLimitFlags,
  drain: drainFlag,
}

const flags = {
  port: numberFlag(
    '--port <port>',
    'port to listen on, for HTTP and WebSocket; 0 picks a free port',
    gatewayTable.port,
  ),
  host: new Flag<string>('--host <address>', 'address to listen on; 0.0.0.0 for other machines, too').default(
    gatewayTable.host.default,
  ),
  ...httpFlags,
  ...limitFlags,
  logFormat: logFormatFlag,
  ...metricsFlags,
  ...sourceFlags,
  nats: natsFlag,
}

type GatewayFlags = Values<typeof flags>

export const createCommand = defineCommand({
  examples,
  guide: 'operate/gateway.md',
  flags,
  action: serveGateway,
})

async function serveGateway(io: Io, command: Command, flags: GatewayFlags): Promise<void> {
  setLogFormat(io, flags.logFormat)
  const isGiven = (name: string) => command.getOptionValueSource(name) === 'cli'
  if (flags.nats !== undefined && isGiven('nats')) {
    const conflict = Object.keys(httpFlags).find(isGiven)
    if (conflict !== undefined)
      return usageError(`${flagName(conflict)}: cannot be combined with --nats; remove one of them`)
    const { host, port } = flags
    const servers = flags.nats === true ? (io.env['SVC_NATS'] ?? '') : flags.nats
    await using metrics = await startMetrics(flags)
    const options = given(flags, limitFlags)
    const setup = { options, address: { host, port }, metricsLines: metricsLines(metrics) }
    await serveNats(io, command, servers, setup)
    return
  }
  const serverOptions = gatewayServerOptions(flags)
  await using metrics = await startMetrics(flags)
  const user = userTokens(command, io.env)
  await withSource(command, 'both', async (source) => {
    const symbols = await servedTokens(io, source, user)
    const options = { ...serverOptions, symbols }
    const running = await start(source, options, flags.keys)
    await using gateway = running.gateway
    const text = summary(gateway.baseUrl, source, options, metricsLines(metrics))
    const signal = await serveUntilStopped(io, source, text, reloader(io, running, flags))
    const { connections } = gateway.inspect()
    if (signal !== 'SIGTERM' || connections === 0) return
    log(
      io,
      `The gateway is closing. Its ${counted(connections, 'consumer')} ${connections === 1 ? 'is' : 'are'} disconnected within ${flags.drain / 1000} s.`,
    )
    await running.drain(flags.drain)
  })
}

/** The tokens for consumers: those of the user, of the source, and of a gateway that is the source. */
const servedTokens = async (io: Io, source: OpenSource, user: UserTokens): Promise<GatewayTokens> => {
  const ofSource = await readTokens(source)
  if (isLeft(ofSource)) log(io, `${ofSource.left}. Consumers get those of --tokens and SVC_TOKENS.`)
  const all = symbolsOf({ ...user, ...source, servedTokens: isLeft(ofSource) ? [] : ofSource.right })
  return Object.fromEntries(all.map(({ symbol, address, decimals }) => [symbol, { address, decimals }]))
}

const start = (
  { client, service }: OpenSource,
  options: GatewayOptions,
  keysFile = '',
): Promise<RunningGateway> =>
  runGateway(client, { ...options, service }).catch((error: unknown) => {
    if (error instanceof ConfigurationError) return usageError(gatewayErrorText(error, keysFile))
    return failToListen(error)
  })

/** The message of the gateway, with flags instead of options. The two flags of a certificate are one option. */
const gatewayErrorText = (error: ConfigurationError, keysFile: string): string => {
  const { option, message } = error
  if (option === 'tls') return flagErrorText(error, '--tls-key, --tls-cert')
  if (option.startsWith('access')) return `--access: ${message}`
  if (option.startsWith('keys')) return `--keys: ${keysFile}: ${message}`
  return flagErrorText(error)
}

/** Reads the files. */
const gatewayServerOptions = (flags: GatewayFlags): GatewayOptions => {
  const { port, host, origin: origins, openDepth, history: folder, keep, maxHistoryBytes: maxBytes } = flags
  const [alone] = folder === undefined ? Object.keys(onlyGiven({ keep, maxHistoryBytes: maxBytes })) : []
  if (alone !== undefined)
    return usageError(`${flagName(alone)}: add --history, the folder of the recordings`)
  const history = folder === undefined ? undefined : { folder, ...onlyGiven({ keep, maxBytes }) }
  const options = {
    ...onlyGiven({ origins, openDepth, history }),
    ...given(flags, { ...limitFlags, ...httpLimitFlags }),
  }
  return { port, host, ...readSecrets(flags), ...options }
}

/** Those of these flags that the user has set. */
const given = <F extends Flags>(values: NoInfer<Values<F>>, flags: F) =>
  onlyGiven(Object.fromEntries(Object.keys(flags).map((name) => [name, values[name]])) as Values<F>)

const summary = (
  baseUrl: string,
  source: OpenSource,
  { host, keys, symbols, history }: GatewayOptions,
  linesOfMetrics: readonly string[],
): string => {
  const token = Object.keys(symbols ?? {}).length === 0 ? ' <token>' : ''
  const isShared = host === '0.0.0.0' || host === '::'
  return summaryText(
    `A gateway to ${source.description} is running.`,
    [['SVC_GATEWAY', baseUrl], ...tokenVariables(source)],
    [
      `To watch through it: npx svc-streams watch --gateway ${baseUrl}${token}`,
      `It serves live prices, prices over HTTP${depthText(source, keys)}, and its own state at ${baseUrl}/health.`,
      ...(isShared ? ['On another machine, write the name or the address of this one in the URL.'] : []),
      ...(history === undefined
        ? []
        : [`It records to ${history.folder}, and serves the past at ${baseUrl}/history.`]),
      ...linesOfMetrics,
    ],
  )
}

const anyOf = new Intl.ListFormat('en', { type: 'disjunction' })

const depthText = ({ depthClient }: OpenSource, keys: GatewayOptions['keys']): string => {
  if (depthClient === undefined) return ''
  return keys === undefined
    ? ', depth without a signature'
    : `, depth to requests that are signed with a key of ${anyOf.format(Object.keys(keys))} (SVC_AUTH_KEY)`
}
