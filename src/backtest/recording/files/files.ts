import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** Creates a folder and those above it. Node's `recursive: true` never ends where none can be created, as below `/proc`. */
export const createFolders = (path: string): void => {
  if (existsSync(path)) return
  createFolders(dirname(path))
  mkdirSync(path)
}

/** The name of a file until it is complete. */
export const partOf = (path: string): string => `${path}.part`
