import { readFileSync, rmSync } from 'node:fs'
import fc from 'fast-check'
import { isRight, right, type Either } from 'fp-ts/lib/Either.js'
import { Subject, Subscription } from 'rxjs'
import type { Price, PriceError, Topic } from 'svc-streams'
import { openHistory, type CoveredTopic, type PastEvent } from 'svc-streams/history'
import { createTestClient, price } from 'svc-streams/testing'
import { expect, it, onTestFinished, vi } from 'vitest'
import { readPast } from '../../../src/backtest/history/past-reading.js'
import { parseRotatedPath } from '../../../src/backtest/recording/codec/rotated-path.js'
import { caseCount } from '../../support/run/long.js'
import { newFolder } from '../../support/new-folder.js'
import { eventually } from '../../support/time/eventually.js'
import { startedFiles } from '../../backtest/history/support/files.js'
import { recordingsIn } from './support/folder.js'
import { createManualClock } from './support/manual-clock.js'
import { openTestHistory } from './support/open-history.js'

const minute = 60_000
const hour = 60 * minute
const keep = 3 * hour
const topics = ['svc-0xab', 'svc-0xcd'] as const

type Step =
  | { readonly kind: 'pass' | 'set'; readonly ms: number }
  | { readonly kind: 'price'; readonly topic: number }
  | { readonly kind: 'remove'; readonly index: number }
  | { readonly kind: 'restart' }
  | { readonly kind: 'read'; readonly topic: number; readonly from: number; readonly length: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(90 * minute) }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('price' as const), topic: fc.nat(1) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('remove' as const), index: fc.nat(9) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      ms: fc.constantFrom(-20 * hour, 20 * hour, minute),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      topic: fc.nat(1),
      from: fc.nat(8 * hour),
      length: fc.integer({ min: 1, max: 8 * hour }),
    }),
  },
)

type Range = Pick<Extract<Step, { kind: 'read' }>, 'from' | 'length'>

/** The numbers of prices in the files, without those that the history deletes meanwhile, in another thread. */
const countsIn = (folder: string): ReadonlyMap<string, number> =>
  new Map(
    recordingsIn(folder).flatMap((path) => {
      const text = textIfThere(path)
      return text === undefined ? [] : [[path, text.split('"_tag":"Price"').length]]
    }),
  )

const textIfThere = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw thrown
  }
}

const topicsIn = async (files: readonly string[]): Promise<readonly CoveredTopic[]> => {
  const topics = await openHistory(files).topics()()
  return isRight(topics) ? topics.right : []
}

