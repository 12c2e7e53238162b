import fc from 'fast-check'
import type { Price } from '../../../../src/base/domain/price.js'
import {
  clientClosed,
  decodeError,
  disconnected,
  httpError,
  invalidInterval,
  invalidMint,
  invalidTopic,
  networkError,
  notFresh,
  stale,
  subscriptionRejected,
  subscriptionTimeout,
  timeout,
  unauthorized,
  uncorrelatedError,
  unsupportedPair,
} from '../../../../src/base/errors/constructors.js'
import {
  invalidRange,
  recordingError,
  unknownTopic,
  writeError,
} from '../../../../src/backtest/recording/codec/errors.js'
import type { AnyError, HistoryError, WriteError } from '../../../../src/base/errors/model.js'
import { describeValue } from '../../../../src/base/errors/text.js'
import { anyText, priceValue, service, topic } from '../../../support/arbitraries.js'

const ms = fc.integer({ min: 0, max: 1_000_000 })
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

const price: fc.Arbitrary<Price> = fc.record(
  { topic, price: priceValue, receivedAt: ms, epoch: fc.nat() },
  { noNullPrototype: true },
)

const thrown = fc.oneof(
  anyText,
  anyText.map((text) => new Error(text)),
  fc
    .tuple(anyText, anyText, fc.oneof(anyText, fc.integer(), fc.constant(undefined)))
    .map(([text, name, code]) => Object.assign(new TypeError(text), { name, code })),
  fc.constant(new AggregateError([new Error('a'), new Error('b')])),
  fc.constant(new DOMException('aborted', 'AbortError')),
  fc.anything(),
)

type EachError = AnyError | HistoryError | WriteError

/** Every constructor, over all that the world may hand to it. */
export const errors: Readonly<Record<EachError['_tag'], fc.Arbitrary<EachError>>> = {
  InvalidTopic: fc
    .tuple(fc.oneof(anyText, fc.anything()), service)
    .map(([text, name]) => invalidTopic(text, name)),
  InvalidMint: fc.oneof(anyText, fc.anything()).map((text) => invalidMint(text)),
  InvalidInterval: fc
    .oneof(fc.double(), fc.anything(), fc.bigInt(), anyText)
    .map((interval) => invalidInterval(interval as number)),
  SubscriptionRejected: fc.tuple(topic, anyText).map(([name, reason]) => subscriptionRejected(name, reason)),
  SubscriptionTimeout: fc
    .tuple(topic, ms, fc.array(anyText))
    .map(([name, afterMs, recent]) => subscriptionTimeout(name, afterMs, recent)),
  Disconnected: fc
    .record({ code: fc.integer({ min: 1000, max: 4999 }), reason: anyText, attempt: fc.nat(), retryInMs: ms })
    .map((down) => disconnected(down)),
  Stale: fc
    .tuple(topic, ms, maybe(price), maybe(ms))
    .map(([name, silentForMs, last, behindMs]) => stale(name, silentForMs, last, behindMs)),
  DecodeError: anyText.map((input) =>
    decodeError('frame', input, [{ path: 'price', expected: 'a number', actual: 'null' }]),
  ),
  UnsupportedPair: fc
    .tuple(maybe(anyText), maybe(anyText), anyText)
    .map(([base, quote, body]) => unsupportedPair(base, quote, body)),
  Unauthorized: anyText.map((body) => unauthorized(body)),
  HttpError: fc
    .tuple(fc.integer({ min: 100, max: 599 }), anyText, maybe(ms))
    .map(([status, body, retryAfterMs]) => httpError(status, body, retryAfterMs)),
  NetworkError: thrown.map((error) => networkError(error)),
  Timeout: ms.map((afterMs) => timeout(afterMs)),
  ClientClosed: fc.constant(clientClosed),
  UncorrelatedError: fc
    .tuple(fc.constantFrom('error-text', 'malformed', 'unknown-topic', 'binary'), anyText)
    .map(([kind, input]) => uncorrelatedError(kind, input)),
  RecordingError: fc
    .tuple(fc.nat(), anyText)
    .map(([line, input]) =>
      recordingError('market.ndjson', line, input, [{ path: 'at', expected: 'a number', actual: 'nothing' }]),
    ),
  InvalidRange: fc
    .tuple(ms, ms, anyText)
    .map(([from, to, value]) => invalidRange(`from: expected a time, got ${describeValue(value)}`, from, to)),
  UnknownTopic: topic.map((name) => unknownTopic(name)),
  WriteError: thrown.map((error) => writeError(error)),
  NotFresh: fc
    .tuple(
      anyText,
      fc.oneof(
        fc.constant({ why: 'missing' } as const),
        ms.map((skewMs) => ({ why: 'skew', skewMs }) as const),
        ms.map((ageMs) => ({ why: 'age', ageMs }) as const),
        anyText.map((message) => ({ why: 'left', error: { _tag: 'Own', message } }) as const),
        anyText.map((error) => ({ why: 'left', error }) as const),
        fc.constant({ why: 'left', error: { _tag: 1, message: 2 } } as const),
      ),
    )
    .map(([leg, fault]) => notFresh(leg, fault)),
}
