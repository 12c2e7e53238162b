/** Compiles only if a switch has a case for each member of the union. Its `TypeError` omits the value, which may be secret. */
export const assertNever = (value: never): never => {
  throw new TypeError(`unexpected case: ${caseName(value)}`)
}

const caseName = (value: unknown): string => {
  if (value === null) return 'null'
  if (typeof value !== 'object') return typeof value
  return '_tag' in value && typeof value._tag === 'string' ? value._tag : 'object'
}
