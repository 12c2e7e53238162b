import { close, existsSync, mkdirSync, open as openWithCallback, read } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

/** A larger chunk than Node's default of 64 kB: a recording is read in less CPU time. */
export const chunkBytes = 2 ** 18

/**
 * The bytes of a file from a position on, in chunks. It is opened on the first read, which rejects if that fails. All chunks have the
 * same memory: new memory for each one takes more time than the read, and is released late. A number instead of a `FileHandle`,
 * whose thread may end before it is closed.
 */
export async function* readFileBytes(path: string | URL, start = 0): AsyncGenerator<Uint8Array, void> {
  const file = await openFile(path, 'r')
  try {
    const bytes = new Uint8Array(chunkBytes)
    // A pipe has no positions.
    let position = start === 0 ? null : start
    for (;;) {
      const { bytesRead } = await readFile(file, bytes, 0, chunkBytes, position)
      if (bytesRead === 0) return
      if (position !== null) position += bytesRead
      yield bytes.subarray(0, bytesRead)
    }
  } finally {
    await closeFile(file)
  }
}

const openFile = promisify(openWithCallback)
const readFile = promisify(read)
const closeFile = promisify(close)

/** Creates a folder and those above it. Node's `recursive: true` never ends where none can be created, as below `/proc`. */
export const createFolders = (path: string): void => {
  if (existsSync(path)) return
  createFolders(dirname(path))
  mkdirSync(path)
}

/** The name of a file until it is complete. */
export const partOf = (path: string): string => `${path}.part`
