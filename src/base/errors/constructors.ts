import { assertNever } from '../domain/assert-never.js'
import type { Price } from '../domain/price.js'
import { causeOf, isTagged } from './failure-cause.js'
import type {
  ClientClosed,
  DecodeError,
  DecodeIssue,
  Disconnected,
  HttpError,
  InvalidInterval,
  InvalidMint,
  InvalidTopic,
  NetworkError,
  NotFresh,
  Stale,
  SubscriptionRejected,
  SubscriptionTimeout,
  Timeout,
  Unauthorized,
  UncorrelatedError,
  UnsupportedPair,
} from './model.js'
import { renderIssue } from './render.js'
import { asNumber, asText, behindText, oneLine, describeValue, truncate } from './text.js'

export const invalidTopic = (topic: unknown, service: string): InvalidTopic => ({
  _tag: 'InvalidTopic',
  message: `expected a topic like ${service}-0x82af…, got ${describeValue(topic)}`,
  topic: asText(topic),
})

export const invalidMint = (mint: unknown): InvalidMint => ({
  _tag: 'InvalidMint',
  message: `expected a token address like 0x82af…, got ${describeValue(mint)}`,
  mint: asText(mint),
})

export const invalidInterval = (interval: number): InvalidInterval => ({
  _tag: 'InvalidInterval',
  message: `expected a finite interval of at least 1 ms, got ${describeValue(interval)}`,
  interval: asNumber(interval),
})

export const subscriptionRejected = (topic: string, reason: string): SubscriptionRejected => ({
  _tag: 'SubscriptionRejected',
  message: `${topic}: rejected by the service: ${oneLine(reason)}`,
  topic,
  reason,
})

export const subscriptionTimeout = (
  topic: string,
  afterMs: number,
  recent: readonly string[],
): SubscriptionTimeout => ({
  _tag: 'SubscriptionTimeout',
  message:
    `${topic}: neither confirmed nor rejected within ${afterMs} ms; subscribing again` +
    (recent.length === 0 ? '' : `; uncorrelated error texts: ${oneLine(recent.join(' | '))}`),
  topic,
  afterMs,
  recent,
})

export const disconnected = (fields: Omit<Disconnected, '_tag' | 'message'>): Disconnected => ({
  _tag: 'Disconnected',
  message:
    `connection down (${fields.code}${fields.reason === '' ? '' : `: ${oneLine(fields.reason)}`}); ` +
    `attempt ${fields.attempt + 1} in ${fields.retryInMs} ms`,
  ...fields,
})

/** `behindMs`: upper bound of the age of the prices that arrive, if that is the reason; otherwise no price arrived. */
export const stale = (
  topic: string,
  silentForMs: number,
  last: Price | undefined,
  behindMs?: number,
): Stale => ({
  _tag: 'Stale',
  message:
    (behindMs === undefined
      ? `${topic}: no price for ${silentForMs} ms; `
      : `${topic}: the prices may be ${behindText(behindMs)}; `) +
    (last === undefined ? 'none on this connection yet' : `the last price was ${last.price}`),
  topic,
  silentForMs,
  last,
  behindMs,
})

/** `hasMore`: true if there are more issues than these. */
export const decodeError = (
  what: string,
  input: string,
  issues: readonly DecodeIssue[],
  hasMore = false,
): DecodeError => ({
  _tag: 'DecodeError',
  message: `${what}: ${issues.map(renderIssue).join('; ')}${hasMore ? '; and more' : ''}`,
  input: truncate(input),
  issues,
})

export const unsupportedPair = (
  base: string | undefined,
  quote: string | undefined,
  body: string,
): UnsupportedPair => ({
  _tag: 'UnsupportedPair',
  message:
    base === undefined || quote === undefined
      ? `the service does not support this pair: ${oneLine(body)}`
      : `the service does not support the pair ${oneLine(base)} / ${oneLine(quote)}`,
  base,
  quote,
  body,
})

export const unauthorized = (body: string): Unauthorized => ({
  _tag: 'Unauthorized',
  message: `the service rejected the signature (401: ${oneLine(body)}); check the auth key`,
  body,
})

export const httpError = (status: number, body: string, retryAfterMs: number | undefined): HttpError => ({
  _tag: 'HttpError',
  message:
    `status ${status}${body === '' ? '' : `: ${oneLine(body)}`}` +
    (retryAfterMs === undefined ? '' : `; retry after ${retryAfterMs} ms`),
  status,
  body,
  retryAfterMs,
})

export const networkError = (thrown: unknown): NetworkError => {
  const cause = causeOf(thrown)
  return { _tag: 'NetworkError', message: `no response: ${cause.message}`, cause }
}

export const timeout = (afterMs: number): Timeout => ({
  _tag: 'Timeout',
  message: `no complete response within ${afterMs} ms`,
  afterMs,
})

export const clientClosed: ClientClosed = { _tag: 'ClientClosed', message: 'the client was closed' }

export const uncorrelatedError = (kind: UncorrelatedError['kind'], input: string): UncorrelatedError => ({
  _tag: 'UncorrelatedError',
  message: `${kind} that belongs to no topic: ${oneLine(input)}`,
  kind,
  input: truncate(input),
})

/** Why a leg is not current, with the fields of the reason. */
export type LegFault = WithoutLeg<NotFresh>

type WithoutLeg<N> = N extends unknown ? Omit<N, '_tag' | 'message' | 'leg'> : never

export const notFresh = (leg: string, fault: LegFault): NotFresh => ({
  _tag: 'NotFresh',
  message: `leg ${oneLine(leg)}: ${describeFault(fault)}`,
  leg,
  ...fault,
})

const describeFault = (fault: LegFault): string => {
  switch (fault.why) {
    case 'missing':
      return 'no value yet'
    case 'left':
      return isTagged(fault.error)
        ? oneLine(`${fault.error._tag}: ${fault.error.message}`)
        : 'its last value is a Left'
    case 'skew':
      return `${fault.skewMs} ms older than the newest leg`
    case 'age':
      return `${fault.ageMs} ms old`
    default:
      return assertNever(fault)
  }
}
