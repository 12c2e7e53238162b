import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { join } from 'node:path'
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import {
  interval,
  map,
  merge,
  mergeMap,
  NEVER,
  of,
  scan,
  startWith,
  switchMap,
  Subject,
  take,
  takeUntil,
  tap,
  timer,
  timestamp,
  type Observable,
} from 'rxjs'
import { createTestClient, depth, price, stale } from 'svc-streams/testing'
import type { Client, Price, PriceError } from 'svc-streams'
import { toStream$ } from 'svc-streams/operators'
import { openHistory, type History, type HistoryError, type PastEvent } from 'svc-streams/history'
import { record, resume, type Row, type StrategyClient } from 'svc-streams/recording'
import { candles } from 'svc-streams/operators'
import { expect, onTestFinished, test } from 'vitest'
import { closeAfterTest } from '../../../support/close-after-test.js'
import { collectEvents } from '../../../support/collect-events.js'
import { newFolder } from '../../../support/new-folder.js'
import { createClientFor, startTestSimulator } from '../../../support/simulator.js'
import { manualMarket } from '../../../support/manual-market.js'
import { blockEventLoop } from '../../../support/time/event-loop.js'
import { eventually } from '../../../support/time/eventually.js'
import { btcTopic, ethTopic, weth } from '../../../support/tokens.js'
import { header, recordingText } from '../../recording/support/recordings.js'

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

