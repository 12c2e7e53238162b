import fc from 'fast-check'
import type { AnyError, DepthError, PriceError } from '../../../../src/base/errors/model.js'
import { errors } from '../../../base/errors/support/arbitraries.js'

/** One of the errors with these tags. A new member of the union does not compile without its tag. */
const errorOf = <E extends AnyError>(tags: Readonly<Record<E['_tag'], true>>): fc.Arbitrary<E> =>
  fc.oneof(...(Object.keys(tags) as E['_tag'][]).map((tag) => errors[tag])) as fc.Arbitrary<E>

export const priceError = errorOf<PriceError>({
  InvalidTopic: true,
  SubscriptionRejected: true,
  SubscriptionTimeout: true,
  Disconnected: true,
  Stale: true,
  DecodeError: true,
  ClientClosed: true,
})

/** Intervals that JSON does not have. NaN is read as NaN too. */
const otherIntervals = [-0, Infinity, -Infinity]

export const depthError = errorOf<DepthError>({
  InvalidMint: true,
  InvalidInterval: true,
  DecodeError: true,
  UnsupportedPair: true,
  Unauthorized: true,
  HttpError: true,
  NetworkError: true,
  Timeout: true,
  ClientClosed: true,
}).filter(
  (error) =>
    error._tag !== 'InvalidInterval' || !otherIntervals.some((other) => Object.is(other, error.interval)),
)
