/** A number as decimal text without an exponent: `0.000000003`. The text parses to the same number. */
export const plainDecimal = (value: number): string => {
  const text = String(value)
  const [, sign = '', whole = '', fraction = '', exponent] = scientific.exec(text) ?? []
  if (exponent === undefined) return text
  const shift = Number(exponent)
  // The digits of a number from 1e21 on are fewer than its zeros.
  const digits =
    shift > 0 ? whole + fraction.padEnd(shift, '0') : `0.${'0'.repeat(-shift - 1)}${whole}${fraction}`
  return sign + digits
}

const scientific = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/

/** A JSON text with its numbers as decimal text without an exponent: some readers know no other. */
export const withPlainDecimals = (json: string): string =>
  /\de[+-]\d/.test(json)
    ? json.replace(stringOrNumber, (part) => (part.startsWith('"') ? part : plainDecimal(Number(part))))
    : json

/** The exponents that `JSON.stringify` writes, and strings, which may contain the same characters. */
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?e[+-]\d+/g

/** A replacer of `JSON.stringify`: a `bigint`, which JSON does not have, becomes decimal text with all its digits. */
export const bigintAsText = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value
