import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The paths of the recordings in a folder. */
export const recordingsIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .sort()
    .map((name) => join(folder, name))
