import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lastValueFrom, toArray, type Observable } from 'rxjs'
import { nodePlatform } from '../../../../src/backtest/recording/read/node-platform.js'
import type { StartedFile } from '../../../../src/backtest/history/past-reading.js'
import { parseRotatedPath } from '../../../../src/backtest/recording/codec/rotated-path.js'
import { openableSource } from '../../../../src/backtest/recording/read/source.js'
import { newFolder } from '../../../support/new-folder.js'

/** Writes files to a new folder, which is removed after the test. Returns their paths. */
export const writeFiles = (files: Readonly<Record<string, string | Uint8Array>>): readonly string[] => {
  const folder = newFolder()
  return Object.entries(files).map(([name, content]) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  })
}

/** The files of a reading. The start of a file whose name has none is 0. */
export const startedFiles = (paths: readonly string[]): readonly StartedFile[] =>
  paths.map((path) => ({
    file: openableSource(nodePlatform, path),
    start: parseRotatedPath(path)?.at ?? 0,
  }))

export const eventsOf = <A>(source$: Observable<A>): Promise<readonly A[]> =>
  lastValueFrom(source$.pipe(toArray()))
