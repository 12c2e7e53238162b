/** Numbers that `JSON.stringify` writes as `null` or `0`. A recording writes them as strings. */
const numbersByName: ReadonlyMap<unknown, number> = new Map(
  ['NaN', 'Infinity', '-Infinity', '-0'].map((name) => [name, Number(name)]),
)

/** The string for such a number; any other value unchanged. */
export const encodeNumber = (value: unknown): unknown => {
  for (const [name, number] of numbersByName) if (Object.is(value, number)) return name
  return value
}

/** The number for such a string; any other value unchanged. */
export const decodeNumber = (value: unknown): unknown => numbersByName.get(value) ?? value