test('inspect() in a strategy has the past until the border, and then the live market', async () => {
  const price$ = new Subject<Price>()
  const client = createTestClient({ prices: { [ethTopic]: price$ } })
  const states = (each: StrategyClient) =>
    each
      .price$(ethTopic)
      .pipe(map((event) => [textOf(event), ...each.inspect().topics.map(({ state }) => state)]))
  const { values } = collect(resume(client, [recordingWith(1)], states))
  await eventually(() => expect(values.at(-1)).toEqual({ _tag: 'CaughtUp' }))
  price$.next(price(ethTopic, 2))
  await eventually(() =>
    expect(values).toEqual([[1, 'live'], ['Disconnected', 'down'], { _tag: 'CaughtUp' }, [2, 'live']]),
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

test('the strategy receives the prices of one turn at the time at which they were received, as in a replay', async () => {
  const [eth$, btc$] = [new Subject<Price>(), new Subject<Price>()]
  const client = closeAfterTest(createTestClient({ prices: { [ethTopic]: eth$, [btcTopic]: btc$ } }))
  const strategy = ({ price$ }: StrategyClient) =>
    merge(price$(ethTopic).pipe(tap(() => blockEventLoop(5))), price$(btcTopic)).pipe(timestamp())
  const { values } = collect(resume(client, [], strategy))
  await eventually(() => expect(values).toHaveLength(1))
  const receivedAt = Date.now()
  eth$.next(price(ethTopic, 1, { receivedAt }))
  btc$.next(price(btcTopic, 2, { receivedAt }))
  expect(values.slice(1)).toMatchObject([{ timestamp: receivedAt }, { timestamp: receivedAt }])
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
    topic === btcTopic && isSilent ? toStream$(NEVER) : emitting.price$(topic)
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
  expect(values.at(-1)).toEqual({ _tag: 'CaughtUp' })
  eth$.next(price(ethTopic, 3))
  await eventually(() => expect(values.slice(-2)).toEqual([3, [3]]))
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

test('starts as without a recording if a file is empty, and ends with a DecodeError if one is missing', async () => {
  const { client } = testClient()
  const empty = join(newFolder(), 'empty.ndjson')
  writeFileSync(empty, '')
  const { values } = collect(resume(client, [empty], counted))
  await eventually(() => expect(values).toEqual([{ _tag: 'CaughtUp' }]))
  const missing = collect(
    resume(client, [empty, `${empty}.missing`], (own) => own.price$(ethTopic).pipe(map(textOf))),
  )
  await eventually(() => missing.state.isComplete)
  expect(missing.values).toEqual(['DecodeError'])
})

/** A client that has a price of each topic at once. */
const quickClient = () => {
  const { client } = testClient()
  return {
    ...client,
    price$: (topic: typeof ethTopic) =>
      toStream$(client.price$(topic).pipe(startWith(right(price(topic, 9))))),
  }
}

test('runs on this clock after a recording that ends in its future, and keeps the delays of timers', async () => {
  const hour = 3_600_000
  const path = recordingWith(1, 2)
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(
      /"(at|receivedAt)":(\d+)/g,
      (_, name, at) => `"${name}":${Number(at) + hour}`,
    ),
  )
  const { values } = collect(
    resume(quickClient(), [path], (own) =>
      merge(own.price$(ethTopic).pipe(map(textOf)), interval(700).pipe(map(() => 'timer'))).pipe(timestamp()),
    ),
  )
  await eventually(() =>
    expect(values.filter((each) => 'value' in each && each.value === 'timer').length).toBeGreaterThan(1),
  )
  const at = values.findIndex((each) => '_tag' in each)
  expect(values.map((each) => ('value' in each ? each.value : each))).toEqual([
    ...[1, 'timer', 2, 'Disconnected', { _tag: 'CaughtUp' }, 9, 'timer'],
  ])
  for (const each of values.slice(at + 1))
    if ('timestamp' in each) expect(Math.abs(each.timestamp - Date.now())).toBeLessThan(60_000)
})

test('gives a late subscriber no depth of a recording that has ended', async () => {
  const path = join(newFolder(), 'depth.ndjson')
  const at = Date.now() - 65_000
  const depthRow: Row = { _tag: 'Depth', at, mint: weth, event: right(depth(weth, { receivedAt: at })) }
  writeFileSync(path, recordingText({ ...header, at, topics: [], mints: [weth] }, depthRow))
  const next$ = new Subject<void>()
  const { client } = testClient()
  const { values } = collect(
    resume({ ...client, depth$: () => toStream$(NEVER) }, [path], (own) =>
      merge(
        own.depth$(weth, 500).pipe(map(() => 'first')),
        next$.pipe(mergeMap(() => own.depth$(weth, 500))),
      ),
    ),
  )
  await eventually(() => expect(values).toContainEqual({ _tag: 'CaughtUp' }))
  next$.next()
  expect(values).toEqual(['first', { _tag: 'CaughtUp' }])
})

test('gives the depths and the status of the client after the border, and epochs that continue those of the files', async () => {
  const depth$ = new Subject<ReturnType<typeof depth>>()
  const { eth$, client: prices } = testClient()
  const { depth$: depthOf$ } = closeAfterTest(createTestClient({ depths: { [weth]: depth$ } }))
  const { values } = collect(
    resume({ ...prices, depth$: depthOf$ }, [recordingWith(1)], (own) =>
      merge(
        own.depth$(weth, 500).pipe(map((event) => isRight(event) && `depth ${event.right.price}`)),
        own.status$.pipe(map(({ _tag }) => _tag)),
        own
          .price$(ethTopic)
          .pipe(map((event) => (isLeft(event) ? event.left._tag : `epoch ${event.right.epoch}`))),
      ),
    ),
  )
  await eventually(() => expect(values).toContainEqual({ _tag: 'CaughtUp' }))
  depth$.next(depth(weth, { price: 5 }))
  eth$.next(price(ethTopic, 2))
  await eventually(() => expect(values).toContain('epoch 2'))
  const border = values.findIndex((value) => typeof value === 'object')
  expect(values.slice(0, border)).toEqual(['Idle', 'epoch 1', 'Disconnected'])
  expect(values.slice(border + 1)).toEqual(['Open', 'depth 5', 'epoch 2'])
})

test('an unsubscription before, during or after the change to live leaves no topic, timer or open file', async () => {
  const { createClient } = await startMarket()
  const client = createClient()
  const path = recordingWith(2500)
  for (const isTime of [
    () => true,
    () => client.inspect().topics.some(({ state }) => state !== 'lingering'),
    (values: readonly unknown[]) => values.length > 2,
  ]) {
    const values: unknown[] = []
    const subscription = resume(client, [path], (own) => merge(counted(own), interval(100))).subscribe(
      (value) => values.push(value),
    )
    await eventually(() => isTime(values))
    subscription.unsubscribe()
    expect(client.inspect().topics.filter(({ state }) => state !== 'lingering')).toEqual([])
    const { length } = values
    await eventually(() => expect(client.inspect().topics).toEqual([]))
    expect(values).toHaveLength(length)
    expect(openFiles()).not.toContain(path)
  }
})

/** The paths that this process has open, where the system lists them. */
const openFiles = (): readonly string[] =>
  existsSync('/proc/self/fd')
    ? readdirSync('/proc/self/fd').flatMap((fd) => {
        try {
          return readlinkSync(join('/proc/self/fd', fd))
        } catch {
          return []
        }
      })
    : []

test('a history gives the prices and the gaps of its recordings, and a failure of it is a gap', async () => {
  const start = Date.now() - 60_000
  const row = (n: number, value: number) => ({
    ...{ _tag: 'Price' as const, at: start + n * 10, topic: ethTopic },
    event: right({ topic: ethTopic, price: value, receivedAt: start + n * 10, epoch: 1 }),
  })
  const status = { _tag: 'Waiting' as const, attempt: 1, retryInMs: 5, reason: 'lost' }
  const rows: readonly Row[] = [row(1, 1), row(2, 2), { _tag: 'Status', at: start + 25, status }, row(3, 3)]
  const path = join(newFolder(), 'market.ndjson')
  writeFileSync(path, recordingText({ ...header, at: start, topics: [ethTopic], mints: [] }, ...rows))
  const prices = (own: Pick<Client, 'price$'>) => own.price$(ethTopic).pipe(map(textOf))
  const expected = [1, 2, 'Disconnected', 3, 'Disconnected', { _tag: 'CaughtUp' }, 9]
  for (const past of [[path], openHistory([path])]) {
    const { values } = collect(resume(quickClient(), past, prices, { from: start }))
    await eventually(() => expect(values).toEqual(expected))
  }
  const failing = collect(resume(quickClient(), openHistory('http://127.0.0.1:1'), prices, { from: start }))
  await eventually(() => expect(failing.values).toEqual(['Disconnected', { _tag: 'CaughtUp' }, 9]))
  expect(() => resume(quickClient(), openHistory([path]), prices)).toThrow('from: required')
  const missing = undefined as unknown as typeof prices
  expect(() => resume(quickClient(), [path], missing)).toThrow('strategy: expected a function')
})

test('emits the live events that came while the past was read after CaughtUp', async () => {
  const live$ = new Subject<Either<PriceError, Price>>()
  const past$ = new Subject<Either<HistoryError, PastEvent>>()
  const at = Date.now() - 1000
  const history: History = { prices$: () => past$, topics: () => () => Promise.resolve(right([])) }
  const client = createTestClient({ prices: { [ethTopic]: live$ }, stamp: true })
  const { values } = collect(
    resume(client, history, (own) => own.price$(ethTopic).pipe(map(textOf)), { from: at }),
  )
  await eventually(() => expect(past$.observed).toBe(true))
  past$.next(right({ _tag: 'PastPrice', topic: ethTopic, price: 1, at }))
  live$.next(right(price(ethTopic, 2)))
  live$.next(left(stale(ethTopic, 1000, undefined)))
  past$.complete()
  await eventually(() => expect(values.at(-1)).toBe('Stale'))
  expect(values).toEqual([1, 'Disconnected', { _tag: 'CaughtUp' }, 2, 'Stale'])
})

test('leaves a topic of a history when its last subscriber has left, before the border and after it', async () => {
  const past$ = new Subject<Either<HistoryError, PastEvent>>()
  const at = Date.now() - 1000
  const history: History = { prices$: () => past$, topics: () => () => Promise.resolve(right([])) }
  const [eth$, btc$, stop$] = [new Subject<Price>(), new Subject<Price>(), new Subject<void>()]
  const client = createTestClient({ prices: { [ethTopic]: eth$, [btcTopic]: btc$ }, stamp: true })
  const { values } = collect(
    resume(
      client,
      history,
      (own) =>
        merge(own.price$(btcTopic).pipe(take(1)), own.price$(ethTopic).pipe(takeUntil(stop$))).pipe(
          map(textOf),
        ),
      { from: at },
    ),
  )
  await eventually(() => expect(past$.observed).toBe(true))
  past$.next(right({ _tag: 'PastPrice', topic: ethTopic, price: 1, at }))
  past$.complete()
  await eventually(() => expect(values).toContainEqual({ _tag: 'CaughtUp' }))
  await eventually(() => expect([eth$.observed, btc$.observed]).toEqual([true, false]))
  stop$.next()
  expect(eth$.observed).toBe(false)
})

test('a topic with two subscribers is read until both have left', async () => {
  const past$ = new Subject<Either<HistoryError, PastEvent>>()
  const at = Date.now() - 1000
  const history: History = { prices$: () => past$, topics: () => () => Promise.resolve(right([])) }
  const { client, eth$ } = testClient()
  const { values } = collect(
    resume(
      client,
      history,
      (own) => {
        const price$ = own.price$(ethTopic).pipe(map(textOf))
        return merge(price$.pipe(take(1)), price$)
      },
      { from: at },
    ),
  )
  await eventually(() => expect(past$.observed).toBe(true))
  for (const value of [1, 2]) past$.next(right({ _tag: 'PastPrice', topic: ethTopic, price: value, at }))
  eth$.next(price(ethTopic, 3))
  past$.complete()
  await eventually(() => expect(values.at(-1)).toBe(3))
  expect(values).toEqual([1, 1, 2, 'Disconnected', { _tag: 'CaughtUp' }, 3])
})

/** The prices 100, 300 and 500, each as many ms after `at`. */
const shortHistory = () => {
  const at = Date.now() - 1000
  const prices = [100, 300, 500].map((ms) =>
    right({ _tag: 'PastPrice' as const, topic: ethTopic, price: ms, at: at + ms }),
  )
  const history: History = {
    prices$: (_, range) =>
      of(
        ...prices.filter(
          (event) =>
            isRight(event) && event.right.at >= range.from && event.right.at < (range.to ?? Infinity),
        ),
      ),
    topics: () => () => Promise.resolve(right([])),
  }
  return { history, at }
}

test('a topic that a timer wants after the last row of a history has a past, and then live prices', async () => {
  const { history, at } = shortHistory()
  const { client, eth$ } = testClient()
  const price$ = (own: StrategyClient) =>
    own.price$(ethTopic).pipe(
      timestamp(),
      map(({ value, timestamp: time }) => [textOf(value), time - at]),
    )
  const { values } = collect(
    resume(client, history, (own) => timer(200).pipe(switchMap(() => price$(own))), { from: at }),
  )
  await eventually(() => expect(values).toContainEqual({ _tag: 'CaughtUp' }))
  eth$.next(price(ethTopic, 9))
  await eventually(() => expect(values.at(-1)).toEqual([9, expect.any(Number)]))
  expect(values.slice(0, -1)).toEqual([[300, 300], [500, 500], ['Disconnected', 500], { _tag: 'CaughtUp' }])
})

test('a timer after the last row of a history reads the history until its own time', async () => {
  const { history, at } = shortHistory()
  const read = (own: StrategyClient) =>
    timer(400).pipe(
      mergeMap(() => own.history.prices$(ethTopic, { from: at })),
      map((event) => isRight(event) && event.right._tag === 'PastPrice' && event.right.price),
    )
  const { values } = collect(
    resume(testClient().client, history, (own) => merge(read(own), NEVER), { from: at }),
  )
  await eventually(() => expect(values).toEqual([100, 300, { _tag: 'CaughtUp' }]))
})
