import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Returns a path in a new folder, which is removed after the test. Creates the file if `text` is given. */
export const newFile = (name: string, text?: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, name)
  if (text !== undefined) writeFileSync(path, text)
  return path
}
