import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { isAddress, type Address } from '../../domain/address.js'
import { invalidMint } from '../../errors/constructors.js'
import type { InvalidMint } from '../../errors/model.js'

/**
 * Validates a token's contract address and returns it unchanged.
 *
 * @example
 * parseAddress('0x82aF') // Right('0x82aF')
 * parseAddress('82af') // Left(InvalidMint)
 */
export const parseAddress = (text: string): Either<InvalidMint, Address> =>
  isAddress(text) ? right(text) : left(invalidMint(text))
