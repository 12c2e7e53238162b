import { readFileSync } from 'node:fs'
import { isLeft, left, right, tryCatch, type Either } from 'fp-ts/lib/Either.js'
import { decodeKey } from '../../auth/key.js'
import { describeValue, messageOf } from '../../errors/text.js'
import type { GatewayKeys } from '../../gateway/index.js'

/**
 * The keys of a file, JSON such as `{ "desk": "AAEC…" }`. Left: the reason why it cannot be used. It contains no key: the
 * messages of the JSON parser, which quote the text, are not repeated.
 */
export const readKeysFile = (path: string): Either<string, GatewayKeys> => {
  const failed = (problem: string) => left(`--keys: ${path}: ${problem}`)
  const text = tryCatch(() => readFileSync(path, 'utf8'), messageOf)
  if (isLeft(text)) return failed(text.left)
  const json = tryCatch(
    () => JSON.parse(text.right.replace(/^\uFEFF/, '')) as unknown,
    () => expected,
  )
  if (isLeft(json)) return failed(json.left)
  if (typeof json.right !== 'object' || json.right === null || Array.isArray(json.right))
    return failed(expected)
  const entries = Object.entries(json.right)
  if (entries.length === 0) return failed('has no key; add one, or remove --keys')
  const problem = entries.map(entryProblem).find((each) => each !== undefined)
  return problem === undefined ? right(json.right as GatewayKeys) : failed(problem)
}

const expected = 'expected JSON such as { "desk": "…" }: keys in base64, by name'

const entryProblem = ([name, key]: readonly [string, unknown], index: number): string | undefined => {
  const decoded = decodeKey(key, entryName(name, index))
  return isLeft(decoded) ? decoded.left.message : undefined
}

/** The name, or the position if the name may be a key: keys are longer than names. */
const entryName = (name: string, index: number): string =>
  name !== '' && name.length <= 20 ? `key ${describeValue(name)}` : `key ${index + 1}`
