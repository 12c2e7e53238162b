/** Returns the next pseudo-random number, from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number

/** FNV-1a: a 32-bit hash of a string. */
const hash = (text: string): number => {
  let bits = 0x811c9dc5
  for (const byte of Buffer.from(text)) bits = Math.imul(bits ^ byte, 0x01000193)
  return bits >>> 0
}

/** Mulberry32, seeded with the hash of a string. Small, and deterministic on every machine; not for cryptography. */
export const seededRandom = (seed: string): Random => {
  let state = hash(seed)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
