import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { Depth } from '../domain/depth.js'
import type { Price } from '../domain/price.js'
import type { DepthError, PriceError } from '../errors/model.js'
import { rxClock } from '../time/rx-clock.js'

// Events with the time of their emission, as a live client emits them.

export const stampPrice = (event: Either<PriceError, Price>): Either<PriceError, Price> =>
  isLeft(event) ? left(stampLast(event.left)) : right(receivedAt(event.right, rxClock.wallClock()))

export const stampDepth = (event: Either<DepthError, Depth>): Either<DepthError, Depth> =>
  isLeft(event) ? event : right(receivedAt(event.right, rxClock.wallClock()))

/** The last price of a `Stale` was received when its silence began. */
const stampLast = (error: PriceError): PriceError =>
  error._tag === 'Stale' && error.last !== undefined
    ? { ...error, last: receivedAt(error.last, rxClock.wallClock() - error.silentForMs) }
    : error

const receivedAt = <A extends Price | Depth>(value: A, ms: number): A => ({ ...value, receivedAt: ms })
