import { shortAddress } from '../../view/texts.js'
import type { DisplayToken } from '../../view/token-state.js'
import { canonicalAddress, type Address } from '../../base/domain/address.js'
import { defaultService, type Topic } from '../../base/domain/topic.js'

export interface TokenNames {
  readonly full: (address: Address) => string
  readonly symbol: (address: Address) => string | undefined
  /** One token is 10 to the power of this many base-token units. */
  readonly decimals: (address: Address) => number | undefined
  /** The token with its symbol, or with its abbreviated address, for a display. */
  readonly display: (address: Address) => DisplayToken
  readonly topic: (address: Address) => Topic
}

export interface NamedToken {
  readonly address: Address
  readonly symbol: string
  readonly decimals?: number
}

/**
 * A later entry for the same token replaces the symbol, and the decimals if it has any. If a later entry gives the
 * symbol to another token, the earlier token loses it: no two tokens have the same symbol. `service`: the service's
 * name, for the topics.
 */
export const createTokenNames = (
  tokens: readonly NamedToken[],
  service: string = defaultService,
): TokenNames => {
  const byAddress = new Map<Address, NamedToken>()
  const owners = new Map<string, Address>()
  for (const token of tokens) {
    const address = canonicalAddress(token.address)
    byAddress.set(address, { ...byAddress.get(address), ...token })
    owners.set(token.symbol, address)
  }
  const find = (address: Address) => byAddress.get(canonicalAddress(address))
  const symbolOf = (address: Address) => {
    const symbol = find(address)?.symbol
    return symbol !== undefined && owners.get(symbol) === canonicalAddress(address) ? symbol : undefined
  }
  return {
    full: (address) => symbolOf(address) ?? address,
    display: (address) => ({
      address,
      symbol: symbolOf(address) ?? shortAddress(address),
      decimals: find(address)?.decimals ?? null,
    }),
    symbol: symbolOf,
    decimals: (address) => find(address)?.decimals,
    topic: (address) => `${service}-${address}`,
  }
}
