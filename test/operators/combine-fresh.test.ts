import * as fc from 'fast-check'
import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import {
  BehaviorSubject,
  EMPTY,
  NEVER,
  of,
  ReplaySubject,
  Subject,
  take,
  tap,
  type Observable,
  queueScheduler,
} from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { assertNever } from '../../src/base/domain/assert-never.js'
import type { Depth } from '../../src/base/domain/depth.js'
import type { Price } from '../../src/base/domain/price.js'
import { ConfigurationError } from '../../src/base/errors/configuration-error.js'
import { disconnected } from '../../src/base/errors/constructors.js'
import type { DepthError, NotFresh, PriceError } from '../../src/base/errors/model.js'
import { combineFresh, type CombineFreshOptions } from '../../src/operators/index.js'
import { letterEvents, createPrice, collectTimed, timeline$ } from './support/timeline.js'
import { caseCount } from '../support/run/long.js'
import { marbles } from '../support/time/marbles.js'
import { eventually } from '../support/time/eventually.js'
import { collectUnhandledErrors } from '../support/unhandled-errors.js'

const unhandled = collectUnhandledErrors()

const lax = { maxSkew: 1000 }

const missing = (leg: string) =>
  left({ _tag: 'NotFresh', message: `leg ${leg}: no value yet`, leg, why: 'missing' })
const faulted = (leg: string, error: string) =>
  left({ _tag: 'NotFresh', message: `leg ${leg}: its last value is a Left`, leg, why: 'left', error })
const skewed = (leg: string, skewMs: number) =>
  left({
    _tag: 'NotFresh',
    message: `leg ${leg}: ${skewMs} ms older than the newest leg`,
    leg,
    why: 'skew',
    skewMs,
  })
const both = (a: string, b: string) => right({ a, b })

