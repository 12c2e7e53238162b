import { existsSync, rmSync } from 'node:fs'
import { isLeft } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import type { Columns } from '../../../../../src/backtest/recording/columns/columns.js'
import { columnsOf } from '../../../../../src/backtest/recording/columns/columns-file.js'
import { allTimes, type TimeRange } from '../../../../../src/backtest/recording/format/timeline.js'
import { nodePlatform } from '../../../../../src/backtest/recording/on-node.js'
import { readSource } from '../../../../../src/backtest/recording/read/read-entries.js'
import { openableSource, type OpenableSource } from '../../../../../src/backtest/recording/read/source.js'

/** Limits for short recordings, which have several chunks. */
export const limits = { minLength: 1, minGzipLength: 1, settledAge: 0, linesPerChunk: 3 }

export const columnsPath = (path: string): string => `${path}.columns`

export const columnsFor = (path: string): Columns => columnsOf(path, undefined, limits)

/** The source with columns. */
export const sourceOf = (path: string, columns = columnsFor(path)): OpenableSource => ({
  ...plainSource(path),
  columns,
})

export const plainSource = (path: string): OpenableSource => openableSource(nodePlatform, path)

/** The JSON of all that a replay gets from a source, in order. Keys have the order of the objects. */
export const entriesOf = async (
  source: OpenableSource,
  range: TimeRange = allTimes,
  writesColumns = false,
): Promise<readonly string[]> => {
  const all: string[] = []
  for await (const result of readSource(source, range, new Subscription(), { writesColumns })) {
    if (isLeft(result)) all.push(jsonOf(result.left))
    else
      for (const { line, time, skipped, origin } of result.right)
        all.push(jsonOf({ line, time, skipped, source: origin.source, lineNumber: origin.lineNumber }))
  }
  return all
}

export const plainEntries = (path: string, range?: TimeRange): Promise<readonly string[]> =>
  entriesOf(plainSource(path), range)

/** Each number differs from each other one, also a negative zero. */
const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each === 'bigint') return `${each}n`
    return typeof each === 'number' && (!Number.isFinite(each) || Object.is(each, -0))
      ? `${1 / each} ${each}`
      : each
  })

/** Reads a recording to its end, which writes its columns. True if it has some. */
export const writeColumns = async (path: string): Promise<boolean> => {
  rmSync(columnsPath(path), { force: true })
  await entriesOf(sourceOf(path), allTimes, true)
  return existsSync(columnsPath(path))
}

/** Counts the readings that came from the columns. */
export const counted = (columns: Columns) => {
  const count = { found: 0, whole: 0 }
  const read: Columns['read'] = async () => {
    const reading = await columns.read()
    if (reading === undefined) return undefined
    count.found++
    const isCurrent = async (): Promise<boolean> => {
      const isWhole = await reading.isCurrent()
      if (isWhole) count.whole++
      return isWhole
    }
    return { ...reading, isCurrent }
  }
  return { count, columns: { ...columns, read } }
}
