import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A new folder, which is removed after the test. Windows removes no folder while one of its files is still being closed. */
export const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-streams-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}