describe('combineFresh', () => {
  it('emits the latest values, or a Left while a leg is missing or has a Left', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const a$ = hot$('   -a-----c---d----|', letterEvents)
      const b$ = hot$('   ---b-E---e------|', letterEvents)
      const subscribed = '^---------------!'
      const expected = '  ml-r-n---s-t----|'
      const values = {
        m: missing('a'),
        l: missing('b'),
        r: both('a', 'b'),
        n: faulted('b', 'E'),
        s: both('c', 'e'),
        t: both('d', 'e'),
      }
      expectObservable(combineFresh({ a: a$, b: b$ }, lax)).toBe(expected, values)
      expectSubscriptions(a$.subscriptions).toBe(subscribed)
      expectSubscriptions(b$.subscriptions).toBe(subscribed)
    })
  })

  it('emits each fault once, and again when it recurs', () => {
    marbles(({ hot$, expectObservable }) => {
      const a$ = hot$(' -a-b-c-d-e-f------g-', letterEvents)
      const b$ = hot$(' ------b-J-J-I-h-J---', letterEvents)
      const expected = 'ml----pqn---o-r-n---'
      const values = {
        m: missing('a'),
        l: missing('b'),
        p: both('c', 'b'),
        q: both('d', 'b'),
        n: faulted('b', 'J'),
        o: faulted('b', 'I'),
        r: both('f', 'h'),
      }
      expectObservable(combineFresh({ a: a$, b: b$ }, lax)).toBe(expected, values)
    })
  })

  it('names the first leg, in the order of the keys, that is missing or Left', () => {
    marbles(({ hot$, expectObservable }) => {
      const a$ = hot$(' -----a-A-a---', letterEvents)
      const b$ = hot$(' ---B-------b-', letterEvents)
      const c$ = hot$(' -C-----------', letterEvents)
      const expected = 'm----n-o-n-p-'
      const values = { m: missing('a'), n: faulted('b', 'B'), o: faulted('a', 'A'), p: faulted('c', 'C') }
      expectObservable(combineFresh({ a: a$, b: b$, c: c$ }, lax)).toBe(expected, values)
    })
  })

  it('compares legs without receivedAt by their arrival', () => {
    marbles(({ hot$, expectObservable }) => {
      const a$ = hot$(' -a---b-c-d-----', letterEvents)
      const b$ = hot$(' -b---------c---d', letterEvents)
      const expected = 'm(lr)q-p---s---t'
      const values = {
        m: missing('a'),
        l: missing('b'),
        r: both('a', 'b'),
        q: both('b', 'b'),
        p: skewed('b', 6),
        s: both('d', 'c'),
        t: skewed('a', 6),
      }
      expectObservable(combineFresh({ a: a$, b: b$ }, { maxSkew: 5 })).toBe(expected, values)
    })
  })

  it('compares legs with receivedAt by it, independent of their arrival', () => {
    const [older, newer, newest] = [createPrice(1, 1000), createPrice(2, 1005), createPrice(3, 1006)]
    const a$ = new BehaviorSubject(right(older))
    const b$ = timeline$([
      { at: 700, value: right(newer) },
      { at: 701, value: right(newest) },
    ])
    const { values } = collectTimed(() => combineFresh({ a: a$, b: b$ }, { maxSkew: 5 }))
    expect(values).toEqual([
      { at: 0, value: missing('b') },
      { at: 700, value: right({ a: older, b: newer }) },
      { at: 701, value: skewed('a', 6) },
    ])
  })

  it.each([NaN, Infinity, '7', undefined])('uses the arrival when receivedAt is %s', (receivedAt) => {
    const a$ = timeline$([{ at: 7, value: right({ receivedAt }) }])
    const b$ = timeline$([{ at: 8, value: right({ receivedAt: 8 }) }])
    const { values } = collectTimed(() => combineFresh({ a: a$, b: b$ }, { maxSkew: 1 }))
    expect(values.at(-1)).toEqual({ at: 8, value: right({ a: { receivedAt }, b: { receivedAt: 8 } }) })
  })

  it('names the first of several legs that are too old when all have values', () => {
    const at$ = (receivedAt: number) => of(right({ receivedAt }))
    const all$ = combineFresh({ a: at$(100), b: at$(10), c: at$(0) }, { maxSkew: 50 })
    expect(collectTimed(() => all$).values).toEqual([{ at: 0, value: skewed('b', 90) }])
    const some$ = combineFresh({ a: at$(100), b: at$(10), c: NEVER }, { maxSkew: 50 })
    expect(collectTimed(() => some$).values).toEqual([{ at: 0, value: missing('c') }])
  })

  it('emits the error and the message of a leg with a Left', () => {
    const down = disconnected({ code: 1006, reason: 'reset', attempt: 1, retryInMs: 250 })
    const a$ = new BehaviorSubject(left(down))
    const { values } = collectTimed(() => combineFresh({ a: a$ }, lax))
    const message = 'leg a: Disconnected: connection down (1006: reset); attempt 2 in 250 ms'
    const expected = left({ _tag: 'NotFresh', message, leg: 'a', why: 'left', error: down })
    expect(values).toEqual([{ at: 0, value: expected }])
  })

  it('combines the values that the legs emit synchronously into one event', () => {
    const a$ = new ReplaySubject<Either<string, string>>()
    a$.next(letterEvents['a']!)
    a$.next(letterEvents['b']!)
    const b$ = new BehaviorSubject(letterEvents['c']!)
    expect(collectTimed(() => combineFresh({ a: a$, b: b$ }, lax)).values).toEqual([
      { at: 0, value: both('b', 'c') },
    ])
  })

  it('emits a change of each leg, also when two legs have the same source', () => {
    const a$ = new BehaviorSubject(letterEvents['a']!)
    const { values } = collectTimed(
      () => combineFresh({ a: a$, b: a$ }, lax),
      () => a$.next(letterEvents['b']!),
    )
    expect(values.map(({ value }) => value)).toEqual([both('a', 'a'), both('b', 'a'), both('b', 'b')])
  })

  it('emits records with the keys in their order, whichever leg emits first', () => {
    const { values } = collectTimed(() =>
      combineFresh({ z: timeline$([{ at: 9, value: right(1) }]), b: of(right(2)), a: of(right(3)) }, lax),
    )
    const last = values.at(-1)!.value
    expect(isRight(last) && Object.keys(last.right)).toEqual(['z', 'b', 'a'])
  })
})

