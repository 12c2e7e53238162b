/** A value as JSON, indented for a reader. Quantities are decimal strings: no reader loses a digit. */
export const jsonText = (value: object): string =>
  JSON.stringify(value, (_key, field: unknown) => (typeof field === 'bigint' ? String(field) : field), 2)
