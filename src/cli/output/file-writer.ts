import { appendFileSync, closeSync, openSync } from 'node:fs'
import type { LineWriter } from '../../recording/index.js'

/** A new file that is written to line by line, each before anything else goes on: whatever ends the process, it is there. */
export interface FileWriter extends LineWriter {
  readonly close: () => void
}

/** Throws where the file cannot be made, or is there already: a recording is not written over. */
export const createFileWriter = (path: string): FileWriter => {
  const file = openSync(path, 'wx')
  return {
    write: (line, done) => {
      try {
        appendFileSync(file, line)
      } catch (thrown) {
        done(thrown as Error)
        return
      }
      done()
    },
    close: () => closeSync(file),
  }
}
