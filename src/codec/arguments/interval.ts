import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { isInterval } from '../../domain/valid-numbers.js'
import { invalidInterval } from '../../errors/constructors.js'
import type { InvalidInterval } from '../../errors/model.js'

/** Validates the interval of a poll, in ms. */
export const parseInterval = (interval: number): Either<InvalidInterval, number> =>
  isInterval(interval) ? right(interval) : left(invalidInterval(interval))
