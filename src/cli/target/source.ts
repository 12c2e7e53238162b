import type { Command } from 'commander'
import { left, map, right, type Either } from 'fp-ts/lib/Either.js'
import { configure, isThisMachine, type Configuration } from '../../client/configuration.js'
import {
  clientTable,
  type ClientOptions,
  type DepthClientOptions,
  type UnsignedClientOptions,
} from '../../client/options.js'
import type { Environment } from '../../base/domain/environment.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { node } from '../../wire/platform/node.js'
import {
  deploymentFlags,
  flagName,
  withVariable,
  type DeploymentFlagName,
  type ServerFlagName,
  type SourceValues,
} from './source-flags.js'

/** The source of data that the flags and the environment variables of a command select. An empty one is not set. */
export type Source = ServiceSource | GatewaySource | NatsSource | SimulatorSource | RecordingSource

export interface ServiceSource {
  readonly _tag: 'Service'
  readonly environment: Environment
  readonly allowInsecure: boolean
  readonly baseUrl: string | undefined
  readonly authKey: string | undefined
  readonly priceBaseUrl: string | undefined
  /** Addresses, separated by commas. */
  readonly priceWsUrl: string | undefined
  readonly lines?: number
}

export interface GatewaySource {
  readonly _tag: 'Gateway'
  readonly environment: Environment
  readonly allowInsecure: boolean
  /** Addresses, separated by commas. Their paths and queries are preserved. */
  readonly url: string
  readonly lines?: number
  /** Signs depth requests; without it, they are sent unsigned. */
  readonly authKey: string | undefined
}

export interface NatsSource {
  readonly _tag: 'Nats'
  readonly environment: Environment
  /** Addresses, separated by commas. */
  readonly servers: string
}

export interface SimulatorSource {
  readonly _tag: 'Simulator'
  readonly environment: Environment
  /** True for a simulator that shows faults, and the recovery from them. */
  readonly isDemo: boolean
  /** True for more tokens than the recorded ones, with a past: for a page. */
  readonly isDesk?: boolean
}

export interface RecordingSource {
  readonly _tag: 'Recording'
  /** Files of one recording, in order. */
  readonly files: readonly string[]
  readonly speed: number
}

/** In the order of precedence of their variables. */
const allServers = ['nats', 'gateway'] as const satisfies readonly ServerFlagName[]

const addressNames = ['baseUrl', 'priceBaseUrl', 'priceWsUrl'] as const

/**
 * The source of a command. A flag on the command line precedes all environment variables, and excludes the flags of other
 * sources. Environment variables exclude nothing: SVC_NATS precedes SVC_GATEWAY, and both precede the addresses of the
 * service. `servers`: the flags that select a server. Left: the message for flags that exclude each other.
 */
export const resolveSource = (
  command: Command,
  servers: readonly ServerFlagName[] = allServers,
): Either<string, Source> => {
  const flags = command.opts<SourceValues>()
  const { environment = 'mainnet', allowInsecure = false, recording, speed = 1, simulate, demo } = flags
  const isGiven = (name: string): boolean => command.getOptionValueSource(name) === 'cli'
  const conflict = conflictOf(flags, servers, isGiven)
  if (conflict !== undefined) return left(conflict)
  if (recording !== undefined) return right({ _tag: 'Recording', files: recording, speed })
  if (isGiven('speed')) return left('--speed: applies only to --recording; remove it')
  if (simulate !== undefined) return right({ _tag: 'Simulator', environment, isDemo: demo !== undefined })
  const server = addressNames.some(isGiven)
    ? undefined
    : (servers.find(isGiven) ?? servers.find((name) => nonEmpty(flags[name]) !== undefined))
  const url = server && nonEmpty(flags[server])
  if (server === 'nats' && url !== undefined) return right({ _tag: 'Nats', environment, servers: url })
  const lines = flags.lines === undefined ? {} : { lines: flags.lines }
  const access = { environment, allowInsecure, authKey: nonEmpty(flags.authKey), ...lines }
  if (url !== undefined) return right({ _tag: 'Gateway', ...access, url })
  return right({
    _tag: 'Service',
    ...access,
    baseUrl: nonEmpty(flags.baseUrl),
    priceBaseUrl: nonEmpty(flags.priceBaseUrl),
    priceWsUrl: nonEmpty(flags.priceWsUrl),
  })
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text)

