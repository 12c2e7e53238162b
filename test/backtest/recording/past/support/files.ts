import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lastValueFrom, toArray, type Observable } from 'rxjs'
import { newFolder } from '../../../../support/new-folder.js'

/** Writes files to a new folder, which is removed after the test. Returns their paths. */
export const writeFiles = (files: Readonly<Record<string, string | Uint8Array>>): readonly string[] => {
  const folder = newFolder()
  return Object.entries(files).map(([name, content]) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  })
}

export const eventsOf = <A>(source$: Observable<A>): Promise<readonly A[]> =>
  lastValueFrom(source$.pipe(toArray()))
