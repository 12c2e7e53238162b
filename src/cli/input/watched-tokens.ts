import { printable } from '../../errors/text.js'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { canonicalAddress, type Address } from '../../domain/address.js'
import type { Deployment } from './deployment.js'
import { parseTokenAddress, tokenSyntax } from './token-address.js'

export interface WatchedToken {
  readonly address: Address
  /** The name that SVC_TOKENS gives to the token. */
  readonly symbol?: string
}

/**
 * The tokens to watch: those of the arguments, else all tokens of the simulator, else those of SVC_TOKENS (`variable`).
 * Left: the reason why there is none.
 */
export const watchedTokens = (
  given: readonly Address[],
  { isSimulator, knownTokens }: Pick<Deployment, 'isSimulator' | 'knownTokens'>,
  variable = '',
): Either<string, readonly WatchedToken[]> => {
  if (given.length > 0) return right(given.map((address) => ({ address })))
  if (isSimulator) return right(knownTokens)
  const entries = variable.split(',').flatMap((part) => (part.trim() === '' ? [] : [parseEntry(part.trim())]))
  if (entries.includes(undefined)) return left(`SVC_TOKENS: give ${tokenSyntax}, separated by commas`)
  if (entries.length > 0) return right(distinctTokens(entries.filter((token) => token !== undefined)))
  return left('no token: give its contract address, set SVC_TOKENS, or add --simulate to watch ETH and BTC')
}

/** An entry of SVC_TOKENS: `0x82af…` or `ETH=0x82af…`. */
const parseEntry = (text: string): WatchedToken | undefined => {
  const split = text.indexOf('=')
  const address = parseTokenAddress(text.slice(split + 1))
  if (address === undefined) return undefined
  return split < 1 ? { address } : { address, symbol: printable(text.slice(0, split)) }
}

const distinctTokens = (tokens: readonly WatchedToken[]): readonly WatchedToken[] => [
  ...new Map(tokens.map((token) => [canonicalAddress(token.address), token])).values(),
]
