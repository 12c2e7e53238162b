import { readFileSync } from 'node:fs'
import { isLeft, left, mapLeft, tryCatch, type Either } from 'fp-ts/lib/Either.js'
import { messageOf } from '../../../base/errors/text.js'

/** Why the file of a flag cannot be used: it cannot be read, or it is not JSON. */
export interface FileProblem {
  readonly kind: 'file' | 'json'
  readonly message: string
}

/** The JSON of a file, which may begin with a byte order mark. */
export const readJson = (path: string): Either<FileProblem, unknown> => {
  const problem = (kind: FileProblem['kind']) => (message: string) => ({ kind, message })
  const text = attempt(() => readFileSync(path, 'utf8'))
  if (isLeft(text)) return left(problem('file')(text.left))
  return mapLeft(problem('json'))(attempt(() => JSON.parse(text.right.replace(/^\uFEFF/, '')) as unknown))
}

/** The result of `work`. Left: the message of its exception. */
export const attempt = <A>(work: () => A): Either<string, A> => tryCatch(work, messageOf)
