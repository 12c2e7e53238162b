import { isLeft, left, mapLeft, right, type Either } from 'fp-ts/lib/Either.js'
import type { Command } from 'commander'
import { defineTokens, type DefinedToken, type TokenDefinition } from '../../client/tokens.js'
import { canonicalAddress, isAddress, type Address } from '../../base/domain/address.js'
import { addressOf, defaultService } from '../../base/domain/topic.js'
import { describeValue, printable } from '../../base/errors/text.js'
import type { RecordingHeader } from '../../backtest/recording/codec/row.js'
import { attempt, readJson } from './read-file.js'
import type { Variables } from '../io.js'
import { orUsageError } from '../run.js'
import type { NamedToken } from './token-names.js'

/** A token that the user has selected. */
export interface SelectedToken {
  readonly address: Address
  readonly symbol?: string
  readonly decimals?: number
}

/**
 * A token. Left: the error message for a symbol that `--tokens` does not define. The error occurs only if the symbol is
 * selected.
 */
export type VariableEntry = Either<string, SelectedToken>

/** The definitions of the user. */
export interface UserTokens {
  /** The tokens of --tokens. */
  readonly fileTokens: readonly NamedToken[]
  /** The entries of SVC_TOKENS. */
  readonly variableEntries: readonly VariableEntry[]
}

/** The sources of tokens and their symbols. */
export interface TokenSources extends UserTokens {
  /** The tokens of a simulator or a recording; none of a service. */
  readonly ownTokens: readonly SelectedToken[]
  /** The tokens that a gateway serves. Default: none. */
  readonly servedTokens?: readonly NamedToken[]
  /** Tokens with known names, which select no token. */
  readonly knownTokens: readonly NamedToken[]
}

/** At least one token. */
export type SelectedTokens = readonly [SelectedToken, ...SelectedToken[]]

/**
 * The selected tokens: those of the arguments, else all tokens of the source, else those of SVC_TOKENS, else those of
 * --tokens, else those of the gateway. Left: the error message.
 */
export const selectTokens = (
  given: readonly string[],
  sources: TokenSources,
): Either<string, SelectedTokens> => {
  if (given.length > 0) return selected(given.map((text) => findToken(text, symbolsOf(sources))))
  if (sources.ownTokens.length > 0) return selected(sources.ownTokens.map(right))
  const { variableEntries, fileTokens, servedTokens = [] } = sources
  if (variableEntries.length > 0) return selected(variableEntries)
  return selected((fileTokens.length > 0 ? fileTokens : servedTokens).map(right))
}

/** All tokens with names for the output. A token that was given by a symbol has this symbol. */
export const namedTokens = (
  sources: TokenSources,
  given: readonly SelectedToken[] = [],
): readonly NamedToken[] => [...sources.knownTokens, ...symbolsOf(sources), ...given.flatMap(withSymbol)]

/**
 * The tokens that an argument can give by symbol. A known name is not a symbol of a real service: the user must define
 * the symbol.
 */
export const symbolsOf = (sources: TokenSources): readonly NamedToken[] => [
  ...(sources.servedTokens ?? []),
  ...sources.ownTokens.filter(isNamed),
  ...configuredTokens(sources),
]

/** The named tokens of the user. The file replaces symbols of the variable. */
const configuredTokens = ({ variableEntries, fileTokens }: UserTokens): readonly NamedToken[] => [
  ...variableEntries.flatMap((entry) => (isLeft(entry) ? [] : withSymbol(entry.right))),
  ...fileTokens,
]

const isNamed = (token: SelectedToken): token is NamedToken => token.symbol !== undefined

const withSymbol = (token: SelectedToken): readonly NamedToken[] => (isNamed(token) ? [token] : [])

const selected = (found: readonly Either<string, SelectedToken>[]): Either<string, SelectedTokens> => {
  const byAddress = new Map<string, SelectedToken>()
  for (const token of found) {
    if (isLeft(token)) return token
    byAddress.set(canonicalAddress(token.right.address), token.right)
  }
  const [first, ...others] = byAddress.values()
  return first === undefined ? left(noTokenText) : right([first, ...others])
}

const noTokenText =
  'no token: give its contract address, set SVC_TOKENS or --tokens, or add --simulate to watch ETH and BTC'

/**
 * The token of a symbol, an address or a topic. Of two tokens with the same symbol, the later one is used. A symbol in
 * another case is accepted if only one token matches. Left: the error message.
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

export const tokenSyntax = 'a contract address, 0x and hex digits, or a topic, svc-0x and hex digits'

/** The address in an address or a topic; `undefined` for any other text. */
export const parseTokenAddress = (text: string): Address | undefined => {
  const prefix = `${defaultService}-`
  const address = text.startsWith(prefix) ? text.slice(prefix.length) : text
  return isAddress(address) ? address : undefined
}

/** The addresses of a recording's topics and mints, each once. */
export const recordedAddresses = ({
  topics,
  mints,
}: Pick<RecordingHeader, 'topics' | 'mints'>): readonly Address[] => {
  const addresses = [...topics.map(addressOf), ...mints]
  return [...new Map(addresses.map((address) => [address.toLowerCase(), address])).values()]
}

/** The tokens of --tokens and of SVC_TOKENS. An invalid one is a usage error. */
export const userTokens = (command: Command, variables: Variables): UserTokens => {
  const { tokens: path } = command.opts<{ readonly tokens?: string }>()
  const fileTokens = path === undefined ? [] : orUsageError(command, readTokensFile(path))
  const entries = parseTokensVariable(variables['SVC_TOKENS'] ?? '', fileTokens)
  return { fileTokens, variableEntries: orUsageError(command, entries) }
}

/** The tokens of a file. Left: the reason why it cannot be used. */
export const readTokensFile = (path: string): Either<string, readonly DefinedToken[]> => {
  const failed = (problem: string) => left(`--tokens: ${path}: ${problem}`)
  const json = readJson(path)
  if (isLeft(json)) return left(`--tokens: ${path}${printable(json.left.message)}`)
  const tokens = attempt(() => Object.values(defineTokens(json.right as Record<string, TokenDefinition>)))
  if (isLeft(tokens)) return failed(tokens.left)
  const problem = tokens.right.map(({ symbol }) => symbolProblem(symbol)).find((each) => each !== undefined)
  return problem === undefined ? tokens : failed(problem)
}

/** A symbol is one word of the output, and differs from an address and a topic. */
export const symbolProblem = (symbol: string): string | undefined => {
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

/** True for a word that may be a symbol of a file, and does not look like an address. */
const isSymbol = (text: string): boolean => /^(?!.*0x)[^\s=:;]+$/i.test(text)

const invalidText = (entry: string): string =>
  `SVC_TOKENS: invalid entry ${describeValue(entry)}: expected SYMBOL=0x…, ${tokenSyntax}, or a symbol of --tokens`