describe('combineFresh, when a leg completes or fails,', () => {
  it('keeps the value of the completed leg until it is too old', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const a$ = hot$('   -a|', letterEvents)
      const b$ = hot$('   --b--c---d--e---|', letterEvents)
      const subscribed = '^-!'
      const expected = '  mlr--s---t------|'
      const values = {
        m: missing('a'),
        l: missing('b'),
        r: both('a', 'b'),
        s: both('a', 'c'),
        t: skewed('a', 8),
      }
      expectObservable(combineFresh({ a: a$, b: b$ }, { maxSkew: 5 })).toBe(expected, values)
      expectSubscriptions(a$.subscriptions).toBe(subscribed)
    })
  })

  it('completes if the last event of the leg was a Left, and unsubscribes from the others', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const a$ = hot$('   -a-----', letterEvents)
      const b$ = hot$('   ---B-|-', letterEvents)
      const subscribed = '^----!-'
      const expected = '  ml-n-|-'
      const values = { m: missing('a'), l: missing('b'), n: faulted('b', 'B') }
      expectObservable(combineFresh({ a: a$, b: b$ }, lax)).toBe(expected, values)
      expectSubscriptions(a$.subscriptions).toBe(subscribed)
      expectSubscriptions(b$.subscriptions).toBe(subscribed)
    })
  })

  it('names the leg and completes if the leg had no value', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const a$ = hot$('   ------', letterEvents)
      const b$ = hot$('   ---|--', letterEvents)
      const subscribed = '^--!--'
      const expected = '  m--(n|)'
      const values = { m: missing('a'), n: missing('b') }
      expectObservable(combineFresh({ a: a$, b: b$ }, lax)).toBe(expected, values)
      expectSubscriptions(a$.subscriptions).toBe(subscribed)
    })
  })

  it('completes immediately if the leg has completed before', () => {
    const all$ = combineFresh({ a: NEVER, b: of(letterEvents['B']!), c: EMPTY }, lax)
    expect(collectTimed(() => all$)).toEqual({
      values: [{ at: 0, value: faulted('b', 'B') }],
      completedAt: 0,
    })
  })

  it('emits the NotFresh of the lost leg last, even if a handler changes another leg', () => {
    const [a$, b$] = [new Subject<Either<string, string>>(), new Subject<Either<string, string>>()]
    const feedBack = (event: Either<NotFresh, unknown>) => {
      if (isLeft(event) && event.left.leg === 'b') a$.next(letterEvents['A']!)
    }
    const { values, completedAt } = collectTimed(
      () => combineFresh({ a: a$, b: b$ }, lax).pipe(tap(feedBack)),
      () => b$.complete(),
    )
    expect(values.map(({ value }) => value)).toEqual([missing('a'), missing('b')])
    expect(completedAt).toBe(0)
    expect([a$.observed, b$.observed]).toEqual([false, false])
  })

  it('completes with the last leg without another event', () => {
    const all$ = combineFresh({ a: of(letterEvents['a']!), b: of(letterEvents['b']!) }, lax)
    expect(collectTimed(() => all$)).toEqual({ values: [{ at: 0, value: both('a', 'b') }], completedAt: 0 })
  })

  it('completes immediately without legs', () => {
    expect(collectTimed(() => combineFresh({}, lax))).toEqual({ values: [], completedAt: 0 })
  })

  it('passes the Rx error through and unsubscribes from the others', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const a$ = hot$('   -a-----', letterEvents)
      const b$ = hot$('   --b-#--', letterEvents)
      const subscribed = '^---!--'
      const expected = '  mlr-#--'
      const values = { m: missing('a'), l: missing('b'), r: both('a', 'b') }
      expectObservable(combineFresh({ a: a$, b: b$ }, lax)).toBe(expected, values)
      expectSubscriptions(a$.subscriptions).toBe(subscribed)
    })
  })
})

