import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import type { Topic } from 'svc-streams'
import { openHistory } from 'svc-streams/history'
import { expect, it } from 'vitest'
import { encodeRow } from '../../../../src/backtest/recording/codec/row-codec.js'
import type { PriceRow, RecordingHeader } from '../../../../src/backtest/recording/codec/row.js'
import { caseCount } from '../../../support/run/long.js'
import { eventsOf, writeFiles } from '../../history/support/files.js'
import { header, other, priceRow, start, topic } from '../support/recordings.js'
import { ofExport, ofInspect, ofReplay, ofSweep, ofTopics } from './support/readers.js'

// Random sets of recordings, as each reader reads them. Two files with one topic at one time are an error, which
// `recording-set.test.ts` tests.

type Line = RecordingHeader | PriceRow

const forms = ['plain', 'gzip', 'crlf', 'bom', 'members'] as const

const recorder = fc.record({
  /** Seconds since the last row of the recorder before. */
  gap: fc.integer({ min: 1, max: 8 }),
  rows: fc.array(
    fc.record({
      /** Seconds since the row before. */
      after: fc.integer({ min: 0, max: 3 }),
      of: fc.nat(1),
    }),
    { maxLength: 9 },
  ),
  /** The files after the first one continue it, at these rows. */
  cuts: fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { maxLength: 2 }),
  form: fc.constantFrom(...forms),
})

type RecorderCase = typeof recorder extends fc.Arbitrary<infer A> ? A : never

interface Recorder {
  readonly form: (typeof forms)[number]
  /** The lines of each file. */
  readonly files: readonly (readonly Line[])[]
}

/** Recorders of these topics, one after another. `offset`: the ms of all times, by which they differ from other topics'. */
const recordersOf = (
  topics: readonly Topic[],
  cases: readonly RecorderCase[],
  offset: number,
): readonly Recorder[] => {
  let at = 0
  let price = offset
  return cases.map(({ gap, rows, cuts, form }) => {
    at += gap
    const first: RecordingHeader = { ...header, at: start + at * 1000 + offset, topics, mints: [] }
    const files: Line[][] = [[first]]
    let last = first
    for (const [n, { after, of }] of rows.entries()) {
      at += after
      if (cuts.includes(n) && after > 0)
        files.push([(last = { ...first, at: start + at * 1000 + offset, continues: last.at })])
      files.at(-1)!.push(priceRow(at * 1000 + offset, ++price, topics[of % topics.length]) as PriceRow)
    }
    return { form, files }
  })
}

const contentOf = (lines: readonly Line[], form: (typeof forms)[number]): string | Uint8Array => {
  const texts = lines.map((line) => `${encodeRow(line)}\n`)
  switch (form) {
    case 'plain':
      return texts.join('')
    case 'gzip':
      return gzipSync(texts.join(''))
    case 'crlf':
      return texts.join('').replaceAll('\n', '\r\n')
    case 'bom':
      return `\uFEFF${texts.join('')}`
    case 'members':
      return Buffer.concat(texts.map((text) => gzipSync(text)))
  }
}

/** Recorders of both topics, or of one each, which overlap in time. */
const sets: fc.Arbitrary<readonly Recorder[]> = fc
  .oneof(
    fc.array(recorder, { minLength: 1, maxLength: 3 }).map((both) => recordersOf([topic, other], both, 0)),
    fc
      .tuple(fc.array(recorder, { maxLength: 3 }), fc.array(recorder, { maxLength: 3 }))
      .map(([first, second]) => [...recordersOf([topic], first, 0), ...recordersOf([other], second, 500)]),
  )
  .filter((recorders) => recorders.length > 0)

const topicsOf = ([first]: readonly Line[]): readonly Topic[] => (first as RecordingHeader).topics

/** The topics, with the times of their first and last rows. */
const coveredTopics = (rows: readonly PriceRow[]) =>
  [topic, other].flatMap((each) => {
    const times = rows.filter((row) => row.topic === each).map(({ at }) => at)
    return times.length === 0 ? [] : [{ topic: each, from: Math.min(...times), to: Math.max(...times) }]
  })

const priceOf = ({ event }: PriceRow): number => (isRight(event) ? event.right.price : NaN)

interface RandomSet {
  readonly files: readonly string[]
  /** The lines of each recorder. */
  readonly all: readonly (readonly Line[])[]
  readonly rows: readonly PriceRow[]
}

const written = (recorders: readonly Recorder[], turn: number): RandomSet => {
  const paths = recorders.flatMap(({ form, files }) =>
    files.flatMap((lines, n) => writeFiles({ [`${n}.ndjson`]: contentOf(lines, form) })),
  )
  const by = turn % paths.length
  const all = recorders.map(({ files }) => files.flat())
  const rows = all.flat().filter((line): line is PriceRow => line._tag === 'Price')
  return {
    files: [...paths.slice(by), ...paths.slice(0, by)],
    all,
    rows: rows.toSorted((a, b) => a.at - b.at),
  }
}

it('plays, exports, inspects and reads the same rows of any recordings', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(sets, fc.nat(), fc.nat(30), fc.nat(30), async (cases, turn, a, b) => {
      const { files, rows, all } = written(cases, turn)
      const prices = rows.map(priceOf)
      expect(await ofReplay([...files])).toEqual(prices)
      expect(await ofExport(files)).toEqual(prices)
      const of = (each: Topic) => rows.filter((row) => row.topic === each)
      expect(await ofInspect(files)).toEqual([of(topic).length, of(other).length])
      expect(await ofTopics(files)).toEqual(coveredTopics(rows))
      const history = openHistory([...files])
      const range = { from: start + Math.min(a, b) * 1000, to: start + Math.max(a, b) * 1000 + 1 }
      for (const each of [topic, other].filter((name) =>
        all.some((lines) => topicsOf(lines).includes(name)),
      )) {
        const past = await eventsOf(history.prices$(each, range))
        const values = past.map((event) => (isLeft(event) ? event.left : event.right))
        expect(values.filter(({ _tag }) => _tag !== 'Gap')).toMatchObject(
          of(each)
            .filter(({ at }) => at >= range.from && at < range.to)
            .map((row) => ({ price: priceOf(row), at: row.at })),
        )
      }
    }),
    { numRuns: caseCount(1000) },
  )
})

it('plays the same rows in a sweep', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(sets, fc.nat(), async (cases, turn) => {
      const { files, rows } = written(cases, turn)
      expect(await ofSweep(files)).toEqual(rows.map(priceOf))
    }),
    { numRuns: caseCount(40) },
  )
})
