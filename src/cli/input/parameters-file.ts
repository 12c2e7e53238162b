import { readFileSync } from 'node:fs'
import { isLeft, left, right, tryCatch, type Either } from 'fp-ts/lib/Either.js'
import { messageOf, printable } from '../../errors/text.js'

/** The parameters of a file, a JSON array. Left: the reason why it cannot be used. */
export const readParametersFile = (path: string): Either<string, readonly unknown[]> => {
  const failed = (problem: string) => left(`--parameters: ${printable(path)}: ${printable(problem)}`)
  const text = attempt(() => readFileSync(path, 'utf8'))
  if (isLeft(text)) return failed(text.left)
  const json = attempt(() => JSON.parse(text.right.replace(/^\uFEFF/, '')) as unknown)
  if (isLeft(json)) return failed(`${expected}: ${json.left}`)
  if (!Array.isArray(json.right)) return failed(expected)
  return json.right.length === 0 ? failed('has no parameter; add one') : right(json.right as unknown[])
}

const expected = 'expected a JSON array, such as [5, 10, 20] or [{ "window": 5 }]'

const attempt = <A>(work: () => A): Either<string, A> => tryCatch(work, messageOf)