/** A history under test, and what it must have. */
const startModel = async () => {
  vi.setSystemTime(Date.parse('2026-11-22T00:00:00Z'))
  const folder = newFolder()
  const prices = new Map<Topic, Subject<Either<PriceError, Price>>>(
    topics.map((topic) => [topic, new Subject<Either<PriceError, Price>>()]),
  )
  const client = createTestClient({ prices: Object.fromEntries(prices) })
  const clock = createManualClock()
  const open = () => openTestHistory(folder, { client, clock, keep, topics })
  let history = await open()
  let count = 0
  /** How far the clock is ahead, in ms. */
  let error = 0
  /** The times of the last rows of the files, by the monotonic clock. */
  const lastRows = new Map<string, number>()
  const recorded = new Set<Topic>()

  const filesOf = (topic: Topic): readonly string[] =>
    recordingsIn(folder).filter((path) => path.includes(`${topic}.`))
  const setClock = (ms: number): void => {
    error += ms
    vi.setSystemTime(Date.now() + ms)
  }
  const pass = (ms: number): void => {
    vi.setSystemTime(Date.now() + ms)
    clock.advance(ms)
  }
  const eventsOf = async (
    read: (emit: (event: PastEvent) => void) => Promise<Either<unknown, unknown>>,
  ): Promise<readonly (PastEvent | Pick<Either<unknown, unknown>, '_tag'>)[]> => {
    const events: PastEvent[] = []
    const { _tag } = await read((event) => events.push(event))
    return [...events, { _tag }]
  }

  return {
    folder,
    pass,
    setClock,
    sendPrice: (topic: Topic): void => {
      const counts = countsIn(folder)
      prices.get(topic)?.next(right(price(topic, ++count)))
      recorded.add(topic)
      for (const [path, prices] of countsIn(folder))
        if (prices !== (counts.get(path) ?? 1)) lastRows.set(path, clock.elapsed())
    },
    remove: (index: number): void => {
      const path = recordingsIn(folder)[index]
      if (path === undefined) return
      lastRows.delete(path)
      rmSync(path, { force: true })
    },
    /** The clock is right when a gateway starts: then the names of the files count. */
    restart: async (): Promise<void> => {
      history.recorder.close()
      setClock(-error)
      for (const path of lastRows.keys())
        if ((parseRotatedPath(path)?.at ?? 0) + hour + keep <= Date.now() + hour) lastRows.delete(path)
      recorded.clear()
      history = await open()
    },
    checkYoung: (): void => {
      const paths = recordingsIn(folder)
      for (const [path, at] of lastRows) if (clock.elapsed() - at < keep) expect(paths).toContain(path)
    },
    checkReading: async (topic: Topic, { from, length }: Range): Promise<void> => {
      const range = { from: Date.now() - from, to: Date.now() - from + length }
      const isRecordedOn = recorded.has(topic)
      await eventually(async () => {
        const files = startedFiles(filesOf(topic))
        const closing = new Subscription()
        const expected = await eventsOf((emit) =>
          readPast({ topic, range, emit, closing, isRecordedOn, isOneRecorder: true }, files),
        )
        const actual = await eventsOf((emit) =>
          history.read(topic, range, { emit, closing, flush: () => undefined }),
        )
        const pricesOf = (events: typeof actual) => events.filter(({ _tag }) => _tag !== 'Gap')
        if (files.length > 0) expect(pricesOf(actual)).toEqual(pricesOf(expected))
        else expect(actual.filter(({ _tag }) => _tag === 'PastPrice')).toEqual([])
      })
    },
    checkTopics: (): Promise<unknown> =>
      eventually(async () => {
        const expected: CoveredTopic[] = []
        for (const files of topics.map(filesOf)) {
          const [all] = await topicsIn(files)
          if (all !== undefined) expected.push(all)
        }
        const starts = (covered: readonly CoveredTopic[]) =>
          covered.map(({ topic, from }) => ({ topic, from }))
        const sorted = expected.sort((a, b) => a.from - b.from || (a.topic < b.topic ? -1 : 1))
        const actual = await history.topics({ closing: new Subscription(), flush: () => undefined })
        expect(isRight(actual) ? starts(actual.right) : actual).toEqual(starts(sorted))
      }),
    checkOld: (): Promise<unknown> => {
      pass(keep + hour)
      return eventually(() => {
        pass(0)
        expect(recordingsIn(folder)).toEqual([])
      })
    },
    close: () => history.recorder.close(),
  }
}

it('reads what the folder has while the clock is right, keeps what is young and deletes what is old, for any clock and removed files', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      const model = await startModel()
      let isClockRight = true
      for (const each of steps) {
        if (each.kind === 'pass') model.pass(each.ms)
        if (each.kind === 'set') model.setClock(each.ms)
        if (each.kind === 'price') model.sendPrice(topics[each.topic]!)
        if (each.kind === 'remove') model.remove(each.index)
        if (each.kind === 'restart') await model.restart()
        if (each.kind === 'set') isClockRight = false
        // After a step of the clock, a gateway reads the files by their names, which are then not in the order of their rows.
        if (each.kind === 'read' && isClockRight) {
          await model.checkReading(topics[each.topic]!, each)
          await model.checkTopics()
        }
        model.checkYoung()
      }
      await model.checkOld()
      model.close()
    }),
    { numRuns: caseCount(400), endOnFailure: true },
  )
})
