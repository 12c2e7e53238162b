import { Transform, type Writable } from 'node:stream'

/** Resolves when the reader closes the pipe, as `head` does. Rejects on any other write error. */
export const outputClosed = (output: Writable = process.stdout): Promise<void> =>
  new Promise((resolve, reject) => {
    // The listener stays: several writes may fail, and an error without a listener ends the process.
    output.on('error', (error: NodeJS.ErrnoException) => (error.code === 'EPIPE' ? resolve() : reject(error)))
  })

/** Resolves when the text is written, or when the reader has closed the pipe. */
export const print = (text: string, output: Writable = process.stdout): Promise<void> => {
  const written = new Promise<void>((resolve) => {
    output.write(text, (error) => {
      if (error === null || error === undefined) resolve()
    })
  })
  return Promise.race([written, outputClosed(output)])
}

/** The part of a writable stream that signals backpressure. */
export interface Drainable {
  readonly writableNeedDrain: boolean
  readonly once: (event: 'drain', listener: () => void) => unknown
}

/**
 * Passes data on only while the output accepts it. Without this, all text that a slow reader has not read yet would be
 * held in memory.
 */
export const pacedBy = (output: Drainable): Transform =>
  new Transform({
    transform: (chunk, _encoding, done) => {
      if (output.writableNeedDrain) output.once('drain', () => done(null, chunk))
      else done(null, chunk)
    },
  })
