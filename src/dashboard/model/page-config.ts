import { isAddress, type Address } from '../../domain/address.js'
import { isDecimals } from '../../domain/valid-numbers.js'
import type { Environment } from '../../domain/environment.js'

/** A token that the page shows. */
export interface PageToken {
  readonly address: Address
  /** The symbol, or the abbreviated address of a token without one. */
  readonly symbol: string
  /** `null` if unknown: quantities are then not converted to tokens. */
  readonly decimals: number | null
}

/** The configuration of the page, as its server sends it in JSON. */
export interface PageConfig {
  /** Name of the service: the prefix of the topics. */
  readonly service: string
  readonly environment: Environment
  /** The source of the prices, for people: `simulator`, a host, or a file. */
  readonly source: string
  readonly tokens: readonly PageToken[]
  /** Interval of the depth polls, in ms; `null` without depth. */
  readonly depthInterval: number | null
  /** Time without a price after which a token is stale, in ms. */
  readonly staleAfter: number
}

/** The configuration as the server sends it. */
export interface ServedPageConfig extends PageConfig {
  /** Equal for equal files and configurations: an open page of another server is out of date. */
  readonly pageId: string
}

/** True for a configuration of this version. A server of another version may answer after an update. */
export const isPageConfig = (value: unknown): value is ServedPageConfig => {
  if (!isRecord(value)) return false
  const { service, environment, source, tokens, depthInterval, staleAfter, pageId } = value
  return (
    typeof service === 'string' &&
    (environment === 'mainnet' || environment === 'testnet') &&
    typeof source === 'string' &&
    Array.isArray(tokens) &&
    tokens.every(isPageToken) &&
    (depthInterval === null || typeof depthInterval === 'number') &&
    typeof staleAfter === 'number' &&
    typeof pageId === 'string'
  )
}

const isPageToken = (value: unknown): boolean =>
  isRecord(value) &&
  isAddress(value['address']) &&
  typeof value['symbol'] === 'string' &&
  (value['decimals'] === null || isDecimals(value['decimals']))

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
