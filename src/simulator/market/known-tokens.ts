import type { TokenOptions } from './token-options.js'

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
