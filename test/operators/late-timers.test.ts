import * as fc from 'fast-check'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subject, type Observable } from 'rxjs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Price } from '../../src/base/domain/price.js'
import { candles, snapshots } from '../../src/operators/index.js'
import { caseCount } from '../support/run/long.js'
import { collectTimed, createPrice, timeline$, type TimedValue } from './support/timeline.js'

type Event = Either<string, Price>
type Results$ = Observable<Either<string, object>>

/** How late the timers before an event are, and how long handlers before the operator take, in ms. */
interface Step {
  readonly gap: number
  readonly lateness: number
  readonly handling: number
  readonly isLeft: boolean
}

const step: fc.Arbitrary<Step> = fc.record({
  gap: fc.nat(60),
  lateness: fc.nat(60),
  handling: fc.oneof(fc.constant(0), fc.nat(99)),
  isLeft: fc.boolean(),
})

interface LiveEvent extends TimedValue<Event> {
  readonly lateness: number
  /** When the operator receives the event. */
  readonly handledAt: number
}

/** A Left has no `receivedAt`: its time is its arrival. The last event is a price in a later window. */
const eventsOf = (steps: readonly Step[]): readonly LiveEvent[] => {
  let now = 0
  const all = [...steps, { gap: 200, lateness: 0, handling: 0, isLeft: false }]
  return all.map(({ gap, lateness, handling, isLeft }, index) => {
    const at = now + gap
    now = isLeft ? at : at + handling
    const value = isLeft ? left(`L${index}`) : right(createPrice(index + 1, at))
    return { at, lateness: Math.min(lateness, gap), handledAt: now, value }
  })
}

/** Runs an operator on a clock whose timers and handlers are late. */
const runLate = async (
  events: readonly LiveEvent[],
  operator: (source$: Observable<Event>) => Results$,
): Promise<unknown[]> => {
  vi.setSystemTime(0)
  const source$ = new Subject<Event>()
  const results: unknown[] = []
  const subscription = operator(source$).subscribe((result) => results.push(result))
  for (const { at, lateness, handledAt, value } of events) {
    vi.advanceTimersByTime(at - lateness - Date.now())
    vi.setSystemTime(handledAt)
    source$.next(value)
    await Promise.resolve() // the end of the turn
  }
  subscription.unsubscribe()
  return results
}

const runPunctual = (events: readonly LiveEvent[], operator: (source$: Observable<Event>) => Results$) => {
  const end = events.at(-1)!.at + 0.5 // before the next window
  return collectTimed(() => operator(timeline$(events, end))).values.map(({ value }) => value)
}

const operators: readonly [name: string, create: (ms: number) => (source$: Observable<Event>) => Results$][] =
  [
    ['snapshots', (ms) => (source$) => source$.pipe(snapshots(ms))],
    ['candles', (ms) => (source$) => source$.pipe(candles(ms))],
    ['candles with fill', (ms) => (source$) => source$.pipe(candles(ms, { fill: true }))],
  ]

describe('on a clock whose timers and handlers are late', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it.each(operators)('%s have the same results in the same order as in virtual time', async (_, create) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 20 }),
        fc.integer({ min: 5, max: 150 }),
        async (steps, ms) => {
          const events = eventsOf(steps)
          const late = await runLate(events, create(ms))
          vi.useRealTimers()
          const punctual = runPunctual(events, create(ms))
          vi.useFakeTimers()
          expect(late).toEqual(punctual)
        },
      ),
      { numRuns: caseCount(500) },
    )
  })
})
