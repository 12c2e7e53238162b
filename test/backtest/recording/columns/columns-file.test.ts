import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { isLeft } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Columns } from '../../../../src/backtest/recording/columns/columns.js'
import { columnsOf } from '../../../../src/backtest/recording/columns/columns-file.js'
import { allTimes } from '../../../../src/backtest/recording/format/timeline.js'
import { readSource } from '../../../../src/backtest/recording/read/read-entries.js'
import type { OpenableSource } from '../../../../src/backtest/recording/read/source.js'
import { newFolder } from '../../../support/new-folder.js'
import { header, priceRow, recordingText } from '../support/recordings.js'
import {
  columnsFor,
  columnsPath,
  counted,
  entriesOf,
  limits,
  plainEntries,
  sourceOf,
  writeColumns,
} from './support/readings.js'

const rows = (usd: number) => Array.from({ length: 20 }, (_, n) => priceRow(n * 100, usd + n))
const text = recordingText(header, ...rows(10))
const moreText = recordingText(priceRow(9_000, 1))

let folder = ''
let path = ''

beforeEach(() => {
  folder = newFolder()
  path = join(folder, 'market.ndjson')
  writeFileSync(path, text)
})

/** Expects that a reading gives what a reading without columns gives. Returns the number of readings from columns. */
const expectSame = async () => {
  const { columns, count } = counted(columnsFor(path))
  expect(await entriesOf(sourceOf(path, columns))).toEqual(await plainEntries(path))
  return count
}

/** Reads to the end. Calls back after the first chunk. Returns the number of lines. */
const forEachEntry = async (
  source: OpenableSource,
  writesColumns: boolean,
  onStart?: () => void,
): Promise<number> => {
  let lines = 0
  let isStarted = false
  for await (const result of readSource(source, allTimes, new Subscription(), { writesColumns })) {
    if (!isLeft(result)) lines += [...result.right].length
    if (!isStarted) onStart?.()
    isStarted = true
  }
  return lines
}

const entriesWith = (onStart: () => void) => forEachEntry(sourceOf(path), false, onStart)

describe('columns of a recording that has changed', () => {
  beforeEach(async () => {
    expect(await writeColumns(path)).toBe(true)
    expect(await expectSame()).toEqual({ found: 1, whole: 1 })
  })

  it('are not used when it has grown', async () => {
    appendFileSync(path, moreText)
    expect(await expectSame()).toEqual({ found: 0, whole: 0 })
  })

  it('are not used when a row in its middle was replaced, with the same size and time', async () => {
    const textWith = (usd: number) =>
      recordingText(header, ...Array.from({ length: 2_000 }, (_, n) => priceRow(n, n === 1_000 ? usd : 10)))
    writeFileSync(path, textWith(20))
    utimesSync(path, 1_000, 1_000)
    expect(await writeColumns(path)).toBe(true)
    writeFileSync(path, textWith(30))
    utimesSync(path, 1_000, 1_000)
    expect(statSync(path)).toMatchObject({ size: textWith(20).length, mtimeMs: 1_000_000 })
    expect(await expectSame()).toEqual({ found: 0, whole: 0 })
  })

  it('are not used when it was truncated', async () => {
    truncateSync(path, text.length - 20)
    expect(await expectSame()).toEqual({ found: 0, whole: 0 })
  })

  it('are continued by the rows that are appended during the reading', async () => {
    expect(await entriesWith(() => appendFileSync(path, moreText))).toBe(22)
  })

  it('are read to the end when both files are removed during the reading', async () => {
    const remove = (): void => {
      rmSync(path)
      rmSync(columnsPath(path))
    }
    expect(await entriesWith(remove)).toBe(21)
  })

  it('are continued by the recording that was open when they become damaged during the reading', async () => {
    const replace = (): void => {
      rmSync(path)
      writeFileSync(path, moreText)
      truncateSync(columnsPath(path), 200)
    }
    expect(await entriesWith(replace)).toBe(21)
  })
})

describe('columns are not kept', () => {
  /** Reads to the end with these columns. Returns the files in the folder. */
  const filesAfter = async (columns: Columns, onStart?: () => void): Promise<readonly string[]> => {
    await forEachEntry(sourceOf(path, columns), true, onStart)
    return readdirSync(folder).sort()
  }

  it('for a recording that is changed while it is read', async () => {
    expect(await filesAfter(columnsFor(path), () => appendFileSync(path, moreText))).toEqual([
      'market.ndjson',
    ])
  })

  it('for a recording that was changed just now', async () => {
    expect(await filesAfter(columnsOf(path, undefined, { ...limits, settledAge: 60_000 }))).toEqual([
      'market.ndjson',
    ])
  })

  it('for a short recording', async () => {
    expect(await filesAfter(columnsOf(path, undefined, { ...limits, minLength: 2 ** 24 }))).toEqual([
      'market.ndjson',
    ])
  })

  it('for a damaged recording', async () => {
    appendFileSync(path, 'no row\n')
    expect(await filesAfter(columnsFor(path))).toEqual(['market.ndjson'])
  })

  it('for a recording in another layout, whose rows are all texts', async () => {
    const rows = recordingText(...Array.from({ length: 1_100 }, (_, n) => priceRow(n, 1)))
    writeFileSync(path, text + rows.replaceAll('"at":', '"at": '))
    expect(await filesAfter(columnsFor(path))).toEqual(['market.ndjson'])
  })

  it('where another process writes them now', async () => {
    writeFileSync(`${columnsPath(path)}.lock`, `${process.ppid} unknown\n`)
    expect(await filesAfter(columnsFor(path))).toEqual(['market.ndjson', 'market.ndjson.columns.lock'])
  })

  it('where their file cannot be created', async () => {
    mkdirSync(columnsPath(path))
    expect(await filesAfter(columnsFor(path))).toEqual(['market.ndjson', 'market.ndjson.columns'])
  })

  it('if the reading ends early', async () => {
    const source = sourceOf(path)
    for await (const result of readSource(source, allTimes, new Subscription(), { writesColumns: true })) {
      if (!isLeft(result)) result.right[Symbol.iterator]().next()
      break
    }
    expect(readdirSync(folder)).toEqual(['market.ndjson'])
  })
})

it('columns that two readings write at once are those of one of them', async () => {
  const [first, second] = await Promise.all([1, 2].map(() => entriesOf(sourceOf(path), allTimes, true)))
  expect(first).toEqual(second)
  expect(readdirSync(folder).sort()).toEqual(['market.ndjson', 'market.ndjson.columns'])
  expect(await expectSame()).toEqual({ found: 1, whole: 1 })
})

it('columns replace what a killed process left of them', async () => {
  writeFileSync(`${columnsPath(path)}.part`, 'rest')
  writeFileSync(`${columnsPath(path)}.lock`, `${2 ** 22} unknown\n`)
  expect(await writeColumns(path)).toBe(true)
  expect(await expectSame()).toEqual({ found: 1, whole: 1 })
  expect(readdirSync(folder).sort()).toEqual(['market.ndjson', 'market.ndjson.columns'])
})

it('columns have the permissions of the recording', async () => {
  const other = join(folder, 'private.ndjson')
  writeFileSync(other, text, { mode: 0o600 })
  await writeColumns(other)
  expect(statSync(columnsPath(other)).mode & 0o777).toBe(statSync(other).mode & 0o777)
})
