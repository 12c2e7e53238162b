import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { canonicalAddress, type Address } from '../../domain/address.js'
import { describeValue } from '../../errors/text.js'
import { parseTokenAddress, tokenSyntax } from './token-address.js'
import type { NamedToken } from './token-names.js'

/** A token that the user has selected. */
export interface SelectedToken {
  readonly address: Address
  readonly symbol?: string
}

/**
 * The token of a symbol, an address or a topic. Of two tokens with one symbol, the later one counts. A symbol in another
 * case counts if it means one token only. Left: the error message.
 */
export const findToken = (text: string, named: readonly NamedToken[]): Either<string, SelectedToken> => {
  const address = parseTokenAddress(text)
  if (address !== undefined) return right({ address })
  const bySymbol = new Map(named.map((token) => [token.symbol, token]))
  const exact = bySymbol.get(text)
  if (exact !== undefined) return right(exact)
  const similar = [...bySymbol.values()].filter(({ symbol }) => symbol.toLowerCase() === text.toLowerCase())
  const [first] = similar
  if (first === undefined) return left(unknownText(text, [...bySymbol.keys()]))
  return similar.every((token) => canonicalAddress(token.address) === canonicalAddress(first.address))
    ? right(first)
    : left(`${describeToken(text)} may be ${listText(similar.map(({ symbol }) => symbol))}; give one of them`)
}

const unknownText = (text: string, symbols: readonly string[]): string =>
  [
    `unknown token ${describeToken(text)}`,
    symbols.length === 0
      ? `No symbols are known. Define them in a file for --tokens, or give ${tokenSyntax}.`
      : `Known symbols: ${listText(symbols)}. Give one of them, ${tokenSyntax}.`,
  ].join('\n')

/** Without the value of a misspelt flag, which may be a key: `–auth-key=…`. */
const describeToken = (text: string): string => describeValue(text.replace(/=.*/s, ''))

const maxListed = 20

const listText = (symbols: readonly string[]): string =>
  symbols.length <= maxListed
    ? symbols.join(', ')
    : `${symbols.slice(0, maxListed).join(', ')}, and ${symbols.length - maxListed} more`
