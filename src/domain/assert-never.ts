/**
 * The default case of a switch over a closed union: it compiles only while every member has a case.
 * Throws a `TypeError` if it is reached. The message names the `_tag` or the type, never the value, which may hold a secret.
 */
export const assertNever = (value: never): never => {
  throw new TypeError(`unexpected case: ${caseName(value)}`)
}

const caseName = (value: unknown): string => {
  if (value === null) return 'null'
  if (typeof value !== 'object') return typeof value
  return '_tag' in value && typeof value._tag === 'string' ? value._tag : 'object'
}
