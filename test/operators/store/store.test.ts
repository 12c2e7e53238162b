import fc from 'fast-check'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subject, throwError } from 'rxjs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Depth, DepthError, Price, PriceError } from '../../../src/index.js'
import { ConfigurationError } from '../../../src/base/errors/configuration-error.js'
import { invalidMint, notFresh } from '../../../src/base/errors/constructors.js'
import { depthStore, priceStore } from '../../../src/operators/store/index.js'
import * as build from '../../../src/testing/index.js'
import { caseCount } from '../../support/run/long.js'
import { createClientFor, startTestSimulator } from '../../support/simulator.js'
import { nextTurn } from '../../support/time/event-loop.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic, weth } from '../../support/tokens.js'
import { collectUnhandledErrors } from '../../support/unhandled-errors.js'
import { controlFrames } from '../support/frames.js'

const unhandled = collectUnhandledErrors()

const one = build.price(ethTopic, 1)
const two = build.price(ethTopic, 2)
const down = build.disconnected({ code: 1006, reason: 'cut', attempt: 1, retryInMs: 100 })
const stale = build.stale(ethTopic, 30_000, one)

const waiting = { state: 'waiting', price: undefined, last: undefined, error: undefined }
const live = (price: Price) => ({ state: 'live', price, last: price, error: undefined })
const other = (state: string, last: Price | undefined, error?: unknown) => ({
  state,
  price: undefined,
  last,
  error,
})

afterEach(() => void vi.unstubAllGlobals())

const openStore = () => {
  const source$ = new Subject<Either<PriceError, Price>>()
  const { frames, run } = controlFrames()
  return { source$, frames, runFrame: run, store: priceStore(source$) }
}

it.each<readonly [unknown, string]>([
  [undefined, 'undefined'],
  [null, 'null'],
  [[1], 'an array'],
  [{ price$: () => new Subject() }, 'a value of type object'],
])('a store throws for %o instead of an observable, at the call', (value, name) => {
  const error = new ConfigurationError('source$', `expected an observable, got ${name}`)
  expect(() => priceStore(value as never)).toThrow(error)
  expect(() => depthStore(value as never)).toThrow(error)
})

