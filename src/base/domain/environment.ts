/** The service's environments (section 1 of its documentation). Token addresses differ between them. */
export type Environment = 'mainnet' | 'testnet'

export type ChainId = 42161 | 421614

export const chainIds: Readonly<Record<Environment, ChainId>> = { mainnet: 42161, testnet: 421614 }
