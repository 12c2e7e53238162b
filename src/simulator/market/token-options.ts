import type { Address } from '../../domain/address.js'
import { integerOption } from '../../option-kinds/number-option.js'
import {
  checkedOption,
  required,
  withDefault,
  type Check,
  type OptionTable,
} from '../../option-kinds/option.js'
import { parseFields } from '../check.js'
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

/** Token options with their defaults; the address is lower-case. */
export interface WalkToken extends Token {
  readonly price: number
}

export const positiveNumber: Check = {
  expected: 'a finite number above 0',
  holds: (value) => typeof value === 'number' && value > 0 && value < Infinity,
}

const textOption = checkedOption<string>('string', {
  expected: 'a string',
  holds: (value) => typeof value === 'string',
})

const tokenTable = {
  address: required(
    checkedOption<Address>('string', {
      expected: 'a token address, `0x` and hex digits',
      holds: (value) => typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value),
    }),
  ),
  symbol: textOption,
  decimals: integerOption({ min: 0, max: 100, default: 18 }, 'an integer'),
  price: withDefault(checkedOption('number', positiveNumber), 100),
  topic: textOption,
} satisfies OptionTable<TokenOptions>

/** Throws a `SimulatorError` if an option is invalid. */
export const walkTokenOf = (token: Address | TokenOptions): WalkToken => {
  const options = typeof token === 'string' ? { address: token } : token
  const { address, symbol, decimals, price } = parseFields(tokenTable, options, 'token field')
  const key = lowerCase(address)
  return { address: key, symbol: symbol ?? key, decimals, price }
}
