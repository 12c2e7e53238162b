import type { Behind } from '../../display/connection.js'
import type { DisplayToken } from '../../display/token-state.js'
import { isAddress } from '../../../base/domain/address.js'
import { isDecimals } from '../../../base/domain/valid-numbers.js'
import type { Environment } from '../../../base/domain/environment.js'
import type { ConnectionStatus } from '../../../base/domain/status.js'
import type { ChartData, PastPrices } from './samples.js'

// The data that the server sends to the page, as JSON: its configuration, the state of its connection to the service,
// and the past.

/** The configuration of the page, as its server sends it in JSON. */
export interface PageConfig {
  /** Name of the service: the prefix of the topics. */
  readonly service: string
  readonly environment: Environment
  /** The source of the prices, for people: `simulator`, a host, or a file. */
  readonly source: string
  /** What the prices are: the environment, or `SIMULATED` or `RECORDED`. */
  readonly label: string
  readonly tokens: readonly DisplayToken[]
  /** Interval of the depth polls, in ms; `null` without depth. */
  readonly depthInterval: number | null
  /** Time without a price after which a token is stale, in ms. */
  readonly staleAfter: number
}

export interface ServedPageConfig extends PageConfig {
  /** Equal for equal files and configurations: an open page of another server is out of date. */
  readonly pageId: string
}

/** True for a configuration of this version. A server of another version may answer after an update. */
export const isPageConfig = (value: unknown): value is ServedPageConfig => {
  if (!isRecord(value)) return false
  const { service, environment, source, label, tokens, depthInterval, staleAfter, pageId } = value
  return (
    typeof service === 'string' &&
    (environment === 'mainnet' || environment === 'testnet') &&
    typeof source === 'string' &&
    typeof label === 'string' &&
    Array.isArray(tokens) &&
    tokens.every(isDisplayToken) &&
    (depthInterval === null || typeof depthInterval === 'number') &&
    typeof staleAfter === 'number' &&
    typeof pageId === 'string'
  )
}

const isDisplayToken = (value: unknown): boolean =>
  isRecord(value) &&
  isAddress(value['address']) &&
  typeof value['symbol'] === 'string' &&
  (value['decimals'] === null || isDecimals(value['decimals']))

export interface ServiceStatus {
  readonly isUp: boolean
  /** Why the connection is down; empty if it is up. */
  readonly reason: string
  /**
   * `undefined` unless the prices of the connection may be too old, and are held. `ms`: the upper bound of their age when
   * that began; `since`: monotonic, in ms.
   */
  readonly behind?: { readonly ms: number; readonly since: number } | undefined
}

/** The status as the server sends it to the page in JSON. */
export interface ServedStatus extends Omit<ServiceStatus, 'behind'> {
  readonly behind?: Behind | undefined
  /** As in the configuration. */
  readonly pageId: string
}

/** `now`: monotonic, in ms. */
export const servedStatus = (
  { isUp, reason, behind }: ServiceStatus,
  now: number,
  pageId: string,
): ServedStatus => ({
  isUp,
  reason,
  behind: behind === undefined ? undefined : { ms: behind.ms, forMs: now - behind.since },
  pageId,
})

/** True for the status of this version. */
export const isServedStatus = (value: unknown): value is ServedStatus =>
  isRecord(value) &&
  typeof value['isUp'] === 'boolean' &&
  typeof value['reason'] === 'string' &&
  (value['behind'] === undefined || isBehind(value['behind'])) &&
  typeof value['pageId'] === 'string'

const isBehind = (value: unknown): boolean =>
  isRecord(value) && typeof value['ms'] === 'number' && typeof value['forMs'] === 'number'

/**
 * The status after a status of the client, at a monotonic time in ms. A client that connects again keeps the reason.
 * `closedReason`: for a client that is closed, such as that of a recording at its end.
 */
export const nextServiceStatus = (
  before: ServiceStatus,
  status: ConnectionStatus,
  at: number,
  closedReason: string,
): ServiceStatus => {
  switch (status._tag) {
    case 'Waiting':
      return { isUp: false, reason: status.reason }
    case 'Closed':
      return { isUp: false, reason: closedReason }
    case 'Connecting':
      return status.attempt > 1 ? { ...before, isUp: false } : before
    case 'Idle':
      return { isUp: true, reason: '' }
    case 'Open': {
      const { behindMs: ms } = status
      const since = before.behind?.since ?? at
      return { isUp: true, reason: '', behind: ms === undefined ? undefined : { ms, since } }
    }
  }
}

/** The past prices of each token, by its address in lower case. */
export type ServedPast = Readonly<Record<string, PastPrices>>

/** True for a past of this version. */
export const isServedPast = (value: unknown): value is ServedPast =>
  isRecord(value) &&
  Object.values(value).every((past) => Array.isArray(past) && past.length === 2 && past.every(isChartData))

const isChartData = (value: unknown): value is ChartData => {
  if (!isRecord(value)) return false
  const { times, prices } = value
  return (
    Array.isArray(times) &&
    Array.isArray(prices) &&
    times.length === prices.length &&
    times.every((time) => typeof time === 'number') &&
    prices.every((price) => price === null || typeof price === 'number')
  )
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
