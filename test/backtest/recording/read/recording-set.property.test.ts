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

// Random sets of recordings, as each reader reads them, against a simple evaluation of all their lines.

type Line = RecordingHeader | PriceRow

const forms = ['plain', 'gzip', 'crlf', 'bom', 'members'] as const

const recorder = fc.record({
  topics: fc.constantFrom<readonly Topic[]>([topic], [other], [topic, other]),
  from: fc.integer({ min: 0, max: 8 }),
  rows: fc.array(
    fc.record({
      /** Seconds since the row before. A clock may be set back. */
      after: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: 0, max: 3 }) },
        fc.integer({ min: -9, max: -1 }),
      ),
      of: fc.nat(1),
    }),
    { maxLength: 9 },
  ),
  /** The files after the first one continue it, at these rows. */
  cuts: fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { maxLength: 2 }),
  form: fc.constantFrom(...forms),
  isTwice: fc.boolean(),
})

type RecorderCase = typeof recorder extends fc.Arbitrary<infer A> ? A : never

/** The lines of each file of a recorder. */
const filesOf = ({ topics, from, rows, cuts }: RecorderCase, index: number): readonly (readonly Line[])[] => {
  let at = from
  // Each header has another time: two recorders could seem to continue each other.
  const first: RecordingHeader = { ...header, at: start + from * 1000 + index, topics, mints: [] }
  const files: Line[][] = [[first]]
  let last = first
  for (const [n, { after, of }] of rows.entries()) {
    at += after
    const headerAt = start + at * 1000 + index
    if (cuts.includes(n) && files.every(([each]) => each?.at !== headerAt))
      files.push([(last = { ...first, at: headerAt, continues: last.at })])
    files.at(-1)!.push(priceRow(at * 1000, 100 * index + n + 1, topics[of % topics.length]) as PriceRow)
  }
  return files
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

/** The rows in the order in which they are played. The recorders are in the order of their starts. */
const playedRows = (recorders: readonly (readonly Line[])[]): readonly PriceRow[] => {
  const waiting = recorders.map((lines) => [...lines])
  const starts = recorders.map(([first]) => first?.at ?? 0)
  const ends = recorders.map((lines) =>
    Math.max(...lines.map((line) => (line._tag === 'Price' ? line.at : -Infinity))),
  )
  const owners = new Map<Topic, number>()
  /** True if the recorder is the next owner of a topic: nobody has it, and none that has started earlier has more lines. */
  const isNext = (index: number, of: Topic, at: number): boolean => {
    const owner = owners.get(of)
    if (
      recorders.some(
        (lines, each) => each < index && topicsOf(lines).includes(of) && waiting[each]!.length > 0,
      )
    )
      return false
    if (owner === undefined) return true
    const isLater = starts[index]! > starts[owner]! && starts[index]! >= ends[owner]!
    return waiting[owner]!.length === 0 && (isLater || at > ends[owner]!)
  }
  const played: PriceRow[] = []
  for (;;) {
    const heads = waiting.map(([head]) => head?.at ?? Infinity)
    const index = heads.indexOf(Math.min(...heads))
    const line = waiting[index]?.shift()
    if (line === undefined) return played
    const isStart =
      line._tag === 'Recording' || (owners.get(line.topic) !== index && isNext(index, line.topic, line.at))
    // A recorder that becomes the owner of a topic starts with all of its topics.
    for (const of of isStart ? topicsOf(recorders[index]!) : [])
      if (owners.get(of) !== index && isNext(index, of, line.at)) owners.set(of, index)
    if (line._tag === 'Price' && owners.get(line.topic) === index) played.push(line)
  }
}

const sets = fc.array(recorder, { minLength: 1, maxLength: 4 })

const topicsOf = ([first]: readonly Line[]): readonly Topic[] => (first as RecordingHeader).topics

/** The topics, with the times of their first header and of the last line of their recordings. */
const coveredTopics = (recorders: readonly (readonly Line[])[]) =>
  [topic, other].flatMap((each) => {
    const lines = recorders.filter((of) => topicsOf(of).includes(each)).flat()
    if (lines.length === 0) return []
    const starts = lines.filter(({ _tag }) => _tag === 'Recording').map(({ at }) => at)
    return [{ topic: each, from: Math.min(...starts), to: Math.max(...lines.map(({ at }) => at)) }]
  })

const priceOf = ({ event }: PriceRow): number => (isRight(event) ? event.right.price : NaN)

interface RandomSet {
  readonly files: readonly string[]
  /** The lines of each recorder. */
  readonly all: readonly (readonly Line[])[]
  readonly rows: readonly PriceRow[]
}

const written = (cases: readonly RecorderCase[], turn: number): RandomSet => {
  const recorders = cases
    .flatMap((each, index) => {
      const recorder = { each, files: filesOf(each, index) }
      return each.isTwice ? [recorder, recorder] : [recorder]
    })
    .sort((a, b) => a.files[0]![0]!.at - b.files[0]![0]!.at || firstRowAt(a.files) - firstRowAt(b.files))
  const paths = recorders.flatMap(({ each, files }) =>
    files.flatMap((lines, n) => writeFiles({ [`${n}.ndjson`]: contentOf(lines, each.form) })),
  )
  const by = turn % paths.length
  const all = recorders.map(({ files }) => files.flat())
  return { files: [...paths.slice(by), ...paths.slice(0, by)], all, rows: playedRows(all) }
}

const firstRowAt = ([lines]: readonly (readonly Line[])[]): number => lines![1]?.at ?? lines![0]!.at

it('plays, exports, inspects and reads the same rows of any recordings', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(sets, fc.nat(), fc.nat(30), fc.nat(30), async (cases, turn, a, b) => {
      const { files, rows, all } = written(cases, turn)
      const prices = rows.map(priceOf)
      expect(await ofReplay([...files])).toEqual(prices)
      expect(await ofExport(files)).toEqual(prices)
      const of = (each: Topic) => rows.filter((row) => row.topic === each)
      expect(await ofInspect(files)).toEqual([of(topic).length, of(other).length])
      expect(await ofTopics(files)).toEqual(coveredTopics(all))
      const history = openHistory([...files])
      // A step back of the clock in a file that starts after the range is not found.
      const lastStart = Math.max(...all.flat().map((line) => (line._tag === 'Recording' ? line.at : 0)))
      const range = {
        from: start + Math.min(a, b) * 1000 - 9000,
        to: Math.max(lastStart, start + Math.max(a, b) * 1000) + 1,
      }
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