/** The message for flags of two sources on the command line. */
const conflictOf = (
  { recording, simulate, demo }: SourceValues,
  servers: readonly ServerFlagName[],
  isGiven: (name: string) => boolean,
): string | undefined => {
  const firstGiven = (names: readonly DeploymentFlagName[]): string | undefined => {
    const name = names.find(isGiven)
    return name && deploymentFlags[name].flag
  }
  const simulator = simulate === undefined ? undefined : demo === undefined ? '--simulate' : '--demo'
  const [server, otherServer] = servers.filter(isGiven).map((name) => deploymentFlags[name].flag)
  const address = firstGiven(addressNames)
  const service = address ?? firstGiven(['authKey'])
  if (recording !== undefined) return conflictText('--recording', simulator ?? server ?? service)
  if (simulator !== undefined) return conflictText(simulator, service ?? server)
  return server === undefined ? undefined : conflictText(server, otherServer ?? address)
}

const conflictText = (source: string, other: string | undefined): string | undefined =>
  other === undefined ? undefined : `${other}: cannot be combined with ${source}; remove one of them`

export type DataKind = 'prices' | 'depth' | 'both'

/**
 * The client options of a service or a gateway. Values that the command does not need are ignored, so that they cannot
 * cause errors. Left: the message for missing flags.
 */
export const clientOptions = (
  source: ServiceSource | GatewaySource,
  dataKind: DataKind,
): Either<string, ClientOptions> => {
  const { environment, allowInsecure } = source
  const needsDepth = dataKind !== 'prices' && environment === 'mainnet'
  const addresses =
    source._tag === 'Gateway'
      ? right(gatewayAddresses(source, needsDepth))
      : serviceAddresses(source, dataKind, needsDepth)
  return map((access: Addresses) => ({
    environment,
    ...(allowInsecure ? { allowInsecure } : {}),
    ...access,
  }))(addresses)
}

type Addresses = Omit<ClientOptions, 'environment'>

/** The addresses of the gateways. */
export const gatewayUrls = ({ url }: GatewaySource): readonly [string, ...string[]] => {
  const [first = url, ...others] = url.split(',')
  return [first, ...others]
}

const gatewayAddresses = (source: GatewaySource, needsDepth: boolean): Addresses => {
  const { authKey, lines } = source
  const urls = gatewayUrls(source)
  const invalidUrl = urls.find((each) => !isHttpUrl(each))
  // The client checks this one, and reports it.
  const url = invalidUrl ?? urls[0]
  return {
    priceBaseUrl: url,
    ...(invalidUrl === undefined ? socketAddresses(urls.map(socketUrl), lines) : {}),
    ...(needsDepth ? { baseUrl: url, ...(authKey === undefined ? { unsigned: true } : { authKey }) } : {}),
  }
}

const isHttpUrl = (text: string): boolean =>
  URL.canParse(text) && clientTable.priceBaseUrl.schemes.includes(new URL(text).protocol)

/** With several addresses, one connection stands by unless `lines` says otherwise. */
const socketAddresses = (urls: readonly string[], lines = urls.length > 1 ? 2 : 1) => ({
  priceWsUrl: urls.length > 1 ? urls : urls.join(),
  ...(lines === 1 ? {} : { lines }),
})

const socketUrl = (gateway: string): string => {
  const url = new URL(gateway)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return url.href
}

const requiredNames = {
  prices: ['priceBaseUrl'],
  depth: ['baseUrl', 'authKey'],
  both: ['priceBaseUrl'],
} as const satisfies Record<DataKind, readonly DeploymentFlagName[]>

