/** The next number, from 0 up to but not including 1. */
export type Random = () => number

/** FNV-1a: a text as 32 bits. */
const hash = (text: string): number => {
  let bits = 0x811c9dc5
  for (const byte of Buffer.from(text)) bits = Math.imul(bits ^ byte, 0x01000193)
  return bits >>> 0
}

/** Mulberry32, started from a text: small, well known, the same on every machine, and no secret to anybody. */
export const seededRandom = (seed: string): Random => {
  let state = hash(seed)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
