// One token is 10 to the power of its decimals base-token units.

/** A token's contract returns its decimals as one byte. */
const maxDecimals = 255

export const decimalsSyntax = `a whole number from 0 to ${maxDecimals}`

export const isDecimals = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxDecimals
