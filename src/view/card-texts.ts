import type { DepthError, PriceError } from '../base/errors/model.js'
import { oneLine } from '../base/errors/text.js'
import { shortAddresses } from './texts.js'
import type { TokenState } from './token-state.js'

/** Why the price of a card is not current; empty if it is. */
export const priceReason = ({ state, price, priceError }: TokenState): string => {
  if (state === 'live') return ''
  if (state === 'down') return 'the connection is down'
  if (priceError !== undefined) return errorReason(priceError)
  return price === undefined ? 'waiting for the first price' : 'waiting for a new price'
}

const errorReason = (error: PriceError): string => {
  if (error._tag === 'SubscriptionRejected') return shortAddresses(oneLine(error.reason))
  if (error._tag === 'Stale' && error.behindMs !== undefined) return 'the prices are behind'
  return priceReasons[error._tag]
}

const priceReasons = {
  Stale: 'the service sends no price',
  Disconnected: 'the connection was lost',
  ClientClosed: 'the connection was lost',
  InvalidTopic: 'the address is not valid',
  SubscriptionTimeout: 'the service has not answered',
  DecodeError: 'the last message is not readable',
} as const

/** Why there is no depth, in place of its value. */
export const depthReason = (error: DepthError): string =>
  error._tag === 'HttpError' ? `HTTP ${error.status}` : depthReasons[error._tag]

const depthReasons = {
  NetworkError: 'no connection',
  Timeout: 'no answer',
  Unauthorized: 'not authorized',
  UnsupportedPair: 'not supported',
  DecodeError: 'not readable',
  InvalidMint: 'invalid address',
  InvalidInterval: 'invalid interval',
  ClientClosed: 'closed',
} as const

/** The change of a price over the time of the chart: `+0.12 %`, `-0.12 %`, `0.00 %`. */
export const changeOf = (
  percent: number,
): { readonly direction: 'up' | 'down' | 'flat'; readonly text: string } => {
  const size = Math.abs(percent) < 1e4 ? Math.abs(percent).toFixed(2) : Math.abs(percent).toExponential(1)
  if (Number(size) === 0) return { direction: 'flat', text: `${size} %` }
  return percent > 0 ? { direction: 'up', text: `+${size} %` } : { direction: 'down', text: `-${size} %` }
}

/** The time of a change, rounded down: `in 20 s`, `in 5 min`, `in 1 h`. `ms`: its duration. */
export const spanText = (ms: number): string => {
  if (ms < 60_000) return `in ${Math.floor(ms / 1000)} s`
  const minutes = Math.floor(ms / 60_000)
  return minutes < 120 && minutes !== 60 ? `in ${minutes} min` : `in ${Math.floor(minutes / 60)} h`
}

/** Stands for a value that is not known. */
export const unknown = '\u2013'

/** `0 ms`, `250 ms`, `5.2 s`. `ms`: the lag of a price. */
export const lagText = (ms: number | undefined): string => {
  if (ms === undefined) return unknown
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}
