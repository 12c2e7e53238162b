import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { isRight, right } from 'fp-ts/lib/Either.js'
import { asyncScheduler, lastValueFrom, map, merge, take, toArray } from 'rxjs'
import type { Topic } from 'svc-streams'
import { openHistory } from 'svc-streams/history'
import { rights } from 'svc-streams/operators'
import { replay, type RecordingSource } from 'svc-streams/recording'
import { price } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import type { RecordingHeader, Row } from '../../../../src/backtest/recording/codec/row.js'
import { newFile } from '../../../cli/support/new-file.js'
import { runInProcess } from '../../../cli/support/in-process.js'
import { caseCount } from '../../../support/run/long.js'
import { eventually } from '../../../support/time/eventually.js'
import { chunked } from '../support/bytes.js'
import { ofExport, ofHistory, ofInspect, ofReplay, ofSweep, ofTopics, prices$ } from './support/readers.js'
import {
  chunksOf,
  collect,
  header,
  other,
  priceRow,
  recordingText,
  start,
  topic,
} from '../support/recordings.js'

// What several recordings contain, for each reader.

const day = 86_400_000

interface Recorded {
  readonly topics: readonly Topic[]
  readonly from: number
  readonly rows: readonly (Row | RecordingHeader)[]
  readonly header?: Partial<RecordingHeader>
}

const textOf = ({ topics, from, rows, header: fields }: Recorded): string =>
  recordingText({ ...header, mints: [], ...fields, topics, at: start + from }, ...rows)

/** A price each second from `from` on, in ms after the start. Each price of a topic is different. */
const seconds = (count: number, from: number, of: Topic, first = 1): readonly Row[] =>
  Array.from({ length: count }, (_, n) => priceRow(from + n * 1000, first + n, of))

const byToken: readonly Recorded[] = [
  { topics: [topic], from: 0, rows: seconds(60, 0, topic) },
  { topics: [other], from: 0, rows: seconds(60, 500, other, 1001) },
]

const tokenAdded: readonly Recorded[] = [
  { topics: [topic], from: 0, rows: seconds(30, 0, topic) },
  {
    topics: [topic, other],
    from: day,
    rows: seconds(30, day, topic, 101).flatMap((row, n) => [row, priceRow(day + n * 1000, 1001 + n, other)]),
  },
]

const tokenRemoved: readonly Recorded[] = [
  { topics: [topic, other], from: 0, rows: [priceRow(0, 1), priceRow(1, 1001, other), priceRow(2, 2)] },
  { topics: [topic], from: day, rows: seconds(10, day, topic, 11) },
]

/** Two recorders of one topic. The second one starts before the first one ends. */
const overlapping: readonly Recorded[] = [
  { topics: [topic], from: 0, rows: seconds(10, 0, topic) },
  { topics: [topic], from: 5100, rows: seconds(20, 5100, topic, 101) },
]

const appended: readonly Recorded[] = [
  { topics: [topic], from: 0, rows: [...seconds(5, 0, topic), ...seconds(5, 5000, other, 1001)] },
]

/** One recorder, in rotated files. */
const rotated: readonly Recorded[] = [0, 1, 2].map((hour) => ({
  topics: [topic],
  from: hour * 60_000,
  rows: seconds(60, hour * 60_000, topic, 1 + 60 * hour),
  header: hour === 0 ? {} : { continues: start + (hour - 1) * 60_000 },
}))

/** A file of a recorder whose clock was set back by a minute, and later forward by an hour. */
const clockSet: readonly Recorded[] = [
  { topics: [topic], from: 0, rows: seconds(9, 0, topic) },
  { topics: [topic], from: -51_000, rows: seconds(3, -51_000, topic, 10) },
  { topics: [topic], from: 3_552_000, rows: seconds(6, 3_552_000, topic, 13) },
]

const filesOf = (recordings: readonly Recorded[]): readonly string[] =>
  recordings.map((recorded, index) => newFile(`${index}.ndjson`, textOf(recorded)))

const concatenated = (recordings: readonly Recorded[]): readonly string[] => [
  newFile('all.ndjson', recordings.map(textOf).join('')),
]

describe('recordings', () => {
  it.each<[string, () => readonly string[], number]>([
    ['of a token each', () => filesOf(byToken), 120],
    ['of a token each, in the other order', () => filesOf(byToken).toReversed(), 120],
    ['of which the second has one more token', () => filesOf(tokenAdded), 90],
    [
      'of which the second has one more token, in the other order',
      () => filesOf(tokenAdded).toReversed(),
      90,
    ],
    ['of which the second has one more token, in one file', () => concatenated(tokenAdded), 90],
    ['of which the second lacks a token', () => filesOf(tokenRemoved), 13],
    ['of a token that no header has', () => filesOf(appended), 10],
    ['of a recorder whose clock was set', () => concatenated(clockSet), 18],
    ['of a recorder, in rotated files in the other order', () => filesOf(rotated).toReversed(), 180],
  ])('%s are the same for all readers', { timeout: 60_000 }, async (_, write, count) => {
    const files = write()
    const prices = await ofReplay([...files])
    expect(prices).toHaveLength(count)
    expect(await ofSweep(files)).toEqual(prices)
    expect(await ofExport(files)).toEqual(prices)
    const byTopic = [prices.filter((price) => price < 1000), prices.filter((price) => price > 1000)]
    expect(await ofHistory(files)).toEqual(byTopic)
    expect(await ofInspect(files)).toEqual(byTopic.map(({ length }) => length))
    const named = [topic, other].filter((_, index) => byTopic[index]!.length > 0)
    expect(await ofTopics(files)).toMatchObject(named.map((each) => ({ topic: each })))
  })
})

