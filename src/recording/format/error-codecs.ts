import * as t from 'io-ts/lib/index.js'
import type { AnyError, DepthError, PriceError, UncorrelatedError } from '../../errors/model.js'
import { AnyNumber, Finite, RecordedPrice } from './value-codecs.js'

// Codecs of the library's errors in a recording.

const optional = <A, O>(codec: t.Type<A, O>): t.Type<A | undefined, O | undefined> =>
  t.union([codec, t.undefined], `${codec.name}, or nothing`)

const issue = t.strict({ path: t.string, expected: t.string, actual: t.string })
const cause = t.strict({ name: t.string, message: t.string, code: optional(t.string) })

const tagged = <Tag extends AnyError['_tag'], P extends t.Props>(tag: Tag, fields: P) =>
  t.strict({ _tag: t.literal(tag), message: t.string, ...fields }, `an error ${tag}`)

const InvalidTopicValue = tagged('InvalidTopic', { topic: t.string })
const InvalidMintValue = tagged('InvalidMint', { mint: t.string })
const InvalidIntervalValue = tagged('InvalidInterval', { interval: AnyNumber })
const SubscriptionRejectedValue = tagged('SubscriptionRejected', { topic: t.string, reason: t.string })
const SubscriptionTimeoutValue = tagged('SubscriptionTimeout', {
  topic: t.string,
  afterMs: Finite,
  recent: t.readonlyArray(t.string),
})
const DisconnectedValue = tagged('Disconnected', {
  code: Finite,
  reason: t.string,
  attempt: Finite,
  retryInMs: Finite,
})
const StaleValue = tagged('Stale', {
  topic: t.string,
  silentForMs: Finite,
  last: optional(RecordedPrice),
  behindMs: optional(Finite),
})
const DecodeErrorValue = tagged('DecodeError', { input: t.string, issues: t.readonlyArray(issue) })
const UnsupportedPairValue = tagged('UnsupportedPair', {
  base: optional(t.string),
  quote: optional(t.string),
  body: t.string,
})
const UnauthorizedValue = tagged('Unauthorized', { body: t.string })
const HttpErrorValue = tagged('HttpError', { status: Finite, body: t.string, retryAfterMs: optional(Finite) })
const NetworkErrorValue = tagged('NetworkError', { cause })
const TimeoutValue = tagged('Timeout', { afterMs: Finite })
const ClientClosedValue = tagged('ClientClosed', {})

export const PriceErrorValue: t.Type<PriceError, unknown> = t.union(
  [
    InvalidTopicValue,
    SubscriptionRejectedValue,
    SubscriptionTimeoutValue,
    DisconnectedValue,
    StaleValue,
    DecodeErrorValue,
    ClientClosedValue,
  ],
  'an error of a price',
)

export const DepthErrorValue: t.Type<DepthError, unknown> = t.union(
  [
    InvalidMintValue,
    InvalidIntervalValue,
    DecodeErrorValue,
    UnsupportedPairValue,
    UnauthorizedValue,
    HttpErrorValue,
    NetworkErrorValue,
    TimeoutValue,
    ClientClosedValue,
  ],
  'an error of a depth',
)

export const UncorrelatedErrorValue: t.Type<UncorrelatedError, unknown> = tagged('UncorrelatedError', {
  kind: t.keyof({ 'error-text': null, malformed: null, 'unknown-topic': null, binary: null }),
  input: t.string,
})
