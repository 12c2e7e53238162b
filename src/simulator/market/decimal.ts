/** A number of at least 0 as a plain decimal text, without an exponent, whatever its size. */
export const plainDecimal = (value: number): string => {
  const text = String(value)
  const [mantissa = '', exponent] = text.split('e')
  if (exponent === undefined) return text
  const [whole = '', fraction = ''] = mantissa.split('.')
  const shift = Number(exponent)
  return shift > 0 ? whole + fraction.padEnd(shift, '0') : `0.${'0'.repeat(-shift - 1)}${whole}${fraction}`
}

/** An amount of tokens, as a decimal text, in the token's smallest units. What is finer than a unit is cut off. */
export const toUnits = (tokens: string, decimals: number): bigint => {
  const [whole = '', fraction = ''] = tokens.split('.')
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
}

/** The token's smallest units as an amount of tokens, as near as a float comes. */
export const toTokens = (units: bigint, decimals: number): number => Number(units) / 10 ** decimals

/** Halfway between bid and ask, without the dust that binary fractions leave. */
export const midpoint = (bid: number, ask: number): number => Number(((bid + ask) / 2).toPrecision(12))
