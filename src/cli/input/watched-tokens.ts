import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { canonicalAddress, type Address } from '../../domain/address.js'
import { printable } from '../output/printable.js'
import type { Deployment } from './deployment.js'
import { tokenIn, tokenInWords } from './token.js'

/** A token to watch, with what it was called when it was named. */
export interface WatchedToken {
  readonly address: Address
  readonly symbol?: string
}

/**
 * The tokens to watch: those that were given, or else all that the simulator lists, or else those of SVC_TOKENS. Left:
 * why there are none.
 */
export const watchedTokens = (
  given: readonly Address[],
  { simulated, known }: Pick<Deployment, 'simulated' | 'known'>,
  variable = '',
): Either<string, readonly WatchedToken[]> => {
  if (given.length > 0) return right(given.map((address) => ({ address })))
  if (simulated) return right(known)
  const listed = variable.split(',').flatMap((part) => (part.trim() === '' ? [] : [listedToken(part.trim())]))
  if (listed.includes(undefined)) return left(`SVC_TOKENS: give ${tokenInWords}, with commas in between`)
  if (listed.length > 0) return right(distinct(listed.filter((token) => token !== undefined)))
  return left(
    'which token? Give its contract address, set SVC_TOKENS, or add --simulate to watch ETH and BTC',
  )
}

/** As in `0x82af…` or `ETH=0x82af…`. */
const listedToken = (text: string): WatchedToken | undefined => {
  const split = text.indexOf('=')
  const address = tokenIn(text.slice(split + 1))
  if (address === undefined) return undefined
  return split < 1 ? { address } : { address, symbol: printable(text.slice(0, split)) }
}

const distinct = (tokens: readonly WatchedToken[]): readonly WatchedToken[] => [
  ...new Map(tokens.map((token) => [canonicalAddress(token.address), token])).values(),
]
