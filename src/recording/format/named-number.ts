/** The numbers that JSON has no text for, or whose text its writer does not use: they are written by name. */
const names: ReadonlyMap<unknown, number> = new Map(
  ['NaN', 'Infinity', '-Infinity', '-0'].map((name) => [name, Number(name)]),
)

/** A value as JSON can carry it: such a number by its name, anything else as it is. */
export const named = (value: unknown): unknown => {
  for (const [name, number] of names) if (Object.is(value, number)) return name
  return value
}

/** A value as JSON carried it: a name as its number, anything else as it is. */
export const unnamed = (value: unknown): unknown => names.get(value) ?? value
