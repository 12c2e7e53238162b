import { readFileSync } from 'node:fs'
import { isLeft, left, tryCatch, type Either } from 'fp-ts/lib/Either.js'
import { defineTokens, type DefinedToken, type TokenDefinition } from '../../client/tokens.js'
import { describeValue, messageOf, printable } from '../../errors/text.js'
import { parseTokenAddress } from './token-address.js'

/** The tokens of a file. Left: the reason why it cannot be used. */
export const readTokensFile = (path: string): Either<string, readonly DefinedToken[]> => {
  const failed = (problem: string) => left(`--tokens: ${path}: ${problem}`)
  const text = attempt(() => readFileSync(path, 'utf8'))
  if (isLeft(text)) return failed(text.left)
  const json = attempt(() => JSON.parse(text.right.replace(/^\uFEFF/, '')) as unknown)
  if (isLeft(json)) return failed(`expected JSON: ${printable(json.left)}`)
  const tokens = attempt(() => Object.values(defineTokens(json.right as Record<string, TokenDefinition>)))
  if (isLeft(tokens)) return failed(tokens.left)
  const problem = tokens.right.map(({ symbol }) => symbolProblem(symbol)).find((each) => each !== undefined)
  return problem === undefined ? tokens : failed(problem)
}

const attempt = <A>(work: () => A): Either<string, A> => tryCatch(work, messageOf)

/** A symbol is one word of the output, and differs from an address and a topic. */
const symbolProblem = (symbol: string): string | undefined => {
  if (parseTokenAddress(symbol) !== undefined)
    return symbolText('a symbol, not an address or a topic', symbol)
  if (/^\S+$/.test(symbol) && printable(symbol) === symbol) return undefined
  return symbolText('a symbol without white space or invisible characters', symbol)
}

const symbolText = (expected: string, symbol: string): string =>
  `expected ${expected}, got ${describeValue(symbol)}`
