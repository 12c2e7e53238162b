/** A seeded generator of numbers between 0 and 1, so that all runs use the same prices. */
export const createRandom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Shares of prices with 1, 2, … 8 decimals, and with 1, 2, 3 integer digits. */
const decimalShares = [0.1, 0.15, 0.2, 0.2, 0.14, 0.1, 0.06, 0.05]
const integerDigitShares = [0.5, 0.3, 0.2]

/** Prices in the service's notation. They are distinct enough that a client cannot gain from a cache. */
export const createPrices = (count: number): readonly string[] => {
  const random = createRandom(1)
  const pick = (shares: readonly number[]): number => {
    let remaining = random()
    const index = shares.findIndex((share) => (remaining -= share) < 0)
    return (index === -1 ? shares.length - 1 : index) + 1
  }
  const digitsOf = (length: number): string =>
    Array.from({ length }, () => Math.floor(random() * 10)).join('')
  return Array.from({ length: count }, () => {
    // No price of 0, and no leading zero.
    const first = 1 + Math.floor(random() * 9)
    return `${first}${digitsOf(pick(integerDigitShares) - 1)}.${digitsOf(pick(decimalShares))}`
  })
}
