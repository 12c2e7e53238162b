import type { Address } from '../../domain/address.js'
import { integer, type Check, type Checks } from '../../option-kinds/check.js'
import { checkFields, checkValue } from '../check.js'
import { lowerCase, type Token } from './market.js'

/** Options of a token of a random walk. */
export interface TokenOptions {
  /** Contract address: `0x` and hex digits, in any case. */
  readonly address: Address
  /** Default: the address. */
  readonly symbol?: string
  /** One token is 10 to the power of `decimals` units. Default: 18. */
  readonly decimals?: number
  /** Start and mean of the walk's price, in USD. Default: 100. */
  readonly price?: number
  /** Not read. A token of `defineTokens` has it. The simulator derives the topic from the address. */
  readonly topic?: string
}

const text: Check = { expected: 'a string', holds: (value) => typeof value === 'string' }

/** Token options with their defaults; the address is lower-case. */
export interface WalkToken extends Token {
  readonly price: number
}

export const addressCheck: Check = {
  expected: 'a token address, `0x` and hex digits',
  holds: (value) => typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value),
}

export const positiveNumber: Check = {
  expected: 'a finite number above 0',
  holds: (value) => typeof value === 'number' && value > 0 && value < Infinity,
}

const checks: Checks<TokenOptions> = {
  address: addressCheck,
  symbol: text,
  decimals: integer(0, 100),
  price: positiveNumber,
  topic: text,
}

/** Throws a `SimulatorError` if an option is invalid. */
export const walkTokenOf = (token: Address | TokenOptions): WalkToken => {
  const options = typeof token === 'string' ? { address: token } : token
  checkFields(options, checks, 'token field')
  checkValue('address', options.address, addressCheck)
  const address = lowerCase(options.address)
  return {
    address,
    symbol: options.symbol ?? address,
    decimals: options.decimals ?? 18,
    price: options.price ?? 100,
  }
}
