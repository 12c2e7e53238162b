import type { Writable } from 'node:stream'

/** Resolves when whoever reads the output has gone, as `head` does. Rejects when it cannot be written to. */
export const outputClosed = (output: Writable = process.stdout): Promise<void> =>
  new Promise((resolve, reject) => {
    // It stays: more than one write may fail, and a failure that nobody hears ends the process.
    output.on('error', (error: NodeJS.ErrnoException) => (error.code === 'EPIPE' ? resolve() : reject(error)))
  })

/** Resolves when the text is written, or nobody reads it. */
export const print = (text: string, output: Writable = process.stdout): Promise<void> => {
  const written = new Promise<void>((resolve) => {
    output.write(text, (error) => {
      if (error === null || error === undefined) resolve()
    })
  })
  return Promise.race([written, outputClosed(output)])
}
