import * as fc from 'fast-check'
import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subject, take, type Observable } from 'rxjs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createClient } from '../../src/index.js'
import { combineFresh } from '../../src/operators/index.js'
import { startSimulator } from '../../src/simulator/index.js'
import { caseCount } from '../support/run/long.js'
import { eventually } from '../support/time/eventually.js'
import { marbles } from '../support/time/marbles.js'
import { collectTimed, createPrice, letterEvents, timeline$, type TimedValue } from './support/timeline.js'

const both = (a: string, b: string) => right({ a, b })

const tooOld = (leg: string, ageMs: number) =>
  left({ _tag: 'NotFresh', message: `leg ${leg}: ${ageMs} ms old`, leg, why: 'age', ageMs })

const fault = (leg: string, why: string) => left(expect.objectContaining({ leg, why }) as object)

describe('maxAge of combineFresh', () => {
  it('emits one Left when time passes, and a Right when the leg is current again', () => {
    marbles(({ hot$, expectObservable }) => {
      const a$ = hot$('   a--------c---d--------', letterEvents)
      const b$ = hot$('   -b--------------e-----', letterEvents)
      const expected = '  mr-----o--------t-----'
      const subscribed = '^--------------------!'
      const values = { m: fault('b', 'missing'), r: both('a', 'b'), o: tooOld('b', 6), t: both('d', 'e') }
      const both$ = combineFresh({ b: b$, a: a$ }, { maxAge: { b: 5 } })
      expectObservable(both$, subscribed).toBe(expected, values)
    })
  })

  it('leaves a leg without a limit current until its Left', () => {
    marbles(({ hot$, expectObservable }) => {
      const a$ = hot$('   a-------------A-', letterEvents)
      const b$ = hot$('   -b---c---d---e--', letterEvents)
      const expected = '  mr---s---t---un-'
      const subscribed = '^--------------!'
      const values = {
        m: fault('b', 'missing'),
        r: both('a', 'b'),
        s: both('a', 'c'),
        t: both('a', 'd'),
        u: both('a', 'e'),
        n: fault('a', 'left'),
      }
      const both$ = combineFresh({ b: b$, a: a$ }, { maxAge: { b: 5 } })
      expectObservable(both$, subscribed).toBe(expected, values)
    })
  })

  it('applies to all legs if it is a number, and counts from receivedAt', () => {
    const [early, late] = [createPrice(1, 2), createPrice(2, 10)]
    const a$ = timeline$([{ at: 8, value: right(early) }])
    const b$ = timeline$([{ at: 10, value: right(late) }])
    const { values } = collectTimed(() => combineFresh({ a: a$, b: b$ }, { maxAge: 10 }))
    expect(values.slice(2)).toEqual([
      { at: 10, value: right({ a: early, b: late }) },
      { at: 13, value: tooOld('a', 11) },
    ])
  })

  it('emits the Left at once for a value that is too old when it arrives', () => {
    const a$ = timeline$([{ at: 8, value: right(createPrice(1, 2)) }])
    const { values } = collectTimed(() => combineFresh({ a: a$ }, { maxAge: 5 }))
    expect(values.slice(1)).toEqual([{ at: 8, value: tooOld('a', 6) }])
  })

  it('never applies to a value whose receivedAt is far in the future, as in a marble test without stamp', () => {
    const a$ = timeline$([{ at: 8, value: right(createPrice(1, 1_735_689_600_000)) }])
    const { values } = collectTimed(() => combineFresh({ a: a$ }, { maxAge: 5 }))
    expect(values.map(({ at }) => at)).toEqual([0, 8])
  })

  it('applies to the value of a leg that has completed', () => {
    marbles(({ cold$, hot$, expectObservable }) => {
      const a$ = cold$(' (a|)', letterEvents)
      const b$ = hot$('   -b--c---d', letterEvents)
      const expected = '  mr--t-o---'
      const subscribed = '^--------!'
      const values = { m: fault('b', 'missing'), r: both('a', 'b'), t: both('a', 'c'), o: tooOld('a', 6) }
      const both$ = combineFresh({ b: b$, a: a$ }, { maxAge: { a: 5 } })
      expectObservable(both$, subscribed).toBe(expected, values)
    })
  })

  it('matches a model that evaluates every ms, for any events', () => {
    const step = fc.record({ gap: fc.nat(9), leg: fc.nat(1), lag: fc.nat(6), isLeft: fc.boolean() })
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 20 }),
        fc
          .tuple(fc.option(fc.nat(12)), fc.option(fc.nat(12), { freq: 1 }))
          .filter((ages) => ages.some((age) => age !== null)),
        (steps, [ageOfA, ageOfB]) => {
          let now = 0
          const events = steps.map(({ gap, leg, lag, isLeft }): LegEvent => {
            now += gap + 1 // two events of a ms may be in another order in the model
            return { at: now, leg, value: isLeft ? left('L') : right(createPrice(now, now - lag)) }
          })
          const limits = { ...(ageOfA !== null && { a: ageOfA }), ...(ageOfB !== null && { b: ageOfB }) }
          const end = now + 30
          const legOf = (leg: number) =>
            timeline$(
              events.filter((event) => event.leg === leg),
              end,
            )
          const { values } = collectTimed(() =>
            combineFresh({ a: legOf(0), b: legOf(1) }, { maxAge: limits }),
          )
          expect(values.map(({ at, value }) => ({ at, value: kindOf(value) }))).toEqual(
            model(events, [ageOfA ?? Infinity, ageOfB ?? Infinity], end),
          )
        },
      ),
      { numRuns: caseCount(1000) },
    )
  })
})

