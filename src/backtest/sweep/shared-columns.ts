import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRight } from 'fp-ts/lib/Either.js'
import { defer, finalize, from, Subscription, switchMap, type Observable } from 'rxjs'
import type { ColumnsWriting } from '../recording/columns/columns.js'
import { columnsOf } from '../recording/columns/columns-file.js'
import { allTimes } from '../recording/format/timeline.js'
import { nodePlatform } from '../recording/on-node.js'
import { readSource } from '../recording/read/read-entries.js'
import { openableSource, type OpenableSource } from '../recording/read/source.js'
import type { WorkerFile } from './messages.js'

/** The source that a worker opens. `hasColumns`: true if it may have columns. */
export const openedSource = ({ kind, name, columns }: WorkerFile, hasColumns = false): OpenableSource => {
  const part = kind === 'path' ? name : new URL(name)
  const source = openableSource(nodePlatform, part, undefined, hasColumns)
  return hasColumns && columns !== undefined ? { ...source, columns: columnsOf(part, columns) } : source
}

/**
 * Runs workers that read the same columns of each file. A recording without columns is decoded once before: into columns beside
 * it, or into a temporary file, which is removed at the end. Where neither can be written, each worker decodes the recording.
 */
export const withSharedColumns$ = <A>(
  files: readonly WorkerFile[],
  run$: (files: readonly WorkerFile[]) => Observable<A>,
): Observable<A> =>
  defer(() => {
    const closing = new Subscription()
    return from(sharedColumns(files, closing)).pipe(
      switchMap(run$),
      finalize(() => closing.unsubscribe()),
    )
  })

const sharedColumns = async (
  files: readonly WorkerFile[],
  closing: Subscription,
): Promise<readonly WorkerFile[]> => {
  const shared: WorkerFile[] = []
  for (const file of files) shared.push(await withColumns(file, closing).catch(() => file))
  return shared
}

const withColumns = async (file: WorkerFile, closing: Subscription): Promise<WorkerFile> => {
  const beside = openedSource(file, true).columns
  if (beside === undefined || (await beside.read()) !== undefined) return file
  const writing = await beside.write()
  if (writing !== undefined) {
    await decodeTo(writing, file, closing)
    return file
  }
  const folder = mkdtempSync(join(tmpdir(), 'svc-streams-'))
  closing.add(() => remove(folder))
  const other = { ...file, columns: join(folder, 'recording.columns') }
  const temporary = await openedSource(other, true).columns?.write()
  if (temporary === undefined) return file
  await decodeTo(temporary, file, closing)
  return other
}

const remove = (folder: string): void => {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // Windows removes no file that a worker still reads.
  }
}

/** Decodes a file into columns, up to a damaged line. */
const decodeTo = async (writing: ColumnsWriting, file: WorkerFile, closing: Subscription): Promise<void> => {
  const columns = { read: () => Promise.resolve(undefined), write: () => Promise.resolve(writing) }
  const source = { ...openedSource(file), columns }
  for await (const entries of readSource(source, allTimes, closing, { writesColumns: true }))
    if (isRight(entries)) void Array.from(entries.right)
}