describe('a price store', () => {
  it('subscribes to the source while it has a listener', () => {
    const { source$, store } = openStore()
    expect(source$.observed).toBe(false)
    const [first, second] = [store.subscribe(vi.fn()), store.subscribe(vi.fn())]
    first()
    first()
    expect(source$.observed).toBe(true)
    second()
    expect(source$.observed).toBe(false)
  })

  it('calls a listener at once, and then at most once per frame, with the newest snapshot', () => {
    const { source$, store, runFrame } = openStore()
    const listener = vi.fn()
    store.subscribe(listener)
    expect(listener.mock.calls).toEqual([[waiting]])
    source$.next(right(one))
    source$.next(right(two))
    expect(listener).toHaveBeenCalledTimes(1)
    runFrame()
    runFrame()
    expect(listener.mock.calls).toEqual([[waiting], [live(two)]])
  })

  it('returns the newest state before the frame, and the same object until something changes', () => {
    const { source$, store, runFrame } = openStore()
    store.subscribe(vi.fn())
    source$.next(right(one))
    const snapshot = store.getSnapshot()
    expect(snapshot).toEqual(live(one))
    runFrame()
    expect(store.getSnapshot()).toBe(snapshot)
    source$.next(left(stale))
    expect(store.getSnapshot()).toEqual(other('stale', one, stale))
  })

  it('keeps its snapshot when a listener leaves before the first event, and when an error repeats', () => {
    const { source$, store } = openStore()
    const initial = store.getSnapshot()
    store.subscribe(vi.fn())()
    expect(store.getSnapshot()).toBe(initial)
    store.subscribe(vi.fn())
    source$.next(left(stale))
    const afterError = store.getSnapshot()
    source$.next(left(stale))
    expect(store.getSnapshot()).toBe(afterError)
  })

  it.each<readonly [PriceError, string, string]>([
    [stale, 'stale', 'stale'],
    [down, 'down', 'down'],
    [build.clientClosed, 'down', 'down'],
    [build.subscriptionTimeout(ethTopic, 10_000, []), 'waiting', 'waiting'],
    [build.subscriptionRejected(ethTopic, 'unknown'), 'rejected', 'rejected'],
  ])('has no price after %s', (error, before, after) => {
    const { source$, store } = openStore()
    store.subscribe(vi.fn())
    source$.next(left(error))
    expect(store.getSnapshot()).toEqual(other(before, undefined, error))
    source$.next(right(one))
    source$.next(left(error))
    expect(store.getSnapshot()).toEqual(other(after, one, error))
  })

  it('is stale after NotFresh, the error of combineFresh', () => {
    const source$ = new Subject<Either<PriceError | ReturnType<typeof notFresh>, Price>>()
    const store = priceStore(source$)
    store.subscribe(vi.fn())()
    store.subscribe(vi.fn())
    const error = notFresh('price', { why: 'missing' })
    source$.next(left(error))
    expect(store.getSnapshot()).toEqual(other('stale', undefined, error))
  })

  it('has no price without a listener, and keeps the last one', () => {
    const { source$, store, frames } = openStore()
    const unsubscribe = store.subscribe(vi.fn())
    source$.next(right(one))
    unsubscribe()
    expect(store.getSnapshot()).toEqual(other('waiting', one))
    expect(frames.size).toBe(0)
    expect(store.getServerSnapshot()).toEqual(waiting)
  })

  it('is down after the end of the stream, and keeps the error of a rejection', () => {
    const { source$, store } = openStore()
    store.subscribe(vi.fn())
    source$.next(right(one))
    source$.complete()
    expect(store.getSnapshot()).toEqual(other('down', one))
    const rejection = build.subscriptionRejected(ethTopic, 'unknown')
    const rejected = openStore()
    rejected.store.subscribe(vi.fn())
    rejected.source$.next(left(rejection))
    rejected.source$.complete()
    expect(rejected.store.getSnapshot()).toEqual(other('rejected', undefined, rejection))
  })

  it.each<readonly [string, PriceError]>([
    ['stale', stale],
    ['waiting', build.subscriptionTimeout(ethTopic, 10_000, [])],
    ['down', down],
  ])('keeps the error of the state %s after the end of the stream', (before, error) => {
    const { source$, store } = openStore()
    store.subscribe(vi.fn())
    source$.next(left(error))
    expect(store.getSnapshot().state).toBe(before)
    source$.complete()
    expect(store.getSnapshot()).toEqual(other('down', undefined, error))
  })

  it('is down after an Rx error, which is reported', async () => {
    const store = priceStore(throwError(() => 'failed'))
    store.subscribe(vi.fn())
    expect(store.getSnapshot()).toEqual(other('down', undefined))
    await eventually(() => expect(unhandled).toEqual(['failed']))
  })

  it('calls the other listeners if one throws, and none that another one has removed', async () => {
    const { source$, store, runFrame } = openStore()
    const failing = vi.fn()
    const removed = vi.fn()
    store.subscribe(failing)
    failing.mockImplementation(() => {
      remove()
      throw new Error('of the listener')
    })
    const remove = store.subscribe(removed)
    const last = vi.fn()
    store.subscribe(last)
    source$.next(right(one))
    runFrame()
    expect(removed).toHaveBeenCalledTimes(1)
    expect(last).toHaveBeenLastCalledWith(live(one))
    await eventually(() => expect(unhandled).toHaveLength(1))
  })

  it('calls its listeners once per turn of the event loop where there are no frames', async () => {
    const source$ = new Subject<Either<PriceError, Price>>()
    const listener = vi.fn()
    priceStore(source$).subscribe(listener)
    for (let each = 1; each <= 1_000; each++) source$.next(right(build.price(ethTopic, each)))
    await eventually(() => expect(listener).toHaveBeenLastCalledWith(live(build.price(ethTopic, 1_000))))
    expect(listener).toHaveBeenCalledTimes(2)
  })

  it('calls a listener that feeds its own source once per turn', async () => {
    const source$ = new Subject<Either<PriceError, Price>>()
    /** The turn of each call. */
    const calls: number[] = []
    let turns = 0
    const unsubscribe = priceStore(source$).subscribe(() => {
      calls.push(turns)
      source$.next(right(build.price(ethTopic, calls.length)))
    })
    expect(calls.splice(0)).toEqual([0])
    while (turns < 20) {
      await nextTurn()
      turns++
    }
    unsubscribe()
    expect(calls).toEqual([...new Set(calls)])
    expect(calls.length).toBeGreaterThan(5)
  })

  it('shows the prices of a client, and none while the connection is down', async () => {
    const simulator = await startTestSimulator()
    const store = priceStore(createClientFor(simulator, { linger: 0 }).price$(ethTopic))
    const states: string[] = []
    const unsubscribe = store.subscribe(({ state }) => states.push(state))
    await eventually(() => expect(states.at(-1)).toBe('live'))
    simulator.dropConnections()
    await eventually(() => expect(states).toContain('down'))
    await eventually(() => expect(states.at(-1)).toBe('live'))
    unsubscribe()
    await eventually(() => expect(simulator.connections).toEqual([]))
  })
})

