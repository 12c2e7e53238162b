// Measures an operator, or the same work by hand, per event of its source, in a warm process.
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { Observable } from 'rxjs'
import * as operators from '../node_modules/.build/operators/index.js'
import { handleRequests } from '../process/handle-requests.mjs'
import * as byHand from './operators/hand-written.mjs'

/** A source with one listener, which both kinds share. */
const createSource = () => {
  let listener
  return {
    emit: (event) => listener.next(event),
    listen: (next) => {
      listener = { next }
    },
    event$: new Observable((subscriber) => {
      listener = subscriber
    }),
  }
}

const events = Array.from({ length: 1000 }, (_, index) =>
  right({
    topic: 'svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1',
    price: 2000 + Math.sin(index) * 50,
    receivedAt: 1745462597105 + index,
    epoch: 1,
  }),
)

const numbers = events.map((event) => right(event.right.price))

/** The parts of the results that do not depend on the times of timers. */
const summaries = {
  conflate: () => {
    let values = 0
    return {
      add: ({ right: { dropped } }) => (values += dropped + 1),
      result: () => values,
    }
  },
  candles: () => {
    let count = 0
    let high = 0
    let low = Infinity
    return {
      add: ({ right: candle }) => {
        count += candle.count
        high = Math.max(high, candle.high)
        low = Math.min(low, candle.low)
      },
      result: () => [count, high, low],
    }
  },
  snapshots: () => {
    let isAligned = true
    let last = 0
    return {
      add: ({ right: { at, value } }) => {
        isAligned &&= at % snapshotMs === 0 && at > last && value.price > 0
        last = at
      },
      result: () => isAligned,
    }
  },
  rolling: () => {
    let full = 0
    let low = Infinity
    let high = 0
    let mean = 0
    let score = 0
    return {
      add: ({ right: result }) => {
        if (result.isFull) full += 1
        low = Math.min(low, result.min)
        high = Math.max(high, result.max)
        mean = result.mean
        score = result.zScore
      },
      result: () => [full, low, high, mean.toFixed(6), score.toFixed(6)],
    }
  },
  'fresh-within': () => {
    let count = 0
    let stale = 0
    return {
      add: (event) => {
        if (isLeft(event)) stale += 1
        else count += 1
      },
      result: () => [count, stale],
    }
  },
  'combine-fresh': () => {
    let count = 0
    let sum = 0
    return {
      add: (event) => {
        count += 1
        if (!isLeft(event)) sum += event.right.eth.price + event.right.btc.price
      },
      result: () => [count, sum],
    }
  },
}

const conflateMs = 2
const candleMs = 5
const freshMs = 200
const snapshotMs = 5
const rollingCount = 1000
const maxSkew = 2000

/** An operator as users write one: the work by hand in a `new Observable` that subscribes to its sources. */
const plain = (sources, work) =>
  new Observable((subscriber) => {
    const listenTo =
      ({ event$ }) =>
      (next) =>
        subscriber.add(
          event$.subscribe({
            next,
            error: (thrown) => subscriber.error(thrown),
            complete: () => subscriber.complete(),
          }),
        )
    work(sources.map(listenTo), (result) => subscriber.next(result))
  })

/** Connects two sources to `emit`. Only `combine-fresh` uses the second. */
const connections = {
  'hand-written': {
    conflate: ([{ listen }], emit) => byHand.conflate(listen, conflateMs, emit),
    candles: ([{ listen }], emit) => byHand.candles(listen, candleMs, emit),
    'fresh-within': ([{ listen }], emit) => byHand.freshWithin(listen, freshMs, emit),
    snapshots: ([{ listen }], emit) => byHand.snapshots(listen, snapshotMs, emit),
    rolling: ([{ listen }], emit) => byHand.rolling(listen, rollingCount, emit),
    'combine-fresh': ([eth, btc], emit) => byHand.combineFresh(eth.listen, btc.listen, maxSkew, emit),
  },
  plain: Object.fromEntries(
    Object.entries({
      conflate: ([listen], emit) => byHand.conflate(listen, conflateMs, emit),
      candles: ([listen], emit) => byHand.candles(listen, candleMs, emit),
      'fresh-within': ([listen], emit) => byHand.freshWithin(listen, freshMs, emit),
      snapshots: ([listen], emit) => byHand.snapshots(listen, snapshotMs, emit),
      rolling: ([listen], emit) => byHand.rolling(listen, rollingCount, emit),
      'combine-fresh': ([eth, btc], emit) => byHand.combineFresh(eth, btc, maxSkew, emit),
    }).map(([operator, work]) => [operator, (sources, emit) => plain(sources, work).subscribe(emit)]),
  ),
  'svc-streams': {
    conflate: ([{ event$ }], emit) => event$.pipe(operators.conflate(conflateMs)).subscribe(emit),
    candles: ([{ event$ }], emit) => event$.pipe(operators.candles(candleMs)).subscribe(emit),
    'fresh-within': ([{ event$ }], emit) => event$.pipe(operators.freshWithin(freshMs)).subscribe(emit),
    snapshots: ([{ event$ }], emit) => event$.pipe(operators.snapshots(snapshotMs)).subscribe(emit),
    rolling: ([{ event$ }], emit) => event$.pipe(operators.rolling({ count: rollingCount })).subscribe(emit),
    'combine-fresh': ([eth, btc], emit) =>
      operators.combineFresh({ eth: eth.event$, btc: btc.event$ }, { maxSkew }).subscribe(emit),
  },
}

/** Keeps the last result, because V8 does not allocate a result that is not used. */
let latest

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
/** Longer than all windows and deadlines. */
const untilTimersHaveFired = () => new Promise((resolve) => setTimeout(resolve, 2 * freshMs))

handleRequests({
  run: async ({ operator, kind, repetitions }) => {
    const runOnce = async () => {
      const { add, result } = summaries[operator]()
      const sources = [createSource(), createSource()]
      const stop = connections[kind][operator](sources, (result) => {
        latest = result
        add(result)
      })
      const input = operator === 'rolling' ? numbers : events
      const [{ emit }, second] = sources
      const emitSecond = operator === 'combine-fresh' ? second.emit : emit
      const cpu = process.cpuUsage()
      for (let sent = 0; sent < repetitions; sent += events.length) {
        const now = Date.now()
        for (const event of events) event.right.receivedAt = now
        for (let index = 0; index < events.length; index += 2) {
          emit(input[index])
          emitSecond(input[index + 1])
        }
        await nextTurn()
      }
      const { user, system } = process.cpuUsage(cpu)
      await untilTimersHaveFired()
      // Only snapshots never end by themselves.
      if (typeof stop === 'function') stop()
      else stop?.unsubscribe()
      return {
        nanoseconds: (1000 * (user + system)) / repetitions,
        results: JSON.stringify([result(), latest._tag]),
      }
    }
    await runOnce() // warms up
    await runOnce()
    return runOnce()
  },
})