/** A client requires `priceBaseUrl` even if it requests only depth. */
const unusedPriceBaseUrl = 'https://prices.invalid'

const serviceAddresses = (
  source: ServiceSource,
  dataKind: DataKind,
  needsDepth: boolean,
): Either<string, Addresses> => {
  const { baseUrl, authKey, priceBaseUrl = unusedPriceBaseUrl, priceWsUrl, lines } = source
  const missing = requiredNames[dataKind].filter((name) => source[name] === undefined)
  if (missing.length > 0) return left(missingFlagsText(missing))
  const sockets =
    priceWsUrl === undefined
      ? lines === undefined
        ? {}
        : { lines }
      : socketAddresses(priceWsUrl.split(','), lines)
  const prices = { priceBaseUrl, ...sockets }
  return right({
    ...(dataKind === 'depth' ? { priceBaseUrl: unusedPriceBaseUrl } : prices),
    // Both are required together.
    ...(needsDepth && baseUrl !== undefined && authKey !== undefined ? { baseUrl, authKey } : {}),
  })
}

const missingFlagsText = (missing: readonly DeploymentFlagName[]): string =>
  [
    'the service is not configured. Set by flag or by environment variable:',
    ...missing.map((name) => {
      const { flag, variable, meaning } = deploymentFlags[name]
      return `  ${flag.padEnd(16)}  ${variable.padEnd(18)}  ${meaning}`
    }),
    'To use a gateway instead, set --gateway (SVC_GATEWAY), or --nats (SVC_NATS).',
    'To try the command without a service, add --simulate, or run npx svc-streams simulate and paste its output.',
  ].join('\n')

export const hasDepth = (options: ClientOptions): options is DepthClientOptions | UnsignedClientOptions =>
  options.environment === 'mainnet' &&
  options.baseUrl !== undefined &&
  (options.authKey !== undefined || options.unsigned === true)

/** The configuration of a client with these options. Left: the message, which names the flags of the source. */
export const configureFor = (tag: Source['_tag'], options: ClientOptions): Either<string, Configuration> => {
  try {
    // The client's message for an unencrypted address names an option instead of a flag.
    const configuration = configure({ ...options, allowInsecure: true }, node)
    const problem = unencryptedText(tag, options)
    return problem === undefined ? right(configuration) : left(problem)
  } catch (error) {
    if (error instanceof ConfigurationError) return left(flagErrorText(error, tag))
    throw error
  }
}

const unencryptedText = (tag: Source['_tag'], options: ClientOptions): string | undefined => {
  if (options.authKey === undefined || options.allowInsecure === true) return undefined
  for (const name of ['priceBaseUrl', 'baseUrl', 'priceWsUrl'] as const) {
    for (const url of [options[name] ?? []].flat()) {
      const { protocol, hostname } = new URL(url)
      const secure = { 'http:': 'https:', 'ws:': 'wss:' }[protocol]
      if (secure !== undefined && !isThisMachine(hostname))
        return `${flagOf(name, tag)}: ${protocol} to another machine is not encrypted; use ${secure} or set --allow-insecure`
    }
  }
  return undefined
}

/** The message of a `ConfigurationError` with the flag instead of the option. */
export const flagErrorText = ({ option, message }: ConfigurationError, tag: Source['_tag']): string =>
  `${flagOf(option, tag)}: ${message.slice(`${option}: `.length)}`

/** The flag of an option, with its variable. */
const flagOf = (option: string, tag: Source['_tag']): string => {
  if (tag === 'Gateway' && addressNames.some((name) => name === option))
    return withVariable(deploymentFlags.gateway)
  if (tag === 'Nats' && option === 'servers') return withVariable(deploymentFlags.nats)
  return isDeploymentFlag(option) ? withVariable(deploymentFlags[option]) : flagName(option)
}

const isDeploymentFlag = (option: string): option is DeploymentFlagName =>
  Object.hasOwn(deploymentFlags, option)
