import type { Address } from '../../base/domain/topic.js'
import { integerOption, numberOption } from '../../base/option-kinds/number-option.js'
import { required, stringOption, type OptionTable } from '../../base/option-kinds/option.js'
import { parseFields } from '../simulator-error.js'
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

export const priceOption = numberOption({ above: 0, default: 100 })

const textOption = stringOption(/^/, 'a string')

const tokenTable = {
  address: required(stringOption<Address>(/^0x[0-9a-f]+$/i, 'a token address, `0x` and hex digits')),
  symbol: textOption,
  decimals: integerOption({ min: 0, max: 100, default: 18 }, 'an integer'),
  price: priceOption,
  topic: textOption,
} satisfies OptionTable<TokenOptions>

/** Throws a `SimulatorError` if an option is invalid. */
export const walkTokenOf = (token: Address | TokenOptions): WalkToken => {
  const options = typeof token === 'string' ? { address: token } : token
  const { address, symbol, decimals, price } = parseFields(tokenTable, options, 'token field')
  const key = lowerCase(address)
  return { address: key, symbol: symbol ?? key, decimals, price }
}

// Contract addresses on the network with chain ID 42161. Prices are the first of the recording, in USD.

/** Wrapped ether. */
export const eth = {
  address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1',
  symbol: 'ETH',
  decimals: 18,
  price: 2682.505,
} as const satisfies TokenOptions

/** Wrapped bitcoin. */
export const btc = {
  address: '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f',
  symbol: 'BTC',
  decimals: 8,
  price: 61685.995,
} as const satisfies TokenOptions

/** The quote token of all pairs: a USD stablecoin. */
export const quoteTokenAddress = '0xaf88d065e77c8cc2239327c5edb3a432268e5831'