interface LegEvent extends TimedValue<Either<string, ReturnType<typeof createPrice>>> {
  readonly leg: number
}

const kindOf = (event: Either<{ leg: string; why: string; ageMs?: number }, object>): unknown =>
  isLeft(event) ? [event.left.leg, event.left.why, event.left.ageMs] : 'both'

/** The state of both legs in each ms: emitted after an event, and when the state becomes `age`. */
const model = (events: readonly LegEvent[], maxAges: readonly number[], end: number) => {
  const emitted: TimedValue<unknown>[] = []
  let previous = ''
  for (let at = 0; at < end; at++) {
    const latest = [0, 1].map((leg) => events.findLast((event) => event.leg === leg && event.at <= at))
    const faults = latest.map((event, leg): unknown[] | undefined => {
      const name = ['a', 'b'][leg]
      if (event === undefined) return [name, 'missing', undefined]
      return isLeft(event.value) ? [name, 'left', undefined] : undefined
    })
    const ages = latest.map((event, leg): unknown[] | undefined => {
      const age = event === undefined || isLeft(event.value) ? 0 : at - event.value.right.receivedAt
      return age > maxAges[leg]! ? [['a', 'b'][leg], 'age', age] : undefined
    })
    const state = [...faults, ...ages].find((each) => each !== undefined)
    const key = state === undefined ? '' : `${String(state[0])} ${String(state[1])}`
    const hasEvent = events.some((event) => event.at === at)
    if (key !== previous || (hasEvent && key === '')) emitted.push({ at, value: state ?? 'both' })
    previous = key
  }
  return emitted
}

describe('maxAge of combineFresh in real time', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    vi.setSystemTime(100_000)
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const collect = (source$: Observable<unknown>) => {
    const events: unknown[] = []
    const subscription = source$.subscribe((event) => events.push(event))
    return { events, subscription }
  }

  it('does not depend on a wall clock that is set back', () => {
    const a$ = new Subject<Either<string, ReturnType<typeof createPrice>>>()
    const { events } = collect(combineFresh({ a: a$ }, { maxAge: 50 }))
    a$.next(right(createPrice(1, 100_000)))
    vi.setSystemTime(10_000)
    vi.advanceTimersByTime(60)
    expect(events.slice(2)).toEqual([fault('a', 'age')])
  })

  it('counts from the arrival for a value from before the wall clock was set back', () => {
    const a$ = new Subject<Either<string, ReturnType<typeof createPrice>>>()
    const { events } = collect(combineFresh({ a: a$ }, { maxAge: 50 }))
    vi.setSystemTime(10_000)
    a$.next(right(createPrice(1, 100_000)))
    vi.advanceTimersByTime(60)
    expect(events.slice(2)).toEqual([fault('a', 'age')])
  })

  it('has one timer for a leg that emits often, and none after the unsubscription', () => {
    const a$ = new Subject<Either<string, ReturnType<typeof createPrice>>>()
    const { events, subscription } = collect(combineFresh({ a: a$ }, { maxAge: 50 }))
    for (let n = 0; n < 100; n++) {
      a$.next(right(createPrice(n, Date.now())))
      expect(vi.getTimerCount()).toBeLessThanOrEqual(1)
      vi.advanceTimersByTime(10)
    }
    expect(events.filter((event) => isLeft(event as Either<unknown, unknown>))).toHaveLength(1) // missing
    subscription.unsubscribe()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('leaves no timer if a handler changes a leg and then unsubscribes', () => {
    const a$ = new Subject<Either<string, number>>()
    const combined$ = combineFresh({ a: a$ }, { maxAge: 50 })
    combined$.pipe(take(2)).subscribe((event) => {
      if (isRight(event)) a$.next(right(2))
    })
    a$.next(right(1))
    expect(a$.observed).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('maxAge of combineFresh over real sockets', () => {
  it('keeps a quiet price with a polled depth, and drops a depth that stops', async () => {
    const address = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
    await using simulator = await startSimulator({ tick: 1_200 })
    await using client = createClient({ environment: 'mainnet', ...simulator })
    const legs = { price: client.price$(`svc-${address}`), depth: client.depth$(address, 50) }
    const reasons = (options: { maxSkew: number } | { maxAge: { depth: number } }) => {
      const seen: string[] = []
      const prices = new Set<number>()
      combineFresh(legs, options).subscribe((event) => {
        seen.push(isLeft(event) ? event.left.why : 'both')
        if (isRight(event)) prices.add(event.right.price.price)
      })
      return { seen, prices }
    }
    const bySkew = reasons({ maxSkew: 600 })
    const byAge = reasons({ maxAge: { depth: 600 } })
    await eventually(() => expect(byAge.prices.size).toBeGreaterThan(1))
    expect(bySkew.seen).toContain('skew')
    const first = byAge.seen.indexOf('both')
    expect(new Set(byAge.seen.slice(first))).toEqual(new Set(['both']))

    simulator.inject({ stall: true })
    await eventually(() => expect(byAge.seen.at(-1)).toBe('age'))
  })
})
