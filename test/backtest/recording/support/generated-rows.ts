import { unitOfTime } from '../../../../src/backtest/recording/codec/times.js'
import fc from 'fast-check'
import { left, right } from 'fp-ts/lib/Either.js'
import type { UncorrelatedError } from '../../../../src/base/errors/model.js'
import type { Row } from '../../../../src/backtest/recording/codec/row.js'
import { errors } from '../../../base/errors/support/arbitraries.js'
import { address, priceValue, quantity, topic } from '../../../support/arbitraries.js'
import { depthError, priceError } from './errors.js'

export const plain = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true })

/** A time of a row, in ms since the Unix epoch. */
export const at = fc.integer({ min: 0, max: 2 ** 45 }).filter((time) => unitOfTime(time) === undefined)
const usd = fc.double({ min: 0, max: 1e12, noNaN: true }).map((value) => value + 0)
export const price = plain({ topic, price: priceValue, receivedAt: at, epoch: fc.nat() })
const side = plain({ totalQuantity: quantity, totalQuantityUsd: usd })
export const depth = plain({
  mint: address,
  price: priceValue,
  timestamp: at,
  buy: side,
  sell: side,
  receivedAt: at,
})

const status = fc.oneof(
  fc.constant({ _tag: 'Idle' } as const),
  fc.constant({ _tag: 'Closed' } as const),
  plain({ _tag: fc.constant('Connecting' as const), attempt: fc.nat() }),
  plain({ _tag: fc.constant('Open' as const), epoch: fc.nat(), since: at }),
  plain({ _tag: fc.constant('Open' as const), epoch: fc.nat(), since: at, behindMs: fc.nat() }),
  plain({
    _tag: fc.constant('Waiting' as const),
    attempt: fc.nat(),
    retryInMs: fc.nat(),
    reason: fc.string({ unit: 'binary' }),
  }),
)

export const position = plain({
  run: fc.stringMatching(/^[\w-]{1,64}$/),
  count: fc.integer({ min: 0, max: 2 ** 52 }),
})

/** Any row. */
export const row: fc.Arbitrary<Row> = fc.oneof(
  plain({
    _tag: fc.constant('Price' as const),
    at,
    topic,
    event: price.map((value) => right(value)),
    position,
  }),
  plain({
    _tag: fc.constant('Price' as const),
    at,
    topic,
    event: fc.oneof(
      price.map((value) => right(value)),
      priceError.map((error) => left(error)),
    ),
  }),
  plain({
    _tag: fc.constant('Depth' as const),
    at,
    mint: address,
    event: fc.oneof(
      depth.map((value) => right(value)),
      depthError.map((error) => left(error)),
    ),
  }),
  plain({ _tag: fc.constant('End' as const), at, of: fc.oneof(topic, address) }),
  plain({ _tag: fc.constant('Status' as const), at, status }),
  plain({
    _tag: fc.constant('Uncorrelated' as const),
    at,
    error: errors.UncorrelatedError as fc.Arbitrary<UncorrelatedError>,
  }),
)
