/**
 * The default case of a switch over a closed union. It compiles only if every member of the union has a case.
 * Throws a `TypeError` that names the `_tag` or the type. It omits the value, which may contain a secret.
 */
export const assertNever = (value: never): never => {
  throw new TypeError(`unexpected case: ${caseName(value)}`)
}

const caseName = (value: unknown): string => {
  if (value === null) return 'null'
  if (typeof value !== 'object') return typeof value
  return '_tag' in value && typeof value._tag === 'string' ? value._tag : 'object'
}
