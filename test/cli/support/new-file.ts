import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A path in a folder of its own, which goes with the test; with a text, a file. */
export const newFile = (name: string, text?: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, name)
  if (text !== undefined) writeFileSync(path, text)
  return path
}
