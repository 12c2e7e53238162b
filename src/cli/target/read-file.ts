import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isLeft, left, mapLeft, tryCatch, type Either } from 'fp-ts/lib/Either.js'
import { messageOf, printable } from '../../base/errors/text.js'
import { fileProblem } from '../render/file-problem.js'
import { usageError } from './parse-flags.js'

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

/** Why no file can be written to a path; `undefined` if nothing speaks against it. A new file must not exist. */
export const writeProblem = (path: string, isNew = true): string | undefined => {
  const name = printable(path)
  if (!existsSync(path))
    return existsSync(dirname(path))
      ? undefined
      : `the folder of ${name} does not exist; create it, or choose another name`
  if (statSync(path).isDirectory()) return `${name} is a folder; give the name of a file in it`
  return isNew ? `${name} already exists; choose another name, or move it` : undefined
}

/** Checks the flag of a file that a command writes, before it does anything else. */
export const checkOutput = (flag: string, path: string | undefined, isNew = true): void => {
  const problem = path === undefined ? undefined : writeProblem(path, isNew)
  if (problem !== undefined) usageError(`${flag}: ${problem}`)
}

/** Checks the flags of files that a command overwrites, by their names. None may be a file that it reads, or that of another flag. */
export const checkOverwritten = (
  paths: Readonly<Record<string, string | undefined>>,
  readPaths: readonly string[],
): void => {
  const uses = new Map(readPaths.map((path) => [fileOf(path), 'is read by this command']))
  for (const [name, path] of Object.entries(paths)) {
    if (path === undefined) continue
    checkOutput(`--${name}`, path, false)
    const file = fileOf(path)
    const use = file === undefined ? undefined : uses.get(file)
    if (use !== undefined) usageError(`--${name}: ${printable(path)} ${use}; choose another name`)
    uses.set(file, `is the file of --${name}`)
  }
}

/** The file to which a path resolves, whether it exists or not; undefined for a device or a pipe. */
const fileOf = (path: string): string | undefined => {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (stats === undefined) return resolve(path)
  return stats.isFile() ? `${stats.dev}:${stats.ino}` : undefined
}

/** The result of `work`. Left: the message of its exception. */
export const attempt = <A>(work: () => A): Either<string, A> => tryCatch(work, messageOf)
