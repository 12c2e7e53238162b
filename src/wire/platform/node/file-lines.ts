import { createReadStream } from 'node:fs'

/**
 * The lines of a file that processes may have been killed while they wrote it: a last line without an end is left out. Throws an
 * error of the system. `start`: where they begin, in bytes.
 */
export async function* wholeLines(path: string, start = 0): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, { encoding: 'utf8', start })) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
