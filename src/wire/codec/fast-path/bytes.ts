/** The bytes of a decimal number without a sign and an exponent. */
export const zero = 0x30
export const nine = 0x39
export const point = 0x2e

/** A double holds every integer of this many digits exactly, and every power of ten up to this exponent. */
export const exactDigits = 15
export const powersOfTen = Array.from({ length: exactDigits + 1 }, (_, power) => 10 ** power)
