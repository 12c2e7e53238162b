import { Transform } from 'node:stream'

/** A writable, as far as it says how far its reader is behind. */
export interface Drainable {
  readonly writableNeedDrain: boolean
  readonly once: (event: 'drain', read: () => void) => unknown
}

/**
 * Passes on what comes, and no faster than an output takes what is made of it: otherwise all that a slow reader has yet
 * to read would be kept in memory.
 */
export const drained = (output: Drainable): Transform =>
  new Transform({
    transform: (piece, _encoding, done) => {
      if (output.writableNeedDrain) output.once('drain', () => done(null, piece))
      else done(null, piece)
    },
  })
