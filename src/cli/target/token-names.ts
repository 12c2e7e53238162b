import { shortAddress } from '../../view/texts.js'
import type { DisplayToken } from '../../view/token-state.js'
import { canonicalAddress, type Address, defaultService, type Topic } from '../../base/domain/topic.js'

export type TokenNames = ReturnType<typeof createTokenNames>

export interface NamedToken {
  readonly address: Address
  readonly symbol: string
  readonly decimals?: number
}

/** A later entry replaces the symbol of a token, and its decimals if it has any. Of tokens with one symbol, the last keeps it. */
export const createTokenNames = (tokens: readonly NamedToken[], service: string = defaultService) => {
  const byAddress = new Map<Address, NamedToken>()
  const owners = new Map<string, Address>()
  for (const token of tokens) {
    const address = canonicalAddress(token.address)
    byAddress.set(address, { ...byAddress.get(address), ...token })
    owners.set(token.symbol, address)
  }
  const symbol = (address: Address): string | undefined => {
    const found = byAddress.get(canonicalAddress(address))?.symbol
    return found !== undefined && owners.get(found) === canonicalAddress(address) ? found : undefined
  }
  /** One token is 10 to the power of this many base-token units. */
  const decimals = (address: Address): number | undefined =>
    byAddress.get(canonicalAddress(address))?.decimals
  return {
    symbol,
    decimals,
    full: (address: Address): string => symbol(address) ?? address,
    /** The token with its symbol, or with its abbreviated address, for a display. */
    display: (address: Address): DisplayToken => ({
      ...{ address, symbol: symbol(address) ?? shortAddress(address), decimals: decimals(address) ?? null },
    }),
    topic: (address: Address): Topic => `${service}-${address}`,
  }
}
