import type { Command } from 'commander'
import { isLeft, isRight, left, mapLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import type { GatewayKeys, GatewayOptions, GatewayTls, GatewayTokens } from '../../gateway/index.js'
import { runGateway, type RunningGateway } from '../../gateway/run-gateway.js'
import { decodeKey } from '../../wire/auth/key.js'
import { counted } from '../../view/texts.js'
import { readTokens, withSource, type OpenSource } from '../target/open-source.js'
import { readBytes, readJson } from '../target/read-file.js'
import { flagErrorText } from '../target/source.js'
import { deploymentFlags, flagName, withVariable, type SourceFlags } from '../target/source-flags.js'
import { setVariables, type Io } from '../io.js'
import { orUsageError, usageError } from '../run.js'
import { symbolsOf, userTokens, type UserTokens } from '../target/select-tokens.js'
import { serveNats } from '../commands/shared/gateway-nats.js'
import { metricsLines, startMetrics, type MetricsFlags } from '../commands/shared/metrics-server.js'
import {
  listenFailure,
  log,
  serveUntilStopped,
  tokenVariables,
  withHistoryLog,
} from '../commands/shared/serve.js'

interface GatewayFlags extends SourceFlags, MetricsFlags {
  readonly port: number
  readonly host: string
  readonly keys?: string
  readonly origin?: readonly string[]
  readonly openDepth?: true
  readonly tlsKey?: string
  readonly tlsCert?: string
  readonly history?: string
  /** In ms. */
  readonly keep?: number
  readonly maxConnections?: number
  readonly maxTopicsPerConnection?: number
  /** In bytes. */
  readonly maxBufferedBytes?: number
  /** In ms. */
  readonly depthEvery?: number
  /** In ms. */
  readonly drain: number
}

const httpNames = [
  'keys',
  'tokens',
  'openDepth',
  'tlsKey',
  'tlsCert',
  'origin',
  'history',
  'keep',
  'maxBufferedBytes',
  'drain',
]

/** The limits that the user has set. */
const limitsOf = ({ maxConnections, maxTopicsPerConnection, depthEvery }: GatewayFlags) => ({
  ...(maxConnections === undefined ? {} : { maxConnections }),
  ...(maxTopicsPerConnection === undefined ? {} : { maxTopicsPerConnection }),
  ...(depthEvery === undefined ? {} : { depthEvery }),
})

/** Serves the selected source over HTTP, or on NATS, until the user stops the command. */
export const serveGateway = async (io: Io, command: Command, flags: GatewayFlags): Promise<void> => {
  if (flags.nats !== undefined && flags.nats !== '') {
    const conflict = httpNames.find((name) => command.getOptionValueSource(name) === 'cli')
    if (conflict === undefined) {
      const { host, port } = flags
      await using metrics = await startMetrics(flags)
      await serveNats(io, command, flags.nats, {
        options: limitsOf(flags),
        address: { host, port },
        metricsLines: metricsLines(metrics),
      })
      return
    }
    const nats = withVariable(deploymentFlags.nats)
    return usageError(command, `${flagName(conflict)}: cannot be combined with ${nats}; remove one of them`)
  }
  const given = orUsageError(command, gatewayServerOptions(flags))
  await using metrics = await startMetrics(flags)
  const user = userTokens(command, io.env)
  await withSource(command, 'both', async (source) => {
    const symbols = await servedTokens(io, source, user)
    const options = { ...given, symbols }
    const running = await start(command, source, options, flags.keys)
    await using gateway = running.gateway
    const text = summary(io, gateway.baseUrl, source, options, metricsLines(metrics))
    await withHistoryLog(io, async () => {
      const signal = await serveUntilStopped(io, source, text)
      const { connections } = gateway.inspect()
      if (signal !== 'SIGTERM' || connections === 0) return
      log(
        io,
        `The gateway is closing. Its ${counted(connections, 'consumer')} ${connections === 1 ? 'is' : 'are'} disconnected within ${flags.drain / 1000} s.`,
      )
      await running.drain(flags.drain)
    })
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
  command: Command,
  { client, service }: OpenSource,
  options: GatewayOptions,
  keysFile = '',
): Promise<RunningGateway> =>
  runGateway(client, { ...options, service }).catch((error: unknown) => {
    if (error instanceof ConfigurationError) return usageError(command, gatewayErrorText(error, keysFile))
    throw listenFailure(error)
  })

/** The message of the gateway, with flags instead of options. The two flags of a certificate are one option. */
const gatewayErrorText = (error: ConfigurationError, keysFile: string): string => {
  const { option, message } = error
  if (option === 'tls') return `--tls-key, --tls-cert${message.slice('tls'.length)}`
  if (option.startsWith('keys')) return `--keys: ${keysFile}: ${message}`
  return flagErrorText(error, 'Service')
    .replace('set keys', 'set --keys')
    .replace('openDepth: true', '--open-depth')
}

/** The gateway options of the flags. Reads the files. Left: the error message. */
const gatewayServerOptions = (flags: GatewayFlags): Either<string, GatewayOptions> => {
  const { port, host, origin, openDepth, history, keep, maxBufferedBytes } = flags
  if (keep !== undefined && history === undefined)
    return left('--keep: add --history, the folder of the recordings')
  const keys = flags.keys === undefined ? right(undefined) : readKeysFile(flags.keys)
  if (isLeft(keys)) return keys
  const tls = readTlsFiles(flags)
  if (isLeft(tls)) return tls
  return right({
    port,
    host,
    ...(keys.right === undefined ? {} : { keys: keys.right }),
    ...(tls.right === undefined ? {} : { tls: tls.right }),
    ...(origin === undefined ? {} : { origins: origin }),
    ...(openDepth === undefined ? {} : { openDepth }),
    ...limitsOf(flags),
    ...(maxBufferedBytes === undefined ? {} : { maxBufferedBytes }),
    ...(history === undefined
      ? {}
      : { history: { folder: history, ...(keep === undefined ? {} : { keep }) } }),
  })
}

/**
 * The keys of a file, JSON such as `{ "desk": "AAEC…" }`, which the gateway checks. Left: the reason why there are none. It
 * contains no key: the messages of the JSON parser, which quote the text, are not repeated.
 */
export const readKeysFile = (path: string): Either<string, GatewayKeys> => {
  const failed = (problem: string) => left(`--keys: ${path}${problem}`)
  const json = readJson(path)
  if (isLeft(json) && json.left.kind === 'file') return failed(json.left.message)
  if (isLeft(json) || typeof json.right !== 'object' || json.right === null || Array.isArray(json.right))
    return failed(': expected JSON such as { "desk": "…" }: keys in base64, by name')
  const keys = json.right as GatewayKeys
  const isShort = (key: unknown) => {
    const bytes = decodeKey(key)
    return isRight(bytes) && bytes.right.length < minKeyBytes
  }
  return Object.values(keys).some(isShort)
    ? failed(`: a key has fewer than ${minKeyBytes} bytes; make one with: openssl rand -base64 32`)
    : right(keys)
}

/** A shorter key can be guessed. */
const minKeyBytes = 16

/** The private key and the certificate in these files; `undefined` without flags. Left: the error message. */
const readTlsFiles = ({ tlsKey, tlsCert }: GatewayFlags): Either<string, GatewayTls | undefined> => {
  if (tlsKey === undefined && tlsCert === undefined) return right(undefined)
  if (tlsKey === undefined) return left('--tls-cert: requires --tls-key, the private key of the certificate')
  if (tlsCert === undefined) return left('--tls-key: requires --tls-cert, the certificate of the key')
  const key = readPem('--tls-key', tlsKey)
  if (isLeft(key)) return key
  const cert = readPem('--tls-cert', tlsCert)
  return isLeft(cert) ? cert : right({ key: key.right, cert: cert.right })
}

const readPem = (flag: string, path: string): Either<string, Uint8Array> =>
  mapLeft((problem: string) => `${flag}: ${path}${problem}`)(readBytes(path))

const summary = (
  io: Io,
  baseUrl: string,
  source: OpenSource,
  { host, keys, symbols, history }: GatewayOptions,
  linesOfMetrics: readonly string[],
): string => {
  const isShared = host === '0.0.0.0' || host === '::'
  const lines = [
    `# A gateway to ${source.description} is running. Paste these lines into another terminal, and start your program there.`,
    ...setVariables(io, [['SVC_GATEWAY', baseUrl], ...tokenVariables(source)]),
    `# To watch through it: npx svc-streams watch --gateway ${baseUrl}${Object.keys(symbols ?? {}).length === 0 ? ' <token>' : ''}`,
    `# It serves live prices, prices over HTTP${depthText(source, keys)}, and its own state at ${baseUrl}/health.`,
    ...(isShared ? ['# On another machine, write the name or the address of this one in the URL.'] : []),
    ...(history === undefined
      ? []
      : [`# It records to ${history.folder}, and serves the past at ${baseUrl}/history.`]),
    ...linesOfMetrics,
    '# Press Ctrl-C to stop it, and again to stop it immediately.',
  ]
  return lines.map((line) => `${line}\n`).join('')
}

const anyOf = new Intl.ListFormat('en', { type: 'disjunction' })

const depthText = ({ depthClient }: OpenSource, keys: GatewayOptions['keys']): string => {
  if (depthClient === undefined) return ''
  return keys === undefined
    ? ', depth without a signature'
    : `, depth to requests that are signed with a key of ${anyOf.format(Object.keys(keys))} (SVC_AUTH_KEY)`
}
