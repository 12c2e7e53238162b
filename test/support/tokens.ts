import type { Address, Topic } from 'svc-streams'

// Tokens of the recorded market.

export const weth = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1' satisfies Address
export const wbtc = '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f' satisfies Address
export const usdc = '0xaf88d065e77c8cc2239327c5edb3a432268e5831' satisfies Address
export const ethTopic: Topic = `svc-${weth}`
export const btcTopic: Topic = `svc-${wbtc}`
