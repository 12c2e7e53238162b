import fc from 'fast-check'
import type { Ending, Piece } from './fake-tcp-socket.js'

/** How a stream is split into pieces. */
export interface Splitting {
  /** The mean length of a piece, in bytes; 0 for a single piece. */
  readonly meanLength: number
  /** True if a piece starts at the first frame. */
  readonly afterHandshake: boolean
  /** Percentage of pieces that arrive in the same turn as the previous piece. */
  readonly sameTurnPercent: number
  readonly seed: number
}

export const anySplitting = fc.record<Splitting>({
  meanLength: fc.constantFrom(0, 0, 1, 2, 3, 7, 20, 60, 200),
  afterHandshake: fc.boolean(),
  sameTurnPercent: fc.constantFrom(0, 0, 50, 100),
  seed: fc.nat(),
})

/** Xorshift: pseudo-random numbers in [0, 1). */
const seededNumbers = (seed: number): (() => number) => {
  let state = (seed ^ 0x9e3779b9) | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/** The approximate maximum number of pieces, because a long frame byte by byte would take too long. */
const maxPieces = 200

/** Splits the response to the upgrade, and the stream after it. */
export const splitStream = (handshake: Buffer, stream: Buffer, splitting: Splitting): readonly Piece[] => {
  const all = Buffer.concat([handshake, stream])
  const random = seededNumbers(splitting.seed)
  const pieces: Piece[] = []
  const mean = Math.max(splitting.meanLength, Math.ceil(all.length / maxPieces))
  for (let from = 0; from < all.length;) {
    const size =
      splitting.meanLength === 0 ? all.length : mean === 1 ? 1 : 1 + Math.floor(random() * (2 * mean - 1))
    const isBefore = splitting.afterHandshake && from < handshake.length
    const to = Math.min(from + size, isBefore ? handshake.length : all.length)
    pieces.push({ bytes: all.subarray(from, to), sameTurn: random() * 100 < splitting.sameTurnPercent })
    from = to
  }
  return pieces
}

export const anyEnding = fc.constantFrom<Ending>('end', 'end', 'reset', 'closed')
