import { isLeft, isRight, type Either } from 'fp-ts/lib/Either.js'
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { interval, map, merge, mergeMap, NEVER, scan, Subject, take, timer, type Observable } from 'rxjs'
import { createTestClient, price } from 'svc-streams/testing'
import type { Client, Price, PriceError } from 'svc-streams'
import { record, resume, type StrategyClient } from 'svc-streams/recording'
import { candles } from 'svc-streams/operators'
import { expect, onTestFinished, test } from 'vitest'
import { closeAfterTest } from '../../../support/close-after-test.js'
import { collectEvents } from '../../../support/collect-events.js'
import { newFolder } from '../../../support/new-folder.js'
import { createClientFor, startTestSimulator } from '../../../support/simulator.js'
import { manualMarket } from '../../../support/manual-market.js'
import { eventually } from '../../../support/time/eventually.js'
import { btcTopic, ethTopic } from '../../../support/tokens.js'
import { header, recordingText } from '../support/recordings.js'

const textOf = (event: Either<PriceError, Price>): string | number =>
  isLeft(event) ? event.left._tag : event.right.price

/** Counts the prices of a topic, and shows each event. */
const counted = (client: Pick<Client, 'price$'>): Observable<readonly [number, string | number]> =>
  client
    .price$(ethTopic)
    .pipe(
      scan((last, event) => [last[0] + Number(isRight(event)), textOf(event)] as const, [0, ''] as readonly [
        number,
        string | number,
      ]),
    )

/** Records what a market does while `run` runs. Returns the path. */
const recorded = async (client: Client, run: () => Promise<void>): Promise<string> => {
  const path = join(newFolder(), 'market.ndjson')
  const recorder = record(client, { topics: [ethTopic], to: path })
  await run()
  await recorder.stop()
  return path
}

const startMarket = async () => {
  const market = manualMarket()
  const simulator = await startTestSimulator({ market })
  return {
    market,
    simulator,
    createClient: () => createClientFor(simulator, { reconnect: { initialDelay: 5, maxDelay: 5 } }),
  }
}

test('continues the state of a strategy from a recording to the live market, with a gap between them', async () => {
  const { market, createClient } = await startMarket()
  const first = createClient()
  const path = await recorded(first, async () => {
    const { events } = collectEvents(first.price$(ethTopic))
    await eventually(() => events.length > 0)
    market.update({ price: 2600 })
    await eventually(() => events.length > 1)
  })
  await first.close()
  market.update({ price: 2700 })
  const { values } = collect(resume(createClient(), [path], counted))
  await eventually(() => expect(values.at(-1)).toEqual([3, 2700]))
  market.update({ price: 2800 })
  await eventually(() =>
    expect(values).toEqual([
      [1, 2500],
      [2, 2600],
      [2, 'Disconnected'],
      { _tag: 'CaughtUp' },
      [3, 2700],
      [4, 2800],
    ]),
  )
})

/** All values of a stream, while the test runs. */
const collect = <A>(stream$: Observable<A>) => {
  const values: A[] = []
  const state = { values, isComplete: false, error: undefined as unknown }
  const subscription = stream$.subscribe({
    next: (value) => values.push(value),
    complete: () => (state.isComplete = true),
    error: (thrown: unknown) => (state.error = thrown),
  })
  onTestFinished(() => subscription.unsubscribe())
  return { values, state }
}

const recordingWith = (...prices: readonly number[]): string => {
  const path = join(newFolder(), 'market.ndjson')
  const start = Date.now() - 65_000
  const rows = prices.map((value, index) => ({
    _tag: 'Price' as const,
    at: start + index * 1000,
    topic: ethTopic,
    event: {
      _tag: 'Right' as const,
      right: { topic: ethTopic, price: value, receivedAt: start + index * 1000, epoch: 1 },
    },
  }))
  writeFileSync(path, recordingText({ ...header, at: start, topics: [ethTopic], mints: [] }, ...rows))
  return path
}

const testClient = () => {
  const eth$ = new Subject<Price>()
  const btc$ = new Subject<Price>()
  const client = closeAfterTest(
    createTestClient({ prices: { [ethTopic]: eth$, [btcTopic]: btc$ }, stamp: true }),
  )
  return { eth$, btc$, client }
}

test('fires the timers of the strategy in the gap, and then as time passes, in one run', async () => {
  const { client } = testClient()
  const started: number[] = []
  const { values } = collect(
    resume(client, [recordingWith(1, 2)], () => {
      started.push(Date.now())
      return merge(
        interval(10_000).pipe(map((count) => `interval ${count}`)),
        timer(65_500).pipe(map(() => 'timer')),
      )
    }),
  )
  await eventually(() => expect(values).toContain('timer'))
  expect(values).toEqual([
    ...[0, 1, 2, 3, 4, 5].map((count) => `interval ${count}`),
    { _tag: 'CaughtUp' },
    'timer',
  ])
  expect(started).toHaveLength(1)
})

