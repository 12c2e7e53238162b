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

const InvalidTopic = tagged('InvalidTopic', { topic: t.string })
const InvalidMint = tagged('InvalidMint', { mint: t.string })
const InvalidInterval = tagged('InvalidInterval', { interval: AnyNumber })
const SubscriptionRejected = tagged('SubscriptionRejected', { topic: t.string, reason: t.string })
const SubscriptionTimeout = tagged('SubscriptionTimeout', {
  topic: t.string,
  afterMs: Finite,
  recent: t.readonlyArray(t.string),
})
const Disconnected = tagged('Disconnected', {
  code: Finite,
  reason: t.string,
  attempt: Finite,
  retryInMs: Finite,
})
const Stale = tagged('Stale', { topic: t.string, silentForMs: Finite, last: optional(RecordedPrice) })
const DecodeError = tagged('DecodeError', { input: t.string, issues: t.readonlyArray(issue) })
const UnsupportedPair = tagged('UnsupportedPair', {
  base: optional(t.string),
  quote: optional(t.string),
  body: t.string,
})
const Unauthorized = tagged('Unauthorized', { body: t.string })
const HttpError = tagged('HttpError', { status: Finite, body: t.string, retryAfterMs: optional(Finite) })
const NetworkError = tagged('NetworkError', { cause })
const Timeout = tagged('Timeout', { afterMs: Finite })
const ClientClosed = tagged('ClientClosed', {})

export const PriceErrorValue: t.Type<PriceError, unknown> = t.union(
  [InvalidTopic, SubscriptionRejected, SubscriptionTimeout, Disconnected, Stale, DecodeError, ClientClosed],
  'an error of a price',
)

export const DepthErrorValue: t.Type<DepthError, unknown> = t.union(
  [
    InvalidMint,
    InvalidInterval,
    DecodeError,
    UnsupportedPair,
    Unauthorized,
    HttpError,
    NetworkError,
    Timeout,
    ClientClosed,
  ],
  'an error of a depth',
)

export const UncorrelatedErrorValue: t.Type<UncorrelatedError, unknown> = tagged('UncorrelatedError', {
  kind: t.keyof({ 'error-text': null, malformed: null, 'unknown-topic': null, binary: null }),
  input: t.string,
})
