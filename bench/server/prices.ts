/** The same numbers in each run, between 0 and 1: runs are to differ by the machine alone. */
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

/** How often a price has 1, 2, … 8 decimals, and 1, 2, 3 digits before them, in shares. */
const decimals = [0.1, 0.15, 0.2, 0.2, 0.14, 0.1, 0.06, 0.05]
const digits = [0.5, 0.3, 0.2]

/** Prices as the service writes them, so many different ones that none is worth remembering. */
export const createPrices = (count: number): readonly string[] => {
  const random = createRandom(1)
  const pick = (shares: readonly number[]): number => {
    let left = random()
    const index = shares.findIndex((share) => (left -= share) < 0)
    return (index === -1 ? shares.length - 1 : index) + 1
  }
  const digitsOf = (length: number): string =>
    Array.from({ length }, () => Math.floor(random() * 10)).join('')
  return Array.from({ length: count }, () => {
    // Never 0, and never a zero in front.
    const first = 1 + Math.floor(random() * 9)
    return `${first}${digitsOf(pick(digits) - 1)}.${digitsOf(pick(decimals))}`
  })
}