test('emits Disconnected at the end of the recording, before the timers of the gap', async () => {
  const { client } = testClient()
  const { values } = collect(
    resume(client, [recordingWith(1, 2)], (own) =>
      merge(
        own.price$(ethTopic).pipe(map(textOf)),
        interval(30_000).pipe(map((count) => `interval ${count}`)),
      ),
    ),
  )
  await eventually(() => expect(values).toContainEqual({ _tag: 'CaughtUp' }))
  expect(values.slice(0, 4)).toEqual([1, 2, 'Disconnected', 'interval 0'])
})

test('gives no price of the past as current after the gap', async () => {
  const { client: emitting, eth$, btc$ } = testClient()
  let isSilent = false
  const price$: Client['price$'] = (topic) =>
    topic === btcTopic && isSilent ? NEVER : emitting.price$(topic)
  const client: Client = { ...emitting, price$ }
  const next$ = new Subject<string>()
  const { values } = collect(
    resume(client, [recordingWith(1, 2)], (own: StrategyClient) =>
      merge(
        own.price$(ethTopic).pipe(map(textOf)),
        next$.pipe(
          mergeMap((topic) =>
            own.price$(topic as typeof ethTopic).pipe(
              take(1),
              map((event) => [textOf(event)]),
            ),
          ),
        ),
      ),
    ),
  )
  await eventually(() => expect(values).toContainEqual({ _tag: 'CaughtUp' }))
  next$.next(ethTopic)
  await eventually(() => expect(values.at(-1)).toEqual(['Disconnected']))
  eth$.next(price(ethTopic, 3))
  next$.next(ethTopic)
  await eventually(() => expect(values.at(-1)).toEqual([3]))
  next$.next(btcTopic)
  btc$.next(price(btcTopic, 4))
  await eventually(() => expect(values.at(-1)).toEqual([4]))
  // Nobody wants the topic any more, so its last price is not current.
  isSilent = true
  next$.next(btcTopic)
  next$.next(ethTopic)
  await eventually(() => expect(values.at(-1)).toEqual([3]))
  expect(values.filter((value) => Array.isArray(value) && value[0] === 4)).toHaveLength(1)
})

test('closes a candle of the recording by the time, and counts the gap', async () => {
  const { client, eth$ } = testClient()
  const { values } = collect(
    resume(client, [recordingWith(1, 2)], (own) => own.price$(ethTopic).pipe(candles(100))),
  )
  await eventually(() => expect(values).toContainEqual({ _tag: 'CaughtUp' }))
  eth$.next(price(ethTopic, 7))
  const isOfSeven = (value: (typeof values)[number]) => value._tag === 'Right' && value.right.close === 7
  await eventually(() => values.some(isOfSeven))
  expect(values.filter((value) => value._tag === 'Right').map((value) => value.right.close)).toEqual([
    1, 2, 7,
  ])
})

test('completes when the client is closed or the strategy ends, and leaves nothing behind', async () => {
  const { createClient } = await startMarket()
  const client = createClient()
  const { state } = collect(resume(client, [recordingWith(1)], counted))
  await eventually(() => expect(state.values).toContainEqual([2, 2500]))
  expect(client.inspect().topics).toHaveLength(1)
  await client.close()
  await eventually(() => state.isComplete)

  const other = createClient()
  const ended = collect(resume(other, [recordingWith(1)], (own) => counted(own).pipe(take(3))))
  await eventually(() => ended.state.isComplete)
  expect(ended.values).toEqual([[1, 1], [1, 'Disconnected'], { _tag: 'CaughtUp' }, [2, 2500]])
  expect(other.inspect().topics.map(({ state: each }) => each)).toEqual(['lingering'])
})

test('ends with a DecodeError for a damaged recording, and does not become live', async () => {
  const { client } = testClient()
  const path = recordingWith(1)
  writeFileSync(path, 'damaged\n', { flag: 'a' })
  const { values, state } = collect(resume(client, [path], (own) => own.price$(ethTopic).pipe(map(textOf))))
  await eventually(() => state.isComplete)
  expect(values).toEqual([1, 'DecodeError'])
  const torn = recordingWith(1)
  writeFileSync(torn, '{"_tag":"Pri', { flag: 'a' })
  const live = collect(resume(client, [torn], (own) => own.price$(ethTopic).pipe(map(textOf))))
  await eventually(() => expect(live.values).toEqual([1, 'Disconnected', { _tag: 'CaughtUp' }]))
})

test('becomes live at once without a recording', async () => {
  const { client, eth$ } = testClient()
  const { values } = collect(resume(client, [], counted))
  await eventually(() => expect(values).toContainEqual({ _tag: 'CaughtUp' }))
  eth$.next(price(ethTopic, 3))
  await eventually(() => expect(values.at(-1)).toEqual([1, 3]))
  expect(values).toEqual([{ _tag: 'CaughtUp' }, [1, 3]])
})