it('two recordings of a topic at one time are a RecordingError of each reader, which names both', async () => {
  const [first = '', second = ''] = filesOf(overlapping)
  for (const files of [
    [first, second],
    [second, first],
  ]) {
    const client = replay(files, { speed: Infinity })
    const events = await collect(prices$(client))
    expect(events.slice(0, 8)).toEqual([1, 2, 3, 4, 5, 6, 'Disconnected', 101])
    expect(await client.finished).toMatchObject({
      left: { message: expect.stringContaining(first) as string },
    })
    for (const command of [
      ['inspect'],
      ['export', '--out', newFile('out.parquet')],
      ['replay', '--speed', 'max'],
    ]) {
      const { code, stderr } = await runInProcess([command[0]!, ...files, ...command.slice(1)])
      expect(code).toBe(1)
      expect(stderr).toContain(`of ${topic} that no other recording has, got rows of it in ${second} too`)
      expect(stderr).toContain(first)
    }
  }
})

it('a recording that is given twice is a RecordingError of each reader, also if a row steps back', async () => {
  const text = textOf({ topics: [topic], from: 0, rows: [1, 5, 2, 3, 4].map((at) => priceRow(at, at)) })
  const files = ['first.ndjson', 'second.ndjson'].map((name) => newFile(name, text))
  const client = replay(files, { speed: Infinity })
  await collect(prices$(client))
  const message = (other: string): string => `got rows of it in ${other} too`
  expect(await client.finished).toMatchObject({
    left: { source: files[0], message: expect.stringContaining(message(files[1]!)) as string },
  })
  const past = await lastValueFrom(
    openHistory(files)
      .prices$(topic, { from: start, to: start + day })
      .pipe(toArray()),
  )
  expect(past.at(-1)).toMatchObject({
    left: { source: files[0], message: expect.stringContaining(message(files[1]!)) as string },
  })
})

