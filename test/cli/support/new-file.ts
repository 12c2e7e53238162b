import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from '../../support/new-folder.js'

/** Returns a path in a new folder, which is removed after the test. Creates the file if `text` is given. */
export const newFile = (name: string, text?: string): string => {
  const path = join(newFolder(), name)
  if (text !== undefined) writeFileSync(path, text)
  return path
}