describe('combineFresh', () => {
  it('unsubscribes from all legs on unsubscribe', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const a$ = hot$('   -a---a-', letterEvents)
      const b$ = hot$('   --b---b', letterEvents)
      const subscribed = '^--!---'
      const expected = '  mlr----'
      const values = { m: missing('a'), l: missing('b'), r: both('a', 'b') }
      expectObservable(combineFresh({ a: a$, b: b$ }, lax), subscribed).toBe(expected, values)
      expectSubscriptions(a$.subscriptions).toBe(subscribed)
      expectSubscriptions(b$.subscriptions).toBe(subscribed)
    })
  })

  it('unsubscribes from all legs when its subscriber takes one event', () => {
    const [a$, b$] = [new BehaviorSubject(letterEvents['a']!), new BehaviorSubject(letterEvents['b']!)]
    const first$ = combineFresh({ a: a$, b: b$ }, lax).pipe(take(1))
    expect(collectTimed(() => first$)).toEqual({ values: [{ at: 0, value: both('a', 'b') }], completedAt: 0 })
    expect([a$.observed, b$.observed]).toEqual([false, false])
  })

  it('emits the latest values when a handler changes a leg', () => {
    const [a$, b$] = [new BehaviorSubject(letterEvents['a']!), new BehaviorSubject(letterEvents['b']!)]
    const seen: unknown[] = []
    const subscription = combineFresh({ a: a$, b: b$ }, lax).subscribe((value) => {
      seen.push(value)
      if (seen.length === 1) b$.next(letterEvents['B']!)
      if (seen.length === 2) b$.next(letterEvents['c']!)
    })
    expect(seen).toEqual([both('a', 'b'), faulted('b', 'B'), both('a', 'c')])
    subscription.unsubscribe()
  })

  it('keeps the order of events when a handler changes a leg: the Left is last', () => {
    const [a$, b$] = [new Subject<Either<string, string>>(), new BehaviorSubject(letterEvents['b']!)]
    const seen: unknown[] = []
    const combined$ = combineFresh({ a: a$, b: b$ }, lax).pipe(
      tap((value) => {
        if (isRight(value)) b$.next(letterEvents['B']!)
      }),
    )
    const subscription = combined$.subscribe((value) => seen.push(value))
    a$.next(letterEvents['a']!)
    expect(seen).toEqual([missing('a'), both('a', 'b'), faulted('b', 'B')])
    subscription.unsubscribe()
  })

  it('has a state for each subscriber, also for one that a handler adds', () => {
    const [a$, b$] = [new BehaviorSubject(letterEvents['a']!), new Subject<Either<string, string>>()]
    const combined$ = combineFresh({ a: a$, b: b$ }, lax)
    const [first, second]: [unknown[], unknown[]] = [[], []]
    const inner$ = combined$.pipe(tap((value) => second.push(value)))
    combined$
      .pipe(
        tap((value) => {
          first.push(value)
          if (first.length === 2) inner$.subscribe()
        }),
      )
      .subscribe()
    b$.next(letterEvents['b']!)
    a$.next(letterEvents['c']!)
    expect(first).toEqual([missing('b'), both('a', 'b'), both('c', 'b')])
    expect(second).toEqual([missing('b')])
  })

  it('emits immediately inside an action of `queueScheduler`, and loses no event if the action throws', () => {
    const b$ = new BehaviorSubject(letterEvents['b']!)
    const seen: unknown[] = []
    const subscription = combineFresh({ b: b$ }, lax).subscribe((value) => seen.push(value))
    const act = (): void => {
      b$.next(letterEvents['B']!)
      throw new Error(`after ${seen.length}`)
    }
    expect(() => queueScheduler.schedule(act)).toThrow('after 2')
    expect(seen).toEqual([right({ b: 'b' }), faulted('b', 'B')])
    subscription.unsubscribe()
  })

  it('continues when a handler throws', async () => {
    const a$ = new BehaviorSubject(letterEvents['a']!)
    const seen: unknown[] = []
    combineFresh({ a: a$ }, lax).subscribe((value) => {
      seen.push(value)
      throw new Error('by the handler')
    })
    a$.next(letterEvents['b']!)
    expect(seen).toEqual([right({ a: 'a' }), right({ a: 'b' })])
    await eventually(() => expect(unhandled).toHaveLength(2))
  })

  it.each<[unknown, string]>([
    [undefined, 'options: expected an object like { maxAge: { depth: 2000 } }'],
    [null, 'options: expected an object like { maxAge: { depth: 2000 } }'],
    [5, 'options: expected an object like { maxAge: { depth: 2000 } }'],
    [{}, 'maxSkew: combineFresh needs maxSkew or maxAge, or both'],
    [{ maxAge: undefined }, 'maxSkew: combineFresh needs maxSkew or maxAge, or both'],
    [{ maxAge: '5' }, 'maxAge: expected a finite number of at least 0, or a record of such numbers, got "5"'],
    [{ maxAge: -1 }, 'maxAge: expected a finite number of at least 0, or a record of such numbers, got -1'],
    [{ maxAge: {} }, 'maxAge: names no leg'],
    [{ maxSkew: 5, maxAge: {} }, 'maxAge: names no leg'],
    [{ maxAge: { a: NaN } }, 'maxAge.a: expected a finite number of at least 0, got NaN'],
    [{ maxAge: { b: 5 } }, 'maxAge.b: combineFresh has no leg "b", only "a"'],
    [{ maxAg: 5 }, 'maxAg: did you mean maxAge?'],
    [{ maxSkw: 5 }, 'maxSkw: did you mean maxSkew?'],
    [{ maxSkew: 5, maxSkwe: 5 }, 'maxSkwe: did you mean maxSkew?'],
  ])('throws a ConfigurationError for the options %j', (options, message) => {
    const combine = () => combineFresh({ a: NEVER }, options as CombineFreshOptions)
    expect(combine).toThrow(ConfigurationError)
    expect(combine).toThrow(message)
  })

  it.each([NaN, Infinity, -Infinity, -1, '5' as unknown as number])(
    'throws a ConfigurationError for a maxSkew of %s',
    (maxSkew) => {
      expect(() => combineFresh({ a: NEVER }, { maxSkew })).toThrow(ConfigurationError)
    },
  )

  it('has the type of a record of the values', () => {
    const price$ = new Subject<Either<PriceError, Price>>().asObservable()
    const depth$ = new Subject<Either<DepthError, Depth>>().asObservable()
    const combined$ = combineFresh({ eth: price$, depth: depth$ }, lax)
    expectTypeOf(combined$).toEqualTypeOf<
      Observable<Either<NotFresh<'eth' | 'depth', PriceError | DepthError>, { eth: Price; depth: Depth }>>
    >()
    const byName: Readonly<Record<string, Observable<Either<PriceError, Price>>>> = { eth: price$ }
    const all$ = combineFresh(byName, lax)
    expectTypeOf(all$).toEqualTypeOf<
      Observable<Either<NotFresh<string, PriceError>, Record<string, Price>>>
    >()
    // @ts-expect-error -- a leg must be a stream of Either
    void combineFresh({ eth: of(1) }, lax)
  })
})

