import type { Command } from 'commander'
import { chain, left, right, tryCatch, type Either } from 'fp-ts/lib/Either.js'
import { configure, type Configuration } from '../../client/configuration.js'
import type { ClientOptions } from '../../client/options.js'
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
export type Source = AddressSource | NatsSource | SimulatorSource | RecordingSource

/** The addresses of a service, or those of gateways. */
export interface AddressSource {
  readonly _tag: 'Addresses'
  readonly environment: Environment
  readonly allowInsecure: boolean
  readonly lines: number | undefined
  /** Signs depth requests; without it, those to a gateway are sent unsigned. */
  readonly authKey: string | undefined
  readonly baseUrl: string | undefined
  readonly priceBaseUrl: string | undefined
  readonly priceWsUrls: readonly string[]
  /** HTTP addresses, whose paths and queries are preserved. `undefined` for a service. */
  readonly gateways?: readonly [string, ...string[]]
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

const addressNames = ['baseUrl', 'priceBaseUrl', 'priceWsUrl'] as const

/**
 * The source of a command. A flag on the command line precedes all environment variables, and excludes the flags of other
 * sources. Environment variables exclude nothing: SVC_NATS precedes SVC_GATEWAY, and both precede the addresses of the
 * service. `servers`: the flags that select a server. Left: the message for flags that exclude each other.
 */
export const resolveSource = (
  command: Command,
  servers: readonly ServerFlagName[] = ['nats', 'gateway'],
): Either<string, Source> => {
  const flags = command.opts<SourceValues>()
  const { environment = 'mainnet', allowInsecure = false, lines, recording, speed = 1 } = flags
  const { simulate, demo } = flags
  const isGiven = (name: string): boolean => command.getOptionValueSource(name) === 'cli'
  const groups = [['recording'], ['demo', 'simulate'], ...servers.map((name) => [name]), addressNames]
  const [first, second] = groups.flatMap((names) => names.find(isGiven) ?? [])
  const hasOwnKey = recording !== undefined || simulate !== undefined
  const other = second ?? (hasOwnKey && isGiven('authKey') ? 'authKey' : undefined)
  if (first !== undefined && other !== undefined)
    return left(`${flagName(other)}: cannot be combined with ${flagName(first)}; remove one of them`)
  if (recording !== undefined) return right({ _tag: 'Recording', files: recording, speed })
  if (isGiven('speed')) return left('--speed: applies only to --recording; remove it')
  if (simulate !== undefined) return right({ _tag: 'Simulator', environment, isDemo: demo !== undefined })
  const server = addressNames.some(isGiven)
    ? undefined
    : (servers.find(isGiven) ?? servers.find((name) => nonEmpty(flags[name]) !== undefined))
  const url = server && nonEmpty(flags[server])
  if (server === 'nats' && url !== undefined) return right({ _tag: 'Nats', environment, servers: url })
  const access = {
    _tag: 'Addresses',
    environment,
    allowInsecure,
    lines,
    authKey: nonEmpty(flags.authKey),
  } as const
  if (url !== undefined) return right({ ...access, ...gatewayAddresses(url) })
  return right({
    ...access,
    baseUrl: nonEmpty(flags.baseUrl),
    priceBaseUrl: nonEmpty(flags.priceBaseUrl),
    priceWsUrls: nonEmpty(flags.priceWsUrl)?.split(',') ?? [],
  })
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text)

/** `list`: addresses, separated by commas. The client reports one that is none of HTTP. */
const gatewayAddresses = (list: string) => {
  const [first = list, ...others] = list.split(',')
  const gateways = [first, ...others] as const
  return {
    gateways,
    baseUrl: first,
    priceBaseUrl: gateways.find((url) => !/^https?:/i.test(url)) ?? first,
    priceWsUrls: gateways.map((url) => url.replace(/^http/i, 'ws')),
  }
}

export type DataKind = 'prices' | 'depth' | 'both'

/** The configuration of a client of a service or of gateways. Left: the message, which names flags. */
export const configurationOf = (source: AddressSource, dataKind: DataKind): Either<string, Configuration> =>
  chain((options: ClientOptions) =>
    orFlagError(() => configure(options, node), source.gateways && 'gateway'),
  )(clientOptions(source, dataKind))

const requiredNames = {
  prices: ['priceBaseUrl'],
  depth: ['baseUrl', 'authKey'],
  both: ['priceBaseUrl'],
} as const satisfies Record<DataKind, readonly DeploymentFlagName[]>

/** A client requires `priceBaseUrl` even if it requests only depth. */
const unusedPrices = { priceBaseUrl: 'https://prices.invalid', priceWsUrls: [] }

/** Values that the command does not need are ignored, so that they cannot cause errors. Left: the message for missing flags. */
export const clientOptions = (source: AddressSource, dataKind: DataKind): Either<string, ClientOptions> => {
  const { environment, allowInsecure, baseUrl, authKey, gateways } = source
  const missing = gateways ? [] : requiredNames[dataKind].filter((name) => source[name] === undefined)
  if (missing.length > 0) return left(missingFlagsText(missing))
  const { priceBaseUrl, priceWsUrls } = dataKind === 'depth' && !gateways ? unusedPrices : source
  const needsDepth = dataKind !== 'prices' && environment === 'mainnet'
  const access = authKey !== undefined ? { authKey } : gateways && { unsigned: true }
  return right({
    ...{ environment, allowInsecure, priceBaseUrl: priceBaseUrl ?? unusedPrices.priceBaseUrl },
    ...(priceWsUrls.length === 0 ? {} : { priceWsUrl: priceWsUrls }),
    // With several addresses, one connection stands by.
    lines: source.lines ?? (priceWsUrls.length > 1 ? 2 : 1),
    ...(needsDepth && baseUrl !== undefined && access !== undefined ? { baseUrl, ...access } : {}),
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

/** The result of `work`. Left: the message of its `ConfigurationError`, which names flags. Any other exception is thrown. */
export const orFlagError = <A>(work: () => A, server?: ServerFlagName): Either<string, A> =>
  tryCatch(work, (thrown) => {
    if (thrown instanceof ConfigurationError) return flagErrorText(thrown, server)
    throw thrown
  })

/** The message of a `ConfigurationError` with the flag instead of the option. `server`: the flag that gives all addresses. */
export const flagErrorText = ({ option, message }: ConfigurationError, server?: ServerFlagName): string => {
  const isAddress = option === 'servers' || addressNames.some((name) => name === option)
  const name = server !== undefined && isAddress ? server : option
  const flag = isDeploymentFlag(name) ? withVariable(deploymentFlags[name]) : flagName(name)
  return `${flag}: ${message.slice(`${option}: `.length).replace('set allowInsecure', 'set --allow-insecure')}`
}

const isDeploymentFlag = (option: string): option is DeploymentFlagName =>
  Object.hasOwn(deploymentFlags, option)
