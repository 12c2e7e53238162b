import { isLeft, left, mapLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { describeValue, printable } from '../../errors/text.js'
import { findToken, type SelectedToken } from './find-token.js'
import { parseTokenAddress, tokenSyntax } from './token-address.js'
import type { NamedToken } from './token-names.js'

/** A token. Left: the error message for a symbol that `--tokens` does not define. It matters only if it is selected. */
export type VariableEntry = Either<string, SelectedToken>

/**
 * Parses the text of SVC_TOKENS: `0x82af…`, `ETH=0x82af…`, or a symbol of the file, separated by commas. Left: the error
 * message for a malformed entry.
 */
export const parseTokensVariable = (
  variable: string,
  fileTokens: readonly NamedToken[],
): Either<string, readonly VariableEntry[]> => {
  const texts = variable.split(',').map((part) => part.trim())
  const entries: VariableEntry[] = []
  for (const text of texts.filter((each) => each !== '')) {
    const entry = parseEntry(text, fileTokens)
    if (isLeft(entry) && !isSymbol(text)) return entry
    entries.push(entry)
  }
  return right(entries)
}

/** The text of an entry: with the symbol, if the token has one. */
export const variableText = ({ address, symbol = address }: SelectedToken): string =>
  symbol === address ? address : `${symbol}=${address}`

const parseEntry = (text: string, fileTokens: readonly NamedToken[]): VariableEntry => {
  const invalid = invalidText(text)
  const split = text.indexOf('=')
  if (split < 0) return mapLeft(() => invalid)(findToken(text, fileTokens))
  const address = parseTokenAddress(text.slice(split + 1).trim())
  if (address === undefined) return left(invalid)
  const symbol = printable(text.slice(0, split).trim())
  return right(symbol === '' ? { address } : { address, symbol })
}

/** True for a word that may be a symbol of a file, and is no attempt at an address. */
const isSymbol = (text: string): boolean => /^(?!.*0x)[^\s=:;]+$/i.test(text)

const invalidText = (entry: string): string =>
  `SVC_TOKENS: invalid entry ${describeValue(entry)}: expected SYMBOL=0x…, ${tokenSyntax}, or a symbol of --tokens`