type Kind = 'value' | 'dated' | 'left' | 'end'
interface Step {
  readonly key: string
  readonly kind: Kind
  readonly at: number
  readonly value: Either<number, { readonly id: number; readonly receivedAt?: number }>
}

interface RandomStep {
  readonly gap: number
  readonly key: string
  readonly kind: Kind
  readonly number: number
}

const keys = ['a', 'b', 'c']

const times = <T>(count: number, value: T): readonly T[] => Array.from({ length: count }, () => value)

describe('combineFresh, for any events of its legs,', () => {
  const kind = fc.constantFrom<Kind>(
    ...times(8, 'value' as const),
    ...times(6, 'dated' as const),
    'left',
    'end',
  )
  const randomStep = fc.record({ gap: fc.nat(6), key: fc.constantFrom(...keys), kind, number: fc.nat(40) })

  const stepsOf = (randomSteps: readonly RandomStep[], start: number) => {
    let now = start
    return randomSteps.map(({ gap, key, kind, number }, index): Step => {
      now += start === 0 ? 0 : gap
      const dated = { id: index, receivedAt: number }
      const value = kind === 'left' ? left(number % 3) : right(kind === 'dated' ? dated : { id: index })
      return { key, kind, at: now, value }
    })
  }

  it('matches a simple reference implementation', () => {
    fc.assert(
      fc.property(
        fc.array(randomStep, { maxLength: 5 }),
        fc.array(randomStep, { maxLength: 40, size: '+1' }),
        fc.nat(30),
        (before, after, maxSkew) => {
          const [past, future] = [stepsOf(before, 0), stepsOf(after, 1)]
          const legs = Object.fromEntries(keys.map((key) => [key, new ReplaySubject<Step['value']>()]))
          const play = ({ key, kind, value }: Step) => {
            if (kind === 'end') legs[key]!.complete()
            else legs[key]!.next(value)
          }
          past.forEach(play)
          const { values } = collectTimed(
            () => combineFresh(legs, { maxSkew }),
            () => timeline$(future.map((value) => ({ at: value.at, value }))).subscribe(play),
          )
          const seen = values.map(({ at, value }) => ({ at, summary: summaryOf(value) }))
          expect(seen).toEqual(reference(past, future, maxSkew))
        },
      ),
      { numRuns: caseCount(5000) },
    )
  })

  it('emits no Right while a leg is missing or Left', () => {
    fc.assert(
      fc.property(fc.array(randomStep, { maxLength: 40, size: '+1' }), fc.nat(30), (randomSteps, maxSkew) => {
        const steps = stepsOf(randomSteps, 1)
        const legs = Object.fromEntries(keys.map((key) => [key, new Subject<Step['value']>()]))
        let state: Either<NotFresh, unknown> | undefined
        const subscription = combineFresh(legs, { maxSkew }).subscribe((value) => (state = value))
        for (const [index, { key, kind, value }] of steps.entries()) {
          if (kind === 'end') legs[key]!.complete()
          else legs[key]!.next(value)
          const latest = keys.map((name) => lastOf(steps.slice(0, index + 1), name)?.value)
          const allHaveValues = latest.every((it) => it !== undefined && isRight(it))
          if (!allHaveValues) expect(isLeft(state!)).toBe(true)
        }
        subscription.unsubscribe()
      }),
    )
  })
})

