import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastValueFrom, toArray, type Observable } from 'rxjs'
import { onTestFinished } from 'vitest'

/** Writes files to a new folder, which is removed after the test. Returns their paths. */
export const writeFiles = (files: Readonly<Record<string, string | Uint8Array>>): readonly string[] => {
  const folder = mkdtempSync(join(tmpdir(), 'history-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return Object.entries(files).map(([name, content]) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  })
}

export const eventsOf = <A>(source$: Observable<A>): Promise<readonly A[]> =>
  lastValueFrom(source$.pipe(toArray()))