describe('a replay of several recordings', () => {
  const textOfAll = (recordings: readonly Recorded[]) => recordings.map((each) => chunksOf(textOf(each)))

  /** Each event of both topics, as its price with its epoch, or as the tag of its error. */
  const events = async (sources: RecordingSource, subscribed: readonly Topic[] = [topic, other]) => {
    const client = replay(sources, { speed: Infinity })
    const events$ = client.run$((inside) =>
      merge(
        ...subscribed.map((each) =>
          inside
            .price$(each)
            .pipe(
              map((event) =>
                isRight(event) ? `${event.right.price}/${event.right.epoch}` : `${each} ${event.left._tag}`,
              ),
            ),
        ),
      ),
    )
    return { events: await collect(events$), finished: await client.finished, header: await client.header() }
  }

  it('merges them by the time of their rows, at that time, whatever they are read from', async () => {
    const [first, second] = byToken.map(textOf) as [string, string]
    for (const sources of [
      [chunksOf(first), chunksOf(second)],
      [Readable.from([second.slice(0, 700), second.slice(700)]), newFile('a.ndjson', first)],
      [chunksOf(gzipSync(second)), Readable.from([first])],
    ]) {
      const client = replay(sources, { speed: Infinity })
      const times = await collect(
        client.run$((inside) => prices$(inside).pipe(map((price) => [asyncScheduler.now() - start, price]))),
      )
      expect(times).toEqual(
        Array.from({ length: 60 }, (_, n) => [
          [n * 1000, n + 1],
          [n * 1000 + 500, 1001 + n],
        ]).flat(),
      )
    }
  })

  it('closes them when its strategy ends early, as a history does', async () => {
    let open = 0
    const sourceOf = (recorded: Recorded): AsyncIterable<string> => ({
      async *[Symbol.asyncIterator]() {
        open++
        try {
          for (const line of textOf(recorded).split(/(?<=\n)/)) yield line
        } finally {
          open--
        }
      },
    })
    const sources = byToken.map(sourceOf)
    const client = replay(sources, { speed: Infinity })
    await collect(client.run$((inside) => inside.price$(topic).pipe(take(1))))
    await eventually(() => expect(open).toBe(0))
    await collect(openHistory(sources).prices$(topic, { from: start }).pipe(take(1)))
    await eventually(() => expect(open).toBe(0))
  })

  it('has the topics of all headers in its header, and their first start', async () => {
    const { header: joint } = await events(textOfAll([...tokenAdded].reverse()))
    expect(joint).toMatchObject({ right: { at: start, topics: [topic, other] } })
  })

  it('does not affect a topic by the status, the header or the end of a recorder of another one', async () => {
    const lost: Row = {
      _tag: 'Status',
      at: start + 1500,
      status: { _tag: 'Waiting', attempt: 1, retryInMs: 5, reason: 'lost' },
    }
    const open = (ms: number): Row => ({
      _tag: 'Status',
      at: start + ms,
      status: { _tag: 'Open', epoch: 1, since: start },
    })
    const closed: Row = { _tag: 'Status', at: start + 2600, status: { _tag: 'Closed' } }
    const recordings = [
      {
        topics: [topic],
        from: 0,
        rows: [open(0), ...seconds(2, 0, topic), lost, ...seconds(2, 2000, topic, 3)],
      },
      { topics: [other], from: 700, rows: [...seconds(2, 700, other, 1001), closed] },
    ]
    expect((await events(textOfAll(recordings))).events).toEqual([
      ...['1/1', '1001/2', '2/1', `${topic} Disconnected`, '1002/2', '3/1'],
      ...[`${other} Disconnected`, '4/1'],
    ])
  })

  it('disconnects a topic where the rows of another recorder begin, whose epochs are later', async () => {
    const inEpoch = (ms: number, usd: number, epoch: number): Row => ({
      _tag: 'Price',
      at: start + ms,
      topic,
      event: right(price(topic, usd, { receivedAt: start + ms, epoch })),
    })
    const recordings = [
      { topics: [topic], from: 0, rows: [inEpoch(0, 1, 7), inEpoch(1000, 2, 9), priceRow(5000, 8, other)] },
      { topics: [topic], from: 500, rows: [1100, 1200].map((ms) => priceRow(ms, ms)) },
    ]
    const { events: seen, finished } = await events(textOfAll(recordings), [topic])
    expect(seen).toEqual(['1/7', '2/9', `${topic} Disconnected`, '1100/10', '1200/10'])
    expect(finished).toMatchObject({ right: { rows: 5 } })
  })

  it('plays rotated files of one recorder in sequence, without an interruption', async () => {
    for (const recordings of [rotated, [...rotated].reverse()]) {
      const { events: seen } = await events(textOfAll(recordings), [topic])
      expect(seen).toEqual(Array.from({ length: 180 }, (_, n) => `${n + 1}/1`))
    }
  })

  it('disconnects each topic where the clock of a recorder was set', async () => {
    const { events: seen, finished } = await events(concatenated(clockSet), [topic])
    const prices = (first: number, count: number, epoch: number) =>
      Array.from({ length: count }, (_, n) => `${first + n}/${epoch}`)
    const lost = `${topic} Disconnected`
    expect(seen).toEqual([...prices(1, 9, 1), lost, ...prices(10, 3, 2), lost, ...prices(13, 6, 3)])
    expect(finished).toMatchObject({ right: { rows: 18, earlierRows: 1 } })
  })

  it('rejects a topic that is in none of them, at the end', async () => {
    const { events: seen } = await events(textOfAll(tokenRemoved), ['svc-0xef'])
    expect(seen).toEqual(['svc-0xef SubscriptionRejected'])
  })

  it('keeps the order of the rows of each, and merges them by time, for any recordings', async () => {
    const recordings = fc.array(fc.array(fc.nat(2000), { minLength: 1, maxLength: 12 }), {
      minLength: 2,
      maxLength: 5,
    })
    await fc.assert(
      fc.asyncProperty(recordings, fc.array(fc.nat(40), { maxLength: 8 }), async (steps, cuts) => {
        const topics = steps.map((_, index): Topic => `svc-0xa${index}`)
        const all = steps.map((each, index) => {
          let at = 0
          return each.map((ms, n) => priceRow((at += ms), 100 * index + n + 1, topics[index]))
        })
        const sources = all.map((rows, index) => {
          const text = textOf({ topics: [topics[index]!], from: rows[0]!.at - start, rows })
          return chunksOf(...chunked(Buffer.from(text), cuts))
        })
        const client = replay(sources, { speed: Infinity })
        const seen = await collect(
          client.run$((inside) =>
            merge(...topics.map((each) => inside.price$(each))).pipe(
              rights(),
              map(({ price }) => [asyncScheduler.now(), price]),
            ),
          ),
        )
        const times = all.flat().map(({ at }) => at)
        expect(seen.map(([at]) => at)).toEqual(times.sort((a, b) => a - b))
        for (const [index, rows] of all.entries()) {
          const ofTopic = seen.filter(([, price]) => Math.floor((Number(price) - 1) / 100) === index)
          expect(ofTopic).toEqual(rows.map(({ at }, n) => [at, 100 * index + n + 1]))
        }
      }),
      { numRuns: caseCount(100) },
    )
  })
})
