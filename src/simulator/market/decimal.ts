/** Formats a number of at least 0 as decimal text without an exponent. */
export const plainDecimal = (value: number): string => {
  const text = String(value)
  const [mantissa = '', exponent] = text.split('e')
  if (exponent === undefined) return text
  const [whole = '', fraction = ''] = mantissa.split('.')
  const shift = Number(exponent)
  return shift > 0 ? whole + fraction.padEnd(shift, '0') : `0.${'0'.repeat(-shift - 1)}${whole}${fraction}`
}

/** Converts an amount of tokens, as decimal text, to base-token units. Truncates fractions of a unit. */
export const toUnits = (tokens: string, decimals: number): bigint => {
  const [whole = '', fraction = ''] = tokens.split('.')
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
}

/** Converts base-token units to an amount of tokens, with the precision of a float. */
export const toTokens = (units: bigint, decimals: number): number => Number(units) / 10 ** decimals

/** Midpoint of bid and ask, without rounding errors of binary fractions. */
export const midpoint = (bid: number, ask: number): number => Number(((bid + ask) / 2).toPrecision(12))
