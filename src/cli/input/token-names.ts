import { canonicalAddress, type Address } from '../../domain/address.js'

/** How tokens are called, and how their quantities are counted. */
export interface TokenNames {
  /** The symbol, where it is known, or else the address. */
  readonly whole: (address: Address) => string
  /** The symbol, where it is known, or else enough of the address to tell it from others. */
  readonly short: (address: Address) => string
  /** One token is 10 to the power of this many base-token units, where that is known. */
  readonly decimals: (address: Address) => number | undefined
}

export interface NamedToken {
  readonly address: Address
  readonly symbol: string
  readonly decimals?: number
}

/** Where a token is there twice, the later one counts, with the decimals of the earlier one where it has none. */
export const createTokenNames = (tokens: readonly NamedToken[]): TokenNames => {
  const known = new Map<Address, NamedToken>()
  for (const token of tokens) {
    const address = canonicalAddress(token.address)
    known.set(address, { ...known.get(address), ...token })
  }
  const find = (address: Address) => known.get(canonicalAddress(address))
  return {
    whole: (address) => find(address)?.symbol ?? address,
    short: (address) => find(address)?.symbol ?? abbreviated(address),
    decimals: (address) => find(address)?.decimals,
  }
}

const abbreviated = (address: Address): string =>
  address.length <= 13 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`
