import { readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { depth } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { unsupportedPair } from '../../../src/base/errors/constructors.js'
import { encodeRow } from '../../../src/backtest/recording/codec/row-codec.js'
import type { RecordingHeader, Row } from '../../../src/backtest/recording/codec/row.js'
import { row } from '../../backtest/recording/support/generated-rows.js'
import { caseCount } from '../../support/run/long.js'
import { skipIf } from '../../support/run/skip.js'
import { commandLine, startCommand } from '../support/command.js'
import { runInProcess } from '../support/in-process.js'
import { newFile } from '../support/new-file.js'
import { at, header, priced } from '../support/recording.js'

const textOf = (rows: readonly (Row | RecordingHeader)[]): string =>
  [header, ...rows].map((each) => `${encodeRow(each)}\n`).join('')

/** Exports a recording in a new folder. */
const exported = async (text: string) => {
  const recording = newFile('market.ndjson', text)
  const out = recording.replace('ndjson', 'parquet')
  const { code, stderr } = await runInProcess(['export', recording, '--out', out])
  const read = async (table: string) =>
    parquetReadObjects({ file: await asyncBufferFromFile(out.replace('parquet', `${table}.parquet`)) })
  return { code, stderr, read, out, recording, files: () => readdirSync(dirname(out)).sort() }
}

/**
 * Runs `export` in a process that can write only the first block of a file, as on a disk that becomes full. The system then
 * reports `EFBIG`, not `ENOSPC`.
 */
const exportOnFullDisk = async (recording: string, out: string) => {
  const command = commandLine('export', recording, '--out', out)
  const child = startCommand(['sh', '-c', 'ulimit -f 1 && exec "$@"', 'sh', ...command])
  return { code: await child.waitForExit(), stderr: child.stderr }
}

const depthRow = (ms: number, units: bigint): Row => ({
  _tag: 'Depth',
  at: at + ms,
  mint: '0xab',
  event: right(
    depth('0xab', {
      price: 2.5,
      timestamp: at + 1,
      receivedAt: at + ms,
      buy: { totalQuantity: units, totalQuantityUsd: 3 },
      sell: { totalQuantity: 7n, totalQuantityUsd: 4 },
    }),
  ),
})

const time = (ms: number) => new Date(at + ms)

describe('export', () => {
  it('writes the same tables as CSV, with all digits', async () => {
    const recording = newFile('market.ndjson', textOf([priced(1, 12.5), depthRow(2, 10n ** 37n + 1n)]))
    const out = recording.replace('ndjson', 'csv')
    const { code, stdout } = await runInProcess(['export', recording, '--out', out])
    expect(code).toBe(0)
    expect(stdout).toContain('Wrote 2 rows to ')
    const read = (table: string) => readFileSync(out.replace('csv', `${table}.csv`), 'utf8').split('\r\n')
    const iso = (ms: number): string => time(ms).toISOString()
    expect(read('prices')).toEqual([
      'at,topic,price,received_at,epoch',
      `${iso(1)},svc-0xab,12.5,${iso(1)},1`,
      '',
    ])
    expect(read('depths')[1]).toBe(
      `${iso(2)},0xab,2.5,${iso(1)},10000000000000000000000000000000000001,3,7,4,${iso(2)}`,
    )
    expect(read('events')[1]).toMatch(/^[^,]+,Recording,,,,"{""_tag"":""Recording""/)
  })

  it('writes prices, depths and all other rows to one table each', async () => {
    const refused: Row = {
      _tag: 'Depth',
      at: at + 3,
      mint: '0xab',
      event: left(unsupportedPair('0xab', undefined, 'no')),
    }
    const { read, code, files } = await exported(
      textOf([priced(1, 12.5), depthRow(2, 10n ** 37n + 1n), refused]),
    )
    expect(code).toBe(0)
    expect(await read('prices')).toEqual([
      { at: time(1), topic: 'svc-0xab', price: 12.5, received_at: time(1), epoch: 1n },
    ])
    const [side] = await read('depths')
    expect(side).toMatchObject({
      at: time(2),
      mint: '0xab',
      price: 2.5,
      timestamp: time(1),
      buy_usd: 3,
      sell_usd: 4,
    })
    expect(await read('events')).toMatchObject([
      { at: time(0), kind: 'Recording', stream: null },
      { at: time(3), kind: 'Depth', stream: '0xab', tag: 'UnsupportedPair' },
    ])
    expect(files()).toEqual([
      'market.depths.parquet',
      'market.events.parquet',
      'market.ndjson',
      'market.prices.parquet',
    ])
  })

  it('writes a depth with more than 38 digits as an event', async () => {
    const long = depthRow(2, 10n ** 50n + 3n)
    const { read } = await exported(textOf([depthRow(1, 5n), long]))
    expect(await read('depths')).toHaveLength(1)
    expect((await read('events')).at(-1)).toMatchObject({
      kind: 'Depth',
      stream: '0xab',
      tag: null,
      row: encodeRow(long),
    })
  })

  it('rounds a time with a fraction of a ms down', async () => {
    const { read } = await exported(textOf([priced(1.5, 12.5)]))
    expect(await read('prices')).toMatchObject([{ at: time(1), received_at: time(1) }])
  })

  it('writes epochs with 64 bits', async () => {
    const first = { topic: 'svc-0xab', price: 1, receivedAt: at, epoch: 1 } as const
    const rows = [1, 2 ** 31, Number.MAX_SAFE_INTEGER].map((epoch): Row => ({
      _tag: 'Price',
      at,
      topic: 'svc-0xab',
      event: right({ ...first, epoch }),
    }))
    const { read } = await exported(textOf(rows))
    expect((await read('prices')).map((each): unknown => each['epoch'])).toEqual([
      1n,
      2n ** 31n,
      2n ** 53n - 1n,
    ])
  })

  it('keeps at most 8 MiB and a row in memory, however long the rows are', async () => {
    const count = 1500
    const rows = Array.from({ length: count }, (_, index): Row => {
      const input = `${String(index).padStart(6)}${'x'.repeat(16_000)}`
      const error = { _tag: 'UncorrelatedError', message: input, kind: 'error-text', input } as const
      return { _tag: 'Uncorrelated', at: at + index, error }
    })
    const { read, out } = await exported(textOf(rows))
    expect(await read('events')).toHaveLength(1 + count)
    const file = await asyncBufferFromFile(out.replace('parquet', 'events.parquet'))
    const { row_groups: groups, metadata_length: footer } = await parquetMetadataAsync(file)
    expect(groups.length).toBeGreaterThan(5)
    for (const { total_byte_size: size } of groups) expect(Number(size)).toBeLessThan(8 * 2 ** 20 + 100_000)
    // The memory of the metadata does not contain texts of the rows.
    expect(footer).toBeLessThan(groups.length * 2000)
  })

  it('writes more rows than it keeps in memory', async () => {
    const count = 50_001
    const rows = Array.from({ length: count }, (_, ms) => priced(ms, ms + 1))
    const prices = await (await exported(textOf(rows))).read('prices')
    expect(prices).toHaveLength(count)
    expect(prices.at(-1)).toMatchObject({ at: time(count - 1), price: count })
  })

  it('exports the rows before a damage, and fails with the place of the damage', async () => {
    const { read, code, stderr } = await exported(`${textOf([priced(1, 1), priced(2, 2)])}{"_tag":"Pr`)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/line 4 of .*market\.ndjson/)])
    expect((await read('prices')).map((each): unknown => each['price'])).toEqual([1, 2])
  })

  it.each([
    ['is missing', undefined],
    ['is no recording', '[1, 2]\n'],
  ])('writes nothing if the recording %s', async (_, text) => {
    const recording = newFile('market.ndjson', text)
    const out = recording.replace('ndjson', 'parquet')
    const { code, stdout, stderr } = await runInProcess(['export', recording, '--out', out])
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('market.ndjson')])
    expect(readdirSync(dirname(out)).filter((file) => file !== 'market.ndjson')).toEqual([])
  })

  it('overwrites no file, and leaves no partial file', async () => {
    const { out, recording, files } = await exported(textOf([priced(1, 1)]))
    const before = files()
    const again = await runInProcess(['export', recording, '--out', out])
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('exists; choose another name')])
    expect(files()).toEqual(before)
  })

  it('writes no file for a name without .parquet, a missing recording, or a folder that does not exist', async () => {
    const recording = newFile('market.ndjson', textOf([priced(1, 1)]))
    const out = recording.replace('ndjson', 'parquet')
    expect(await runInProcess(['export', recording, '--out', `${out}.gz`])).toMatchObject({ code: 2 })
    const missing = `${dirname(out)}/no/m.parquet`
    expect(await runInProcess(['export', recording, '--out', missing])).toMatchObject({ code: 2 })
    expect(readdirSync(dirname(out))).toEqual(['market.ndjson'])
  })

  const onUnix = skipIf(process.platform === 'win32', 'Windows has no limit of the size of a file')

  it('names the table that a full disk cuts off', onUnix, async () => {
    const rows = Array.from({ length: 1000 }, (_, ms) => priced(ms, ms + 1))
    const recording = newFile('market.ndjson', textOf(rows))
    const { code, stderr } = await exportOnFullDisk(recording, recording.replace('ndjson', 'parquet'))
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /nothing was written, because \S+market\.prices\.parquet cannot be written \(file too large\); free space on the disk/,
      ),
    ])
    expect(readdirSync(dirname(recording))).toEqual(['market.ndjson'])
  })

  it('fails if the disk becomes full in the last write of a table as CSV', onUnix, async () => {
    const rows = Array.from({ length: 40 }, (_, index) => priced(index, index + 1))
    const recording = newFile('market.ndjson', textOf(rows))
    const { code, stderr } = await exportOnFullDisk(recording, recording.replace('ndjson', 'csv'))
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/market\.prices\.csv\.part cannot be written: file too large/),
    ])
    expect(readdirSync(dirname(recording))).toEqual(['market.ndjson'])
  })

  it('writes any row exactly once, with its values', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 40 }), async (generated) => {
        const rows = generated.map((each, index): Row => ({ ...each, at: at + index }))
        const { read, code } = await exported(textOf(rows))
        expect(code).toBe(0)
        const [prices, depths, events] = await Promise.all(['prices', 'depths', 'events'].map(read))
        const isValue = (each: Row, tag: 'Price' | 'Depth') =>
          each._tag === tag && each.event._tag === 'Right' && !hasLongQuantity(each)
        const times = (table: readonly Record<string, unknown>[] | undefined) =>
          table?.map((each) => Number(each['at']) - at)
        const indices = (holds: (each: Row) => boolean) =>
          rows.flatMap((each, index) => (holds(each) ? [index] : []))
        expect(times(prices)).toEqual(indices((each) => isValue(each, 'Price')))
        expect(times(depths)).toEqual(indices((each) => isValue(each, 'Depth')))
        expect(events?.slice(1).map((each): unknown => each['row'])).toEqual(
          rows.filter((each) => !isValue(each, 'Price') && !isValue(each, 'Depth')).map(encodeRow),
        )
        for (const [index, each] of rows.entries()) {
          if (each._tag === 'Price' && isRight(each.event)) {
            const written = prices?.find((price) => Number(price['at']) - at === index)
            expect(written).toMatchObject({
              price: each.event.right.price,
              epoch: BigInt(each.event.right.epoch),
            })
          } else if (each._tag === 'Depth' && isRight(each.event) && !hasLongQuantity(each)) {
            const written = depths?.find((side) => Number(side['at']) - at === index)
            expect(exactOf(written?.['buy_quantity'], each.event.right.buy.totalQuantity)).toBe(
              String(each.event.right.buy.totalQuantity),
            )
          }
        }
      }),
      { numRuns: caseCount(600) },
    )
  })
})

const hasLongQuantity = (row: Row): boolean =>
  row._tag === 'Depth' &&
  isRight(row.event) &&
  [row.event.right.buy, row.event.right.sell].some(({ totalQuantity }) => totalQuantity >= 10n ** 38n)

/** The reader of the test returns a decimal as a double: compared as one. DuckDB reads it exactly, in the long tests. */
const exactOf = (written: unknown, expected: bigint): string =>
  typeof written === 'number' && written === Number(expected) ? String(expected) : String(written)
