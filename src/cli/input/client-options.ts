import { left, map, right, type Either } from 'fp-ts/lib/Either.js'
import type { ClientOptions, DepthClientOptions, UnsignedClientOptions } from '../../client/options.js'
import { deploymentFlags, type DeploymentFlags, type DeploymentFlagName } from './deployment-flags.js'
import { gatewayClientOptions } from './gateway-client-options.js'

/** The data that a command requests. With `both`, prices are required and depth is optional. */
export type DataKind = 'prices' | 'depth' | 'both'

const requiredFlags: Readonly<Record<DataKind, readonly DeploymentFlagName[]>> = {
  prices: ['priceBaseUrl'],
  depth: ['baseUrl', 'authKey'],
  both: ['priceBaseUrl'],
}

/** A client requires `priceBaseUrl` even if it requests only depth. */
const unusedPriceBaseUrl = 'https://prices.invalid'

/**
 * The client options of the flags. A gateway precedes the addresses of the service. Flags that the command does not need
 * are ignored, so that they cannot cause errors. Left: the message for missing flags, or for an invalid address of a
 * gateway.
 */
export const clientOptions = (flags: DeploymentFlags, dataKind: DataKind): Either<string, ClientOptions> => {
  const { environment, allowInsecure = false } = flags
  const needsDepth = dataKind !== 'prices' && environment === 'mainnet'
  const gateway = nonEmpty(flags.gateway)
  const options =
    gateway === undefined
      ? serviceOptions(flags, dataKind, needsDepth)
      : gatewayClientOptions({ gateway, authKey: nonEmpty(flags.authKey), needsDepth, allowInsecure })
  return map((addresses: Addresses) => ({
    environment,
    ...(allowInsecure ? { allowInsecure } : {}),
    ...addresses,
  }))(options)
}

export const hasDepth = (options: ClientOptions): options is DepthClientOptions | UnsignedClientOptions =>
  options.environment === 'mainnet' &&
  options.baseUrl !== undefined &&
  (options.authKey !== undefined || options.unsigned === true)

type Addresses = Omit<ClientOptions, 'environment'>

const serviceOptions = (
  flags: DeploymentFlags,
  dataKind: DataKind,
  needsDepth: boolean,
): Either<string, Addresses> => {
  const missing = requiredFlags[dataKind].filter((name) => nonEmpty(flags[name]) === undefined)
  if (missing.length > 0) return left(missingFlagsText(missing))
  return right({
    ...(dataKind === 'depth' ? { priceBaseUrl: unusedPriceBaseUrl } : priceAddresses(flags)),
    ...(needsDepth ? relayerAccess(flags) : {}),
  })
}

/** An empty environment variable counts as not set. */
const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text)

const priceAddresses = (flags: DeploymentFlags): Pick<ClientOptions, 'priceBaseUrl' | 'priceWsUrl'> => {
  const priceWsUrl = nonEmpty(flags.priceWsUrl)
  return { priceBaseUrl: flags.priceBaseUrl, ...(priceWsUrl === undefined ? {} : { priceWsUrl }) }
}

/** Both options or none: each is useless without the other. */
const relayerAccess = (flags: DeploymentFlags): Pick<ClientOptions, 'baseUrl' | 'authKey'> => {
  const baseUrl = nonEmpty(flags.baseUrl)
  const authKey = nonEmpty(flags.authKey)
  return baseUrl === undefined || authKey === undefined ? {} : { baseUrl, authKey }
}

const missingFlagsText = (missing: readonly DeploymentFlagName[]): string =>
  [
    'the service is not configured. Set by flag or by environment variable:',
    ...missing.map((name) => {
      const { flag, variable, meaning } = deploymentFlags[name]
      return `  ${flag.padEnd(16)}  ${variable.padEnd(18)}  ${meaning}`
    }),
    'To use a gateway instead, set --gateway (SVC_GATEWAY), or --nats (SVC_NATS).',
    'To try the command without a service, add --simulate, or run svc-streams simulate and paste its output.',
  ].join('\n')