describe('a depth store', () => {
  const depth = build.depth(weth)

  it('has a depth only while it is the result of the last request', () => {
    const source$ = new Subject<Either<DepthError, Depth>>()
    const store = depthStore(source$)
    store.subscribe(vi.fn())
    source$.next(right(depth))
    expect(store.getSnapshot()).toEqual({ state: 'live', depth, last: depth, error: undefined })
    const error = build.timeout(5_000)
    source$.next(left(error))
    expect(store.getSnapshot()).toEqual({ state: 'down', depth: undefined, last: depth, error })
  })

  it('is rejected after an error of the arguments', () => {
    const source$ = new Subject<Either<DepthError, Depth>>()
    const store = depthStore(source$)
    store.subscribe(vi.fn())
    source$.next(left(invalidMint('x')))
    expect(store.getSnapshot().state).toBe('rejected')
  })
})

const priceEvent = fc.oneof(
  fc.integer({ min: 1, max: 9 }).map((usd) => right(build.price(ethTopic, usd))),
  fc.constantFrom<PriceError>(stale, down).map((error) => left(error)),
)
const step = fc.oneof(
  priceEvent.map((event) => ({ event })),
  fc.constantFrom('add' as const, 'remove' as const, 'frame' as const),
)

describe('a price store in any order of events, frames and listeners', () => {
  it('never has a price that is not the last event, and its listeners end with its snapshot', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { source$, store, runFrame } = openStore()
        const removals: (() => void)[] = []
        let lastEvent: Either<PriceError, Price> | undefined
        let calls = 0
        let seen: unknown
        for (const each of steps) {
          const before = store.getSnapshot()
          if (each === 'add') {
            removals.push(
              store.subscribe((snapshot) => {
                calls++
                seen = snapshot
              }),
            )
            calls--
          } else if (each === 'remove') removals.pop()?.()
          else if (each === 'frame') {
            const limit = calls + removals.length
            runFrame()
            expect(calls).toBeLessThanOrEqual(limit)
            if (removals.length > 0) expect(seen).toBe(store.getSnapshot())
          } else {
            source$.next(each.event)
            if (removals.length > 0) lastEvent = each.event
            else expect(store.getSnapshot()).toBe(before)
          }
          if (removals.length === 0) lastEvent = undefined
          const { price } = store.getSnapshot()
          expect(price).toBe(lastEvent === undefined || isLeft(lastEvent) ? undefined : lastEvent.right)
        }
      }),
      { numRuns: caseCount(4_000) },
    )
  })
})
