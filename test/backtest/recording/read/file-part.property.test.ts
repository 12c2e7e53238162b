import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { merge } from 'rxjs'
import { openHistory } from 'svc-streams/history'
import { replay } from 'svc-streams/recording'
import { expect, it } from 'vitest'
import type { RecordingHeader, Row } from '../../../../src/backtest/recording/codec/row.js'
import { nodePlatform } from '../../../../src/backtest/recording/read/node-platform.js'
import { openableSources } from '../../../../src/backtest/recording/read/source.js'
import { Inspection } from '../../../../src/backtest/recording/summary/inspection.js'
import { caseCount } from '../../../support/run/long.js'
import { eventsOf, writeFiles } from '../../history/support/files.js'
import {
  collect,
  down,
  errorRow,
  header,
  other,
  priceRow,
  recordingText,
  start,
  topic,
} from '../support/recordings.js'

// Of a plain file only a part is read, of a compressed one all lines: a range of both has the same events.

const minute = 60_000

/** A file has several parts if it has a few hundred kB. */
const rowsAMinute = 20

/** What a recorder does in a minute. */
const minuteOf = fc.constantFrom(
  'records',
  'records',
  'records',
  'continues',
  'starts again',
  'is down',
  'is off',
)

const linesOf = (minutes: readonly string[]): readonly (Row | RecordingHeader)[] => {
  let last = header
  return minutes.flatMap((what, n) => {
    const at = n * minute
    if (what === 'is off') return []
    const next: RecordingHeader = { ...header, at: start + at }
    const first: (Row | RecordingHeader)[] = []
    if (n === 0 || what === 'starts again') first.push((last = next))
    else if (what === 'continues') first.push((last = { ...next, continues: last.at }))
    else if (what === 'is down') first.push(errorRow(at, down))
    const rows = Array.from({ length: rowsAMinute }, (_, index) =>
      priceRow(at + (index + 1) * 1000, n * rowsAMinute + index + 1, index % 5 === 0 ? other : topic),
    )
    return [...first, ...rows]
  })
}

const played = async (file: string, range: { readonly from: number; readonly to: number }) => {
  const client = replay(file, { speed: Infinity, ...range })
  const events = await collect(client.run$((inside) => merge(inside.price$(topic), inside.price$(other))))
  return { events, finished: await client.finished }
}

const summaries = async (file: string, range: { readonly from: number; readonly to: number }) => {
  const inspection = new Inspection()
  await inspection.read(openableSources(nodePlatform, [file]), range)
  return inspection.summaries()
}

const records = (minutes: number): readonly string[] => Array.from({ length: minutes }, () => 'records')

const wholePart = { from: start + 150 * minute, to: start + 200 * minute }

/** A plain file, of whose first 150 minutes most lines are left out. */
const newFile = (minutes: readonly string[]): string => {
  const [file = ''] = writeFiles({ 'market.ndjson': recordingText(...linesOf(minutes)) })
  return file
}

it('plays no outage at a header that continues one of the lines that are left out', async () => {
  const file = newFile([...records(60), 'continues', ...records(99), 'continues', ...records(39)])
  const { events } = await played(file, wholePart)
  expect(events).toHaveLength(50 * rowsAMinute)
  expect(events.every((event) => isRight(event) && event.right.epoch === 1)).toBe(true)
})

it('has the gap of a recorder that was started again within a part', async () => {
  const file = newFile([...records(160), ...records(10).map(() => 'is off'), 'starts again', ...records(29)])
  const past = await eventsOf(openHistory([file]).prices$(topic, wholePart))
  const from = start + 159 * minute + rowsAMinute * 1000
  const gap = { _tag: 'Gap', topic, from, to: start + 170 * minute + 2000, cause: 'unrecorded' }
  expect(past).toContainEqual({ _tag: 'Right', right: gap })
})

it('has the gap of a missing file of a recorder within a part', async () => {
  const missing = { ...header, at: start + 160 * minute, continues: start }
  const next = { ...header, at: start + 170 * minute, continues: missing.at }
  const rows = [...records(160), ...records(10).map(() => 'is off'), ...records(30)]
  const lines = linesOf(rows)
  const end = lines.findIndex(({ at }) => at >= next.at)
  const [file = ''] = writeFiles({
    'market.ndjson': recordingText(...lines.slice(0, end), next, ...lines.slice(end)),
  })
  const past = await eventsOf(openHistory([file]).prices$(topic, wholePart))
  const from = start + 159 * minute + rowsAMinute * 1000
  const gap = { _tag: 'Gap', topic, from, to: start + 170 * minute + 2000, cause: 'unrecorded' }
  expect(past).toContainEqual({ _tag: 'Right', right: gap })
  const { events } = await played(file, wholePart)
  expect(events.filter(isLeft)).toHaveLength(2)
})

it('inspects no header after the range', async () => {
  const file = newFile([...records(160), 'starts again', ...records(39)])
  const range = { from: start, to: start + 160 * minute }
  const [summary] = await summaries(file, range)
  expect(summary?.gaps.unrecorded.count).toBe(0)
})

it('has the events of the whole file, for any part of a plain file', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(minuteOf, { minLength: 120, maxLength: 200 }),
      fc.array(fc.nat({ max: 200 * minute }), { minLength: 6, maxLength: 6 }),
      async (minutes, times) => {
        const text = recordingText(...linesOf(['records', ...minutes]))
        const [plain = '', gzip = ''] = writeFiles({ 'a.ndjson': text, 'b.ndjson.gz': gzipSync(text) })
        for (const [index, one] of times.entries()) {
          const two = times[index + 1] ?? 0
          const range = { from: start + Math.min(one, two), to: start + Math.max(one, two) + 1 }
          expect(await played(plain, range)).toEqual(await played(gzip, range))
          const past = (file: string) => eventsOf(openHistory([file]).prices$(topic, range))
          const expected = await past(gzip)
          expect(expected.every(isRight)).toBe(true)
          expect(await past(plain)).toEqual(expected)
          expect(await summaries(plain, range)).toEqual(await summaries(gzip, range))
        }
      },
    ),
    { numRuns: caseCount(20) },
  )
})
