import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { canonicalAddress } from '../../domain/address.js'
import { findToken, type SelectedToken } from './find-token.js'
import type { NamedToken } from './token-names.js'
import type { VariableEntry } from './tokens-variable.js'

/** What the user defines. */
export interface UserTokens {
  /** The tokens of --tokens. */
  readonly fileTokens: readonly NamedToken[]
  /** The entries of SVC_TOKENS. */
  readonly variableEntries: readonly VariableEntry[]
}

/** Where tokens and their symbols come from. */
export interface TokenSources extends UserTokens {
  readonly isSimulator: boolean
  /** The tokens of the simulator, or the tokens on mainnet with known names. */
  readonly knownTokens: readonly NamedToken[]
}

/** At least one token. */
export type SelectedTokens = readonly [SelectedToken, ...SelectedToken[]]

/**
 * The selected tokens: those of the arguments, else all tokens of the simulator, else those of SVC_TOKENS, else those of
 * --tokens. Left: the error message.
 */
export const selectTokens = (
  given: readonly string[],
  sources: TokenSources,
): Either<string, SelectedTokens> => {
  if (given.length > 0) return selected(given.map((text) => findToken(text, symbolsOf(sources))))
  if (sources.isSimulator) return selected(sources.knownTokens.map(right))
  const { variableEntries, fileTokens } = sources
  return selected(variableEntries.length > 0 ? variableEntries : fileTokens.map(right))
}

/** All tokens with names for the output. A token that was given by symbol has this one. */
export const namedTokens = (
  sources: TokenSources,
  given: readonly SelectedToken[] = [],
): readonly NamedToken[] => [
  ...sources.knownTokens,
  ...configuredTokens(sources),
  ...given.flatMap(withSymbol),
]

/** The tokens that an argument can give by symbol. A known name is no symbol of a real service: the user has to define it. */
const symbolsOf = (sources: TokenSources): readonly NamedToken[] =>
  sources.isSimulator ? namedTokens(sources) : configuredTokens(sources)

/** The named tokens of the user. The file replaces symbols of the variable. */
const configuredTokens = ({ variableEntries, fileTokens }: UserTokens): readonly NamedToken[] => [
  ...variableEntries.flatMap((entry) => (isLeft(entry) ? [] : withSymbol(entry.right))),
  ...fileTokens,
]

const withSymbol = ({ address, symbol }: SelectedToken): readonly NamedToken[] =>
  symbol === undefined ? [] : [{ address, symbol }]

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
