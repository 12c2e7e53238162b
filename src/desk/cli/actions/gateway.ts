import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { isLeft, left, mapLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { decodeKey } from '../../../wire/auth/key.js'
import { isLoopback } from '../../../base/domain/endpoint.js'
import { ConfigurationError } from '../../../base/errors/configuration-error.js'
import { describeValue } from '../../../base/errors/text.js'
import { urlHost } from '../../../serve/gateway/http/addresses.js'
import {
  startGateway,
  type Gateway,
  type GatewayKeys,
  type GatewayOptions,
  type GatewayTls,
} from '../../../serve/gateway/index.js'
import { gatewayTable } from '../../../serve/gateway/options.js'
import { withSource, type OpenSource } from '../input/open-source.js'
import { attempt, readJson } from '../input/read-file.js'
import { flagErrorText } from '../input/source.js'
import { deploymentFlags, flagName, withVariable, type SourceFlags } from '../input/source-flags.js'
import { setVariables, type Io } from '../io.js'
import { usageError } from '../run.js'
import { serveNats } from './gateway-nats.js'
import { listenFailure, serveUntilStopped, tokenVariables, withHistoryLog } from './serve.js'

export interface GatewayFlags extends SourceFlags {
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
}

const httpNames = ['keys', 'openDepth', 'tlsKey', 'tlsCert', 'origin', 'history']

/** Serves the selected source over HTTP, or on NATS, until the user stops the command. */
export const serveGateway = async (io: Io, command: Command, flags: GatewayFlags): Promise<void> => {
  if (flags.nats !== undefined && flags.nats !== '') {
    const conflict = httpNames.find((name) => command.getOptionValueSource(name) === 'cli')
    if (conflict === undefined) return serveNats(io, command, flags.nats, flags)
    if (conflict === 'history')
      return usageError(
        command,
        '--history: with --nats, use --keep alone: the prices are in a JetStream stream',
      )
    const nats = withVariable(deploymentFlags.nats)
    return usageError(command, `${flagName(conflict)}: cannot be combined with ${nats}; remove one of them`)
  }
  const options = gatewayServerOptions(flags)
  if (isLeft(options)) return usageError(command, options.left)
  await withSource(command, 'both', async (source) => {
    await using gateway = await start(command, source, options.right)
    await withHistoryLog(io, () => serveUntilStopped(io, source, summary(io, gateway, source, options.right)))
  })
}

const start = (
  command: Command,
  { client, service }: OpenSource,
  options: GatewayOptions,
): Promise<Gateway> =>
  startGateway(client, { ...options, service }).catch((error: unknown) => {
    if (error instanceof ConfigurationError) return usageError(command, gatewayErrorText(error))
    throw listenFailure(error)
  })

/** The two flags of a certificate are one option of the gateway. */
const gatewayErrorText = (error: ConfigurationError): string =>
  error.option === 'tls'
    ? `--tls-key, --tls-cert${error.message.slice('tls'.length)}`
    : flagErrorText(error, 'Service')

/** The gateway options of the flags. Reads the files. Left: the error message. */
const gatewayServerOptions = (flags: GatewayFlags): Either<string, GatewayOptions> => {
  const { port, host, origin, openDepth, history, keep } = flags
  if (keep !== undefined && history === undefined)
    return left('--keep: add --history, the folder of the recordings')
  const keys = flags.keys === undefined ? right(undefined) : readKeysFile(flags.keys)
  if (isLeft(keys)) return keys
  if (keys.right === undefined && openDepth === undefined && isReachable(host)) return left(reachableText)
  const tls = readTlsFiles(flags)
  if (isLeft(tls)) return tls
  return right({
    port,
    host,
    ...(keys.right === undefined ? {} : { keys: keys.right }),
    ...(tls.right === undefined ? {} : { tls: tls.right }),
    ...(origin === undefined ? {} : { origins: origin }),
    ...(openDepth === undefined ? {} : { openDepth }),
    ...(history === undefined
      ? {}
      : { history: { folder: history, ...(keep === undefined ? {} : { keep }) } }),
  })
}

/** True for an address that other machines can reach. An invalid one is an error of the gateway. */
const isReachable = (host: string): boolean => gatewayTable.host.holds(host) && !isLoopback(urlHost(host))

/** The gateway's own message names options instead of flags. */
const reachableText =
  '--host: other machines can reach this address; set --keys, which depth requests must be signed with, or --open-depth'

/**
 * The keys of a file, JSON such as `{ "desk": "AAEC…" }`. Left: the reason why it cannot be used. It contains no key: the
 * messages of the JSON parser, which quote the text, are not repeated.
 */
export const readKeysFile = (path: string): Either<string, GatewayKeys> => {
  const failed = (problem: string) => left(`--keys: ${path}: ${problem}`)
  const json = readJson(path)
  if (isLeft(json)) return failed(json.left.kind === 'file' ? json.left.message : expected)
  if (typeof json.right !== 'object' || json.right === null || Array.isArray(json.right))
    return failed(expected)
  const entries = Object.entries(json.right)
  if (entries.length === 0) return failed('has no key; add one, or remove --keys')
  const problem = entries.map(entryProblem).find((each) => each !== undefined)
  return problem === undefined ? right(json.right as GatewayKeys) : failed(problem)
}

const expected = 'expected JSON such as { "desk": "…" }: keys in base64, by name'

const entryProblem = ([name, key]: readonly [string, unknown], index: number): string | undefined => {
  const decoded = decodeKey(key, entryName(name, index))
  return isLeft(decoded) ? decoded.left.message : undefined
}

/** The name, or the position if the name may be a key: keys are longer than names. */
const entryName = (name: string, index: number): string =>
  name !== '' && name.length <= 20 ? `key ${describeValue(name)}` : `key ${index + 1}`

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
  mapLeft((message: string) => `${flag}: ${path}: ${message}`)(attempt(() => readFileSync(path)))

const summary = (
  io: Io,
  { baseUrl }: Gateway,
  source: OpenSource,
  { host, keys, history }: GatewayOptions,
): string => {
  const isShared = host === '0.0.0.0' || host === '::'
  const lines = [
    `# A gateway to ${source.description} is running. Paste these lines into another terminal, and start your program there.`,
    ...setVariables(io, [['SVC_GATEWAY', baseUrl], ...tokenVariables(source)]),
    `# To watch through it: svc-streams watch --gateway ${baseUrl}${source.ownTokens.length === 0 ? ' <token>' : ''}`,
    `# It serves live prices, prices over HTTP${depthText(source, keys)}, and its own state at ${baseUrl}/health.`,
    ...(isShared ? ['# On another machine, write the name or the address of this one in the URL.'] : []),
    ...(history === undefined
      ? []
      : [`# It records to ${history.folder}, and serves the past at ${baseUrl}/history.`]),
    '# Press Ctrl-C to stop it, and again to stop it immediately.',
  ]
  return lines.map((line) => `${line}\n`).join('')
}

const depthText = ({ depthClient }: OpenSource, keys: GatewayOptions['keys']): string => {
  if (depthClient === undefined) return ''
  return keys === undefined
    ? ', depth without a signature'
    : `, depth to requests that are signed with a key of ${Object.keys(keys).join(', ')} (SVC_AUTH_KEY)`
}
