import { canonicalAddress, type Address } from '../../domain/address.js'

/** Names and decimals of tokens by address. */
export interface TokenNames {
  /** The symbol, or the address of a token without one. */
  readonly full: (address: Address) => string
  /** The symbol, or the abbreviated address of a token without one. */
  readonly short: (address: Address) => string
  /** One token is 10 to the power of this many base-token units. */
  readonly decimals: (address: Address) => number | undefined
}

export interface NamedToken {
  readonly address: Address
  readonly symbol: string
  readonly decimals?: number
}

/** A later entry for the same token replaces the symbol, and the decimals if it has any. */
export const createTokenNames = (tokens: readonly NamedToken[]): TokenNames => {
  const byAddress = new Map<Address, NamedToken>()
  for (const token of tokens) {
    const address = canonicalAddress(token.address)
    byAddress.set(address, { ...byAddress.get(address), ...token })
  }
  const find = (address: Address) => byAddress.get(canonicalAddress(address))
  return {
    full: (address) => find(address)?.symbol ?? address,
    short: (address) => find(address)?.symbol ?? abbreviated(address),
    decimals: (address) => find(address)?.decimals,
  }
}

const abbreviated = (address: Address): string =>
  address.length <= 13 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`
