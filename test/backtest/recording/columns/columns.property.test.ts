import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { lastValueFrom, map, merge, timestamp, toArray } from 'rxjs'
import { expect, it } from 'vitest'
import { encodeRow } from '../../../../src/backtest/recording/format/row-codec.js'
import type { RecordingHeader, Row } from '../../../../src/backtest/recording/format/row.js'
import { replaySettings } from '../../../../src/backtest/recording/replay/replay-options.js'
import { replaySources } from '../../../../src/backtest/recording/replay/replay.js'
import type { OpenableSource } from '../../../../src/backtest/recording/read/source.js'
import { newFolder } from '../../../support/new-folder.js'
import { caseCount } from '../../../support/run/long.js'
import { row } from '../support/generated-rows.js'
import { header, mint, other, start, topic } from '../support/recordings.js'
import {
  columnsFor,
  columnsPath,
  counted,
  entriesOf,
  plainEntries,
  plainSource,
  sourceOf,
  writeColumns,
} from './support/readings.js'

// Random recordings, read from their columns and without them.

const quantity = fc.oneof(
  fc.bigInt(0n, 2n ** 63n),
  fc.bigInt(2n ** 63n, 2n ** 65n),
  fc.bigInt(2n ** 127n, 2n ** 129n),
)
/** Mostly without an exponent, as `record` writes them: a row with another number is a text. */
const usd = fc.oneof(
  { weight: 4, arbitrary: fc.nat().map((thousandths) => thousandths / 1_000) },
  fc.double({ min: 0, max: 1e9, noNaN: true }),
)
const price = usd.filter((value) => value > 0)
const side = fc.record({ totalQuantity: quantity, totalQuantityUsd: usd })
const run = fc.constantFrom('a', 'b-1')

/** Rows in the layout of `record`, of few topics, at a time. */
const usualRow = (at: number): fc.Arbitrary<Row> =>
  fc.oneof(
    fc
      .record({
        of: fc.constantFrom(topic, other),
        price,
        late: fc.constantFrom(0, 0.25, 12),
        epoch: fc.nat(2),
      })
      .chain(({ of, price: value, late, epoch }) =>
        fc.option(fc.record({ run, count: fc.nat() }), { nil: undefined }).map((position) => ({
          ...{ _tag: 'Price' as const, at, topic: of },
          event: { _tag: 'Right' as const, right: { topic: of, price: value, receivedAt: at - late, epoch } },
          ...(position === undefined ? {} : { position }),
        })),
      ),
    fc.record({ price, buy: side, sell: side }).map((depth) => ({
      ...{ _tag: 'Depth' as const, at, mint },
      event: {
        _tag: 'Right' as const,
        right: { mint, price: depth.price, timestamp: at, buy: depth.buy, sell: depth.sell, receivedAt: at },
      },
    })),
  )

const headerLine = (at: number): fc.Arbitrary<RecordingHeader> =>
  fc.constantFrom(
    { ...header, at },
    { ...header, at, clockStep: -5_000 },
    { ...header, at, continues: start },
  )

/** The text of a line: as `record` writes it, or as somebody else does. */
const textOf = (line: Row | RecordingHeader) =>
  fc
    .constantFrom(
      (text: string) => text,
      (text) => ` ${text}`,
      (text) => `${text}\r`,
      (text) => text.replace('"at":', '"at": '),
    )
    .map((format) => format(encodeRow(line)))

const lineAt = (at: number): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 12, arbitrary: usualRow(at).map(encodeRow) },
    { weight: 2, arbitrary: usualRow(at).chain(textOf) },
    { weight: 3, arbitrary: row.chain((any) => textOf({ ...any, at })) },
    { weight: 1, arbitrary: headerLine(at).chain(textOf) },
    { weight: 1, arbitrary: fc.constantFrom('', '  ', '\r') },
  )

const day = 86_400_000

const recording = fc
  .array(
    fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom(0, 1, 250, 1_000.5, 60_000) },
      { weight: 2, arbitrary: fc.constantFrom(-1, -30_000) },
      { weight: 1, arbitrary: fc.constantFrom(100 * day, 200 * day) },
    ),
    { maxLength: 40 },
  )
  .chain((distances) => {
    let at = start
    return fc.tuple(...distances.map((distance) => lineAt((at += distance))))
  })
  .chain((lines) =>
    fc.record({
      text: fc.constantFrom('\n', '\n', '').map((end) => [encodeRow(header), ...lines].join('\n') + end),
      isGzip: fc.boolean(),
      from: fc.constantFrom(-Infinity, start + 1, start + 90_000),
      to: fc.constantFrom(Infinity, start + 120_000, start + 150 * day),
    }),
  )

/** All events of a replay with the time at which they come. */
const eventsOf = async (source: OpenableSource): Promise<readonly string[]> => {
  const client = replaySources([source], replaySettings({ speed: Infinity }), () => undefined)
  const events = await lastValueFrom(
    client
      .run$((inner) =>
        merge(
          ...[topic, other].map((each) => inner.price$(each)),
          ...[inner.depth$(mint, 1000), inner.status$, inner.errors$],
        ).pipe(
          timestamp(),
          map((event) => JSON.stringify(event)),
        ),
      )
      .pipe(toArray()),
  )
  return [...events, JSON.stringify(await client.finished)]
}

it('a recording gives the same entries and events from its columns as without them', async () => {
  const path = join(newFolder(), 'market.ndjson')
  let whole = 0
  await fc.assert(
    fc.asyncProperty(recording, async ({ text, isGzip, from, to }) => {
      writeFileSync(path, isGzip ? gzipSync(text) : text)
      const all = await plainEntries(path)
      const part = await plainEntries(path, { from, to })
      const isWritten = await writeColumns(path)
      const { columns, count } = counted(columnsFor(path))
      expect(await entriesOf(sourceOf(path, columns))).toEqual(all)
      expect(await entriesOf(sourceOf(path, columns), { from, to })).toEqual(part)
      expect(await eventsOf(sourceOf(path, columns))).toEqual(await eventsOf(plainSource(path)))
      expect(count.found).toBe(isWritten ? 3 : 0)
      whole += count.whole
    }),
    { numRuns: caseCount(1_000) },
  )
  expect(whole).toBeGreaterThan(caseCount(1_000))
})

it('damaged columns are not used: the rest of the recording is read instead', async () => {
  const path = join(newFolder(), 'market.ndjson')
  await fc.assert(
    fc.asyncProperty(
      recording,
      fc.array(fc.record({ at: fc.noBias(fc.nat()), bit: fc.nat(7) }), { minLength: 1, maxLength: 8 }),
      fc.constantFrom('flip', 'cut'),
      async ({ text, from, to }, places, damage) => {
        writeFileSync(path, text)
        if (!(await writeColumns(path))) return
        const all = await plainEntries(path)
        const part = await plainEntries(path, { from, to })
        const whole = readFileSync(columnsPath(path))
        for (const { at, bit } of places) {
          const index = at % whole.length
          const damaged = Buffer.from(whole)
          damaged[index]! ^= 1 << bit
          writeFileSync(columnsPath(path), damage === 'flip' ? damaged : whole.subarray(0, index))
          expect(await entriesOf(sourceOf(path))).toEqual(all)
          expect(await entriesOf(sourceOf(path), { from, to })).toEqual(part)
        }
      },
    ),
    { numRuns: caseCount(500) },
  )
})
