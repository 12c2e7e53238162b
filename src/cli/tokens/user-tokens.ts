import type { Command } from 'commander'
import { isLeft, left, mapLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { defineTokens, type DefinedToken, type TokenDefinition } from '../../client/tokens.js'
import { describeValue, printable } from '../../errors/text.js'
import { attempt, readJson } from '../input/read-file.js'
import type { Variables } from '../io.js'
import { usageError } from '../run.js'
import {
  findToken,
  parseTokenAddress,
  tokenSyntax,
  type SelectedToken,
  type UserTokens,
  type VariableEntry,
} from './select-tokens.js'
import type { NamedToken } from './token-names.js'

/** The tokens of --tokens and of SVC_TOKENS. An invalid one is a usage error. */
export const userTokens = (command: Command, variables: Variables): UserTokens => {
  const { tokens: path } = command.opts<{ readonly tokens?: string }>()
  const fileTokens = path === undefined ? right([]) : readTokensFile(path)
  if (isLeft(fileTokens)) return usageError(command, fileTokens.left)
  const variableEntries = parseTokensVariable(variables['SVC_TOKENS'] ?? '', fileTokens.right)
  if (isLeft(variableEntries)) return usageError(command, variableEntries.left)
  return { fileTokens: fileTokens.right, variableEntries: variableEntries.right }
}

/** The tokens of a file. Left: the reason why it cannot be used. */
export const readTokensFile = (path: string): Either<string, readonly DefinedToken[]> => {
  const failed = (problem: string) => left(`--tokens: ${path}: ${problem}`)
  const json = readJson(path)
  if (isLeft(json)) {
    const { kind, message } = json.left
    return failed(kind === 'file' ? message : `expected JSON: ${printable(message)}`)
  }
  const tokens = attempt(() => Object.values(defineTokens(json.right as Record<string, TokenDefinition>)))
  if (isLeft(tokens)) return failed(tokens.left)
  const problem = tokens.right.map(({ symbol }) => symbolProblem(symbol)).find((each) => each !== undefined)
  return problem === undefined ? tokens : failed(problem)
}

/** A symbol is one word of the output, and differs from an address and a topic. */
const symbolProblem = (symbol: string): string | undefined => {
  if (parseTokenAddress(symbol) !== undefined)
    return symbolText('a symbol, not an address or a topic', symbol)
  if (/^\S+$/.test(symbol) && printable(symbol) === symbol) return undefined
  return symbolText('a symbol without white space or invisible characters', symbol)
}

const symbolText = (expected: string, symbol: string): string =>
  `expected ${expected}, got ${describeValue(symbol)}`

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
