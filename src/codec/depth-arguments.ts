import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { isAddress, type Address } from '../domain/address.js'
import { isInterval } from '../domain/interval.js'
import { invalidInterval, invalidMint } from '../errors/constructors.js'
import type { InvalidInterval, InvalidMint } from '../errors/model.js'

// The arguments of `depth$` and `depth`, for every kind of client.

/** Validates a mint and returns it unchanged. */
export const parseMint = (mint: Address): Either<InvalidMint, Address> =>
  isAddress(mint) ? right(mint) : left(invalidMint(mint))

/** Validates the interval of a poll, in ms. */
export const parseInterval = (interval: number): Either<InvalidInterval, number> =>
  isInterval(interval) ? right(interval) : left(invalidInterval(interval))