const summaryOf = (value: Either<NotFresh, unknown>): unknown => {
  if (isRight(value)) return value.right
  const fault = value.left
  switch (fault.why) {
    case 'missing':
      return [fault.leg, fault.why]
    case 'left':
      return [fault.leg, fault.why, fault.error]
    case 'skew':
      return [fault.leg, fault.why, fault.skewMs]
    case 'age':
      return [fault.leg, fault.why, fault.ageMs]
    default:
      return assertNever(fault)
  }
}

/** The last event of a leg before its completion. */
const lastOf = (history: readonly Step[], key: string): Step | undefined => {
  const own = history.filter((step) => step.key === key)
  const end = own.findIndex((step) => step.kind === 'end')
  return own.slice(0, end === -1 ? undefined : end).at(-1)
}

/** Evaluates the complete history after each step. */
const reference = (past: readonly Step[], future: readonly Step[], maxSkew: number) => {
  const events: { at: number; summary: unknown }[] = []
  let before: readonly unknown[] | undefined
  for (let count = 0; count <= future.length; count++) {
    const history = [...past, ...future.slice(0, count)]
    const step = count === 0 ? undefined : future[count - 1]
    const earlier = history.slice(0, -1)
    const hasEnded = (key: string, steps = history) => steps.some((it) => it.key === key && it.kind === 'end')
    if (step !== undefined && hasEnded(step.key, earlier)) continue

    const legs = keys.map((key) => ({ key, ended: hasEnded(key), last: lastOf(history, key) }))
    const withoutValue = legs.filter(({ last }) => last === undefined || isLeft(last.value))
    const lost = withoutValue.find(({ ended }) => ended)
    const timeOf = ({ at, value }: Step) => (isRight(value) ? (value.right.receivedAt ?? at) : NaN)
    const times = legs.flatMap(({ last }) => (last === undefined ? [] : [timeOf(last)]))
    const lags = legs.map(({ key, last }) => ({ key, lag: Math.max(...times) - (last ? timeOf(last) : NaN) }))

    const faulty = lost ?? withoutValue[0]
    const late = faulty === undefined ? lags.find(({ lag }) => lag > maxSkew) : undefined
    let summary: unknown
    let fault: readonly unknown[] | undefined
    if (faulty !== undefined) {
      fault =
        faulty.last === undefined
          ? [faulty.key, 'missing']
          : [faulty.key, 'left', isLeft(faulty.last.value) && faulty.last.value.left]
      summary = fault
    } else if (late !== undefined) {
      fault = [late.key, 'skew']
      summary = [...fault, late.lag]
    } else {
      summary = Object.fromEntries(
        legs.map(({ key, last }) => [key, last && isRight(last.value) && last.value.right]),
      )
    }

    const isRepeated = fault !== undefined && JSON.stringify(fault) === JSON.stringify(before)
    const isEndAfterValue = step?.kind === 'end' && lost === undefined
    if (!isRepeated && !isEndAfterValue) {
      events.push({ at: step?.at ?? 0, summary })
      before = fault
    }
    if (lost !== undefined) break
  }
  return events
}
