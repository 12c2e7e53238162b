import { isLeft } from 'fp-ts/lib/Either.js'
import type { Command } from 'commander'
import { defineTokens, type DefinedToken, type TokenDefinition } from '../../client/tokens.js'
import {
  canonicalAddress,
  isAddress,
  type Address,
  addressOf,
  defaultService,
} from '../../base/domain/topic.js'
import { describeValue, printable } from '../../base/errors/text.js'
import type { RecordingHeader } from '../../backtest/recording/codec/row.js'
import { btc, eth } from '../../simulator/market/token-options.js'
import { attempt, readJson } from './read-file.js'
import type { Variables } from '../io.js'
import { usageError } from './parse-flags.js'
import { createTokenNames, type NamedToken, type TokenNames } from './token-names.js'

export interface SelectedToken {
  readonly address: Address
  readonly symbol?: string
  readonly decimals?: number
}

/** The definitions of the user: in the file of --tokens, and in SVC_TOKENS. */
export interface UserTokens {
  readonly fileTokens: readonly NamedToken[]
  readonly variableTokens: readonly SelectedToken[]
}

/** The sources of tokens and their symbols. */
export interface TokenSources extends UserTokens {
  /** The tokens of a simulator or a recording; none of a service. */
  readonly ownTokens: readonly SelectedToken[]
  /** The tokens that a gateway serves. Default: none. */
  readonly servedTokens?: readonly NamedToken[]
}

export type SelectedTokens = readonly [SelectedToken, ...SelectedToken[]]

/** Each once: those of the arguments, else all of the source, else those of SVC_TOKENS, of --tokens, or of the gateway. */
export const selectTokens = (given: readonly string[], sources: TokenSources): SelectedTokens => {
  const { ownTokens, variableTokens, fileTokens, servedTokens = [] } = sources
  const symbols = symbolsOf(sources)
  const all = [ownTokens, variableTokens, fileTokens, servedTokens].find(({ length }) => length > 0) ?? []
  const tokens = given.length > 0 ? given.map((text) => findToken(text, symbols)) : all
  const [first, ...others] = new Map(tokens.map((token) => [canonicalAddress(token.address), token])).values()
  return first === undefined
    ? usageError(
        'no token: give its contract address, set SVC_TOKENS or --tokens, or add --simulate to watch ETH and BTC',
      )
    : [first, ...others]
}

/** Names for the output: those that the user can give, and those of the simulator's tokens, which are addresses on mainnet. */
export const namesFor = (sources: TokenSources, service?: string): TokenNames =>
  createTokenNames([...knownTokens, ...symbolsOf(sources)], service)

const knownTokens: readonly NamedToken[] = [eth, btc].map(({ address, symbol, decimals }) => ({
  ...{ address, symbol, decimals },
}))

/** A later token replaces an earlier one. A known name is no symbol of a real service: the user must define the symbol. */
export const symbolsOf = ({
  servedTokens = [],
  ownTokens,
  variableTokens,
  fileTokens,
}: TokenSources): readonly NamedToken[] =>
  [...servedTokens, ...ownTokens, ...variableTokens, ...fileTokens].filter(isNamed)

const isNamed = (token: SelectedToken): token is NamedToken => token.symbol !== undefined

/** Of two tokens with the same symbol, the later one. A symbol in another case is accepted if only one token matches. */
export const findToken = (text: string, named: readonly NamedToken[]): SelectedToken => {
  const address = parseTokenAddress(text)
  if (address !== undefined) return { address }
  const bySymbol = new Map(named.map((token) => [token.symbol, token]))
  const exact = bySymbol.get(text)
  if (exact !== undefined) return exact
  const similar = [...bySymbol.values()].filter(({ symbol }) => symbol.toLowerCase() === text.toLowerCase())
  const [first] = similar
  if (first === undefined) return usageError(unknownText(text, [...bySymbol.keys()]))
  return similar.every((token) => canonicalAddress(token.address) === canonicalAddress(first.address))
    ? first
    : usageError(
        `${describeToken(text)} may be ${listText(similar.map(({ symbol }) => symbol))}; give one of them`,
      )
}

const unknownText = (text: string, symbols: readonly string[]): string =>
  `unknown token ${describeToken(text)}\n` +
  (symbols.length === 0
    ? `No symbols are known. Define them in a file for --tokens, or give ${tokenSyntax}.`
    : `Known symbols: ${listText(symbols)}. Give one of them, ${tokenSyntax}.`)

/** Without the value of a misspelt flag, which may be a key: `–auth-key=…`. */
const describeToken = (text: string): string => describeValue(text.replace(/=.*/s, ''))

const maxListed = 20

export const listText = (symbols: readonly string[]): string =>
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

/** The tokens of a recording's topics and mints, each once. */
export const recordedTokens = ({
  topics,
  mints,
}: Pick<RecordingHeader, 'topics' | 'mints'>): readonly SelectedToken[] => {
  const addresses = new Map(
    [...topics.map(addressOf), ...mints].map((each) => [canonicalAddress(each), each]),
  )
  return [...addresses].map(([key, address]) => ({
    ...knownTokens.find((known) => canonicalAddress(known.address) === key),
    address,
  }))
}

export const userTokens = (command: Command, variables: Variables): UserTokens => {
  const { tokens: path } = command.opts<{ readonly tokens?: string }>()
  return {
    fileTokens: path === undefined ? [] : readTokensFile(path),
    variableTokens: parseTokensVariable(variables['SVC_TOKENS'] ?? ''),
  }
}

export const readTokensFile = (path: string): readonly DefinedToken[] => {
  const json = readJson(path)
  if (isLeft(json)) return usageError(`--tokens: ${path}${printable(json.left.message)}`)
  const tokens = attempt(() => Object.values(defineTokens(json.right as Record<string, TokenDefinition>)))
  if (isLeft(tokens)) return usageError(`--tokens: ${path}: ${tokens.left}`)
  const problem = tokens.right.map(({ symbol }) => symbolProblem(symbol)).find((each) => each !== undefined)
  return problem === undefined ? tokens.right : usageError(`--tokens: ${path}: ${problem}`)
}

/** A symbol is one word of the output, and differs from an address and a topic. */
export const symbolProblem = (symbol: string): string | undefined => {
  if (parseTokenAddress(symbol) !== undefined)
    return `expected a symbol, not an address or a topic, got ${describeValue(symbol)}`
  return /^\S+$/.test(symbol) && printable(symbol) === symbol
    ? undefined
    : `expected a symbol without white space or invisible characters, got ${describeValue(symbol)}`
}

/** Parses the text of SVC_TOKENS: `0x82af…` or `ETH=0x82af…`, separated by commas. */
export const parseTokensVariable = (variable: string): readonly SelectedToken[] =>
  variable
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseEntry)

/** The text of an entry: with the symbol, if the token has one. */
export const variableText = ({ address, symbol = address }: SelectedToken): string =>
  symbol === address ? address : `${symbol}=${address}`

const parseEntry = (text: string): SelectedToken => {
  const split = text.indexOf('=')
  const address = parseTokenAddress(text.slice(split + 1).trim())
  if (address === undefined)
    return usageError(
      `SVC_TOKENS: invalid entry ${describeValue(text)}: expected SYMBOL=0x…, or ${tokenSyntax}`,
    )
  const symbol = printable(text.slice(0, Math.max(0, split)).trim())
  return symbol === '' ? { address } : { address, symbol }
}
