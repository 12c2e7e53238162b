import type { Address } from '../../domain/address.js'
import { checkFields, checkValue, integer, type Check, type Checks } from '../check.js'
import type { Token } from './market.js'

/** A token for a random walk to trade. */
export interface TokenOptions {
  /** Contract address: `0x` and hex digits, in any case. */
  readonly address: Address
  /** Default: the address. */
  readonly symbol?: string
  /** One token is 10 to the power of this many units. Default: 18. */
  readonly decimals?: number
  /** The price that the walk starts from and comes back to, in USD. Default: 100. */
  readonly price?: number
}

/** A token to be walked: all that there is to know of it. */
export interface WalkToken extends Token {
  readonly price: number
}

export const addressCheck: Check = {
  expected: 'a token address, `0x` and hex digits',
  holds: (value) => typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value),
}

export const positive: Check = {
  expected: 'a finite number above 0',
  holds: (value) => typeof value === 'number' && value > 0 && value < Infinity,
}

const checks: Checks<TokenOptions> = {
  address: addressCheck,
  symbol: { expected: 'a text', holds: (value) => typeof value === 'string' },
  decimals: integer(0, 100),
  price: positive,
}

/** A token as it was given, with what was left out. Throws a `SimulatorError` where it is none. */
export const toWalkToken = (given: Address | TokenOptions): WalkToken => {
  const options = typeof given === 'string' ? { address: given } : given
  checkFields(options, checks, 'token field')
  checkValue('address', options.address, addressCheck)
  const address = lowerCased(options.address)
  return {
    address,
    symbol: options.symbol ?? address,
    decimals: options.decimals ?? 18,
    price: options.price ?? 100,
  }
}

/** The one spelling under which the simulator keeps addresses. */
export const lowerCased = (address: Address): Address => address.toLowerCase() as Address
