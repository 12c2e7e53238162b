import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isLeft, left, mapLeft, tryCatch, type Either } from 'fp-ts/lib/Either.js'
import { fileProblem, messageOf } from '../../../base/errors/text.js'

/** Why the file of a flag cannot be used: it cannot be read, or it is not JSON. `message`: follows the path. */
export interface FileProblem {
  readonly kind: 'file' | 'json'
  readonly message: string
}

/** The JSON of a file, which may begin with a byte order mark. */
export const readJson = (path: string): Either<FileProblem, unknown> => {
  const bytes = readBytes(path)
  if (isLeft(bytes)) return left({ kind: 'file', message: bytes.left })
  const text = bytes.right.toString().replace(/^\uFEFF/, '')
  return mapLeft((message: string): FileProblem => ({
    kind: 'json',
    message: `: expected JSON: ${message}`,
  }))(attempt(() => JSON.parse(text) as unknown))
}

/** The bytes of a file. Left: the words after its path in the error message. */
export const readBytes = (path: string): Either<string, Buffer> =>
  tryCatch(
    () => readFileSync(path),
    (thrown) => ` ${fileProblem(thrown)}`,
  )

/** Why a file that is to be written cannot be created: it exists already. */
export const existingText = (path: string): string =>
  statSync(path).isDirectory()
    ? `${path} is a folder; give the name of a file, such as ${join(path, 'market.ndjson')}`
    : `${path} already exists; choose another name, or move it`

/** The result of `work`. Left: the message of its exception. */
export const attempt = <A>(work: () => A): Either<string, A> => tryCatch(work, messageOf)
