import { left, right, type Either } from 'fp-ts/lib/Either.js'
import type { ClientOptions, DepthClientOptions } from '../../client/options.js'
import { deploymentFlags, type DeploymentFlags, type DeploymentFlagName } from './deployment-flags.js'

/** What a command asks the service for. With `both`, prices must be there, and depth may. */
export type Wanted = 'prices' | 'depth' | 'both'

const needed: Readonly<Record<Wanted, readonly DeploymentFlagName[]>> = {
  prices: ['priceBaseUrl'],
  depth: ['baseUrl', 'authKey'],
  both: ['priceBaseUrl'],
}

/** A client must have an address for prices, whether or not it is ever asked for one. */
const nowhere = 'https://prices.invalid'

/**
 * The flags as the client's options: only what the command needs, so that nothing else can be wrong with it. Left: what
 * is missing, in words.
 */
export const clientOptions = (flags: DeploymentFlags, wanted: Wanted): Either<string, ClientOptions> => {
  const { environment, allowInsecure } = flags
  const missing = needed[wanted].filter((name) => given(flags[name]) === undefined)
  if (missing.length > 0) return left(describeMissing(missing))
  return right({
    environment,
    ...(allowInsecure === undefined ? {} : { allowInsecure }),
    ...(wanted === 'depth' ? { priceBaseUrl: nowhere } : pricePlaces(flags)),
    ...(wanted === 'prices' || environment !== 'mainnet' ? {} : depthPlaces(flags)),
  })
}

export const hasDepth = (options: ClientOptions): options is DepthClientOptions =>
  options.environment === 'mainnet' && options.baseUrl !== undefined && options.authKey !== undefined

/** An empty variable counts as one that is not set. */
const given = (text: string | undefined): string | undefined => (text === '' ? undefined : text)

const pricePlaces = (flags: DeploymentFlags): Pick<ClientOptions, 'priceBaseUrl' | 'priceWsUrl'> => {
  const priceWsUrl = given(flags.priceWsUrl)
  return { priceBaseUrl: flags.priceBaseUrl, ...(priceWsUrl === undefined ? {} : { priceWsUrl }) }
}

/** Both or none: one alone is of no use, and could only be wrong. */
const depthPlaces = (flags: DeploymentFlags): Pick<ClientOptions, 'baseUrl' | 'authKey'> => {
  const baseUrl = given(flags.baseUrl)
  const authKey = given(flags.authKey)
  return baseUrl === undefined || authKey === undefined ? {} : { baseUrl, authKey }
}

const describeMissing = (missing: readonly DeploymentFlagName[]): string =>
  [
    'where is the service? Set this, by flag or by environment variable:',
    ...missing.map((name) => {
      const { flag, variable, meaning } = deploymentFlags[name]
      return `  ${flag.padEnd(16)}  ${variable.padEnd(18)}  ${meaning}`
    }),
    'To try it without a service, add --simulate, or run svc-streams simulate and paste what it prints.',
  ].join('\n')
