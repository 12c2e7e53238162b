import { map, right, type Either } from 'fp-ts/lib/Either.js'
import type { DisplayToken } from '../../display/token-state.js'
import type { Source } from '../input/source.js'
import type { SelectedToken } from './find-token.js'
import { namedTokens, selectTokens, type UserTokens } from './selected-tokens.js'
import { createTokenNames, type NamedToken } from './token-names.js'

/**
 * The tokens of the dashboard: those of the arguments, else those of a simulator or a recording, else those of SVC_TOKENS
 * or --tokens. `known`: names and decimals of further tokens. Left: the error message.
 */
export const pageTokens = (
  given: readonly string[],
  { tokens, service }: Pick<Source, 'tokens' | 'service'>,
  user: UserTokens,
  known: readonly NamedToken[],
): Either<string, readonly DisplayToken[]> => {
  const sources = { ...user, isSimulator: tokens.length > 0, knownTokens: tokens.flatMap(withSymbol) }
  const selected: Either<string, readonly SelectedToken[]> =
    given.length === 0 && tokens.length > 0 ? right(tokens) : selectTokens(given, sources)
  return map((all: readonly SelectedToken[]) => {
    const names = createTokenNames([...known, ...namedTokens(sources, all)], service)
    return all.map(({ address }) => names.display(address))
  })(selected)
}

const withSymbol = ({ address, symbol }: SelectedToken): readonly NamedToken[] =>
  symbol === undefined ? [] : [{ address, symbol }]
