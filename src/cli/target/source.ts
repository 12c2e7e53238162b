import type { Command } from 'commander'
import { configure, type Configuration } from '../../client/configuration.js'
import type { ClientOptions } from '../../client/options.js'
import type { Environment } from '../../base/domain/environment.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { node } from '../../wire/platform/node.js'
import { usageError } from './parse-flags.js'
import {
  deploymentFlags,
  flagName,
  withVariable,
  type DeploymentFlagName,
  type ServerFlagName,
  type SourceValues,
} from './source-flags.js'

/** The source of data that the flags and the environment variables of a command select. An empty one is not set. */
export type Source =
  | AddressSource
  | { readonly _tag: 'Nats'; readonly environment: Environment; readonly servers: string }
  | { readonly _tag: 'Simulator'; readonly environment: Environment; readonly isDemo: boolean }
  | { readonly _tag: 'Recording'; readonly files: readonly string[]; readonly speed: number }

/** The addresses of a service, or those of gateways. */
export interface AddressSource {
  readonly _tag: 'Addresses'
  readonly environment: Environment
  readonly allowInsecure?: boolean | undefined
  readonly lines?: number | undefined
  /** Signs depth requests; without it, those to a gateway are sent unsigned. */
  readonly authKey?: string | undefined
  readonly baseUrl?: string | undefined
  readonly priceBaseUrl?: string | undefined
  readonly priceWsUrls: readonly string[]
  /** HTTP addresses, whose paths and queries are preserved. `undefined` for a service. */
  readonly gateways?: readonly [string, ...string[]]
}

const addressNames = ['baseUrl', 'priceBaseUrl', 'priceWsUrl'] as const

/**
 * A flag precedes all environment variables, and excludes the flags of other sources. Variables exclude nothing: SVC_NATS precedes
 * SVC_GATEWAY, and both precede the addresses of the service. `servers`: the flags that select a server.
 */
export const resolveSource = (
  command: Command,
  servers: readonly ServerFlagName[] = ['nats', 'gateway'],
): Source => {
  const flags = command.opts<SourceValues>()
  const { environment = 'mainnet', allowInsecure, lines, recording, speed = 1, simulate, demo } = flags
  const isGiven = (name: string): boolean => command.getOptionValueSource(name) === 'cli'
  const groups = [['recording'], ['demo', 'simulate'], ...servers.map((name) => [name]), addressNames]
  const [first, second] = groups.flatMap((names) => names.find(isGiven) ?? [])
  const hasOwnKey = recording !== undefined || simulate !== undefined
  const other = second ?? (hasOwnKey && isGiven('authKey') ? 'authKey' : undefined)
  if (first !== undefined && other !== undefined)
    return usageError(`${flagName(other)}: cannot be combined with ${flagName(first)}; remove one of them`)
  if (recording !== undefined) return { _tag: 'Recording', files: recording, speed }
  if (isGiven('speed')) return usageError('--speed: applies only to --recording; remove it')
  if (simulate !== undefined) return { _tag: 'Simulator', environment, isDemo: demo !== undefined }
  const server = addressNames.some(isGiven)
    ? undefined
    : (servers.find(isGiven) ?? servers.find((name) => nonEmpty(flags[name]) !== undefined))
  const url = server && nonEmpty(flags[server])
  if (server === 'nats' && url !== undefined) return { _tag: 'Nats', environment, servers: url }
  const access = { environment, allowInsecure, lines, authKey: nonEmpty(flags.authKey) }
  return {
    _tag: 'Addresses',
    ...access,
    ...(url === undefined ? serviceAddresses(flags) : gatewayAddresses(url)),
  }
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text)

const serviceAddresses = ({ baseUrl, priceBaseUrl, priceWsUrl }: SourceValues) => ({
  baseUrl: nonEmpty(baseUrl),
  priceBaseUrl: nonEmpty(priceBaseUrl),
  priceWsUrls: nonEmpty(priceWsUrl)?.split(',') ?? [],
})

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

export const configurationOf = (source: AddressSource, dataKind: DataKind): Configuration => {
  try {
    return configure(clientOptions(source, dataKind), node)
  } catch (thrown) {
    return failAsFlag(source.gateways && 'gateway')(thrown)
  }
}

const requiredNames = {
  prices: ['priceBaseUrl'],
  depth: ['baseUrl', 'authKey'],
  both: ['priceBaseUrl'],
} as const satisfies Record<DataKind, readonly DeploymentFlagName[]>

/** A client requires `priceBaseUrl` even if it requests only depth. */
const unusedPrices = { priceBaseUrl: 'https://prices.invalid', priceWsUrls: [] }

/** Values that the command does not need are ignored, so that they cannot cause errors. */
export const clientOptions = (source: AddressSource, dataKind: DataKind): ClientOptions => {
  const { environment, allowInsecure = false, baseUrl, authKey, gateways } = source
  const missing = gateways ? [] : requiredNames[dataKind].filter((name) => source[name] === undefined)
  if (missing.length > 0) return usageError(missingFlagsText(missing))
  const { priceBaseUrl, priceWsUrls } = dataKind === 'depth' && !gateways ? unusedPrices : source
  const needsDepth = dataKind !== 'prices' && environment === 'mainnet'
  const access = authKey !== undefined ? { authKey } : gateways && { unsigned: true }
  return {
    ...{ environment, allowInsecure, priceBaseUrl: priceBaseUrl ?? unusedPrices.priceBaseUrl },
    ...(priceWsUrls.length === 0 ? {} : { priceWsUrl: priceWsUrls }),
    // With several addresses, one connection stands by.
    lines: source.lines ?? (priceWsUrls.length > 1 ? 2 : 1),
    ...(needsDepth && baseUrl !== undefined && access !== undefined ? { baseUrl, ...access } : {}),
  }
}

const missingFlagsText = (missing: readonly DeploymentFlagName[]): string =>
  [
    'the service is not configured. Set by flag or by environment variable:',
    ...missing.map((name) => {
      const { long = '', envVar = '', description } = deploymentFlags[name]
      return `  ${long.padEnd(16)}  ${envVar.padEnd(18)}  ${description}`
    }),
    'To use a gateway instead, set --gateway (SVC_GATEWAY), or --nats (SVC_NATS).',
    'To try the command without a service, add --simulate, or run npx svc-streams simulate and paste its output.',
  ].join('\n')

/** Throws a usage error that names the flag for a `ConfigurationError`, and any other error as it is. */
export const failAsFlag =
  (server?: ServerFlagName) =>
  (thrown: unknown): never => {
    if (thrown instanceof ConfigurationError)
      return usageError(flagErrorText(thrown, flagOf(thrown.option, server)))
    throw thrown
  }

/** The message of a `ConfigurationError`, with flags instead of options. */
export const flagErrorText = (
  { option, problem, permittedBy }: ConfigurationError,
  flag = flagOf(option),
): string => [`${flag}: ${problem}`, ...permittedBy.map((each) => `set ${flagName(each)}`)].join(' or ')

/** `server`: the flag that gives all addresses. */
const flagOf = (option: string, server?: ServerFlagName): string => {
  const isAddress = option === 'servers' || addressNames.some((name) => name === option)
  const name = server !== undefined && isAddress ? server : option
  return isDeploymentFlag(name) ? withVariable(name) : flagName(name)
}

const isDeploymentFlag = (option: string): option is DeploymentFlagName =>
  Object.hasOwn(deploymentFlags, option)
