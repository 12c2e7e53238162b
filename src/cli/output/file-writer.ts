import { appendFileSync, closeSync, openSync } from 'node:fs'
import type { LineWriter } from '../../recording/index.js'

/** Writes each line synchronously to a new file, so that no line is lost when the process is killed. */
export interface FileWriter extends LineWriter {
  readonly close: () => void
}

/** Throws if the file cannot be created or already exists: a recording is never overwritten. */
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
