import { right, type Either } from 'fp-ts/lib/Either.js'
import type { Gap, PastPrice } from '../../../src/base/domain/past.js'
import { a } from '../../support/time/marbles.js'

/** A past price. `at` is a frame of virtual time. */
export const pastPrice = (at: number, price: number): Either<never, PastPrice> =>
  right({ _tag: 'PastPrice', topic: a, price, at })

export const pastGap = (from: number, to: number): Either<never, Gap> =>
  right({ _tag: 'Gap', topic: a, from, to, cause: 'disconnected' })
