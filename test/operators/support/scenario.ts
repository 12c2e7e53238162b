import * as fc from 'fast-check'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { finalize, ReplaySubject, Subject, takeUntil, timer, type Observable } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { VirtualTime } from '../../../src/backtest/replay/virtual-time.js'

/** A value of a scenario. `receivedAt` may be missing. */
export interface Payload {
  readonly id: number
  readonly topic: 'svc-0xab'
  readonly price: number
  readonly epoch: number
  readonly receivedAt: number
}

export type Source$ = Observable<Either<string, Payload>>

interface Action {
  readonly source: number
  readonly kind: 'value' | 'undated' | 'left' | 'complete' | 'error'
  readonly number: number
}

/** What sources and a subscriber do. Times are in ms. */
export interface Scenario {
  /** Emitted before the subscription; the source repeats it to its subscriber. */
  readonly before: readonly Action[]
  readonly steps: readonly (Action & { readonly gap: number })[]
  /** From inside the handler of the emission with this number. */
  readonly fedBack: readonly (Action & { readonly emission: number })[]
  readonly unsubscribesAt: number
  /** The subscriber unsubscribes in the handler of this emission. */
  readonly maxEmissions: number
}

const times = <T>(count: number, value: T): readonly T[] => Array.from({ length: count }, () => value)

const actionOf = (sources: number) => ({
  source: fc.nat(sources - 1),
  kind: fc.constantFrom<Action['kind']>(
    ...times(8, 'value' as const),
    ...times(4, 'undated' as const),
    ...times(3, 'left' as const),
    'complete',
    'error',
  ),
  number: fc.nat(20),
})

export const scenarioOf = (sources: number): fc.Arbitrary<Scenario> =>
  fc.record({
    before: fc.array(fc.record(actionOf(sources)), { maxLength: 4 }),
    steps: fc.array(fc.record({ ...actionOf(sources), gap: fc.nat(8) }), { maxLength: 30, size: '+1' }),
    fedBack: fc.array(fc.record({ ...actionOf(sources), emission: fc.nat(20) }), { maxLength: 6 }),
    unsubscribesAt: fc.integer({ min: 1, max: 400 }),
    maxEmissions: fc.integer({ min: 1, max: 60 }),
  })

/** Runs `work` in virtual time until no timer is left before `end`. */
export type RunInTime = (work: (now: () => number) => void, end: number) => void

export const underTestScheduler: RunInTime = (work) => {
  const scheduler = new TestScheduler(() => undefined)
  scheduler.run(() => {
    work(() => scheduler.now())
    scheduler.flush()
  })
}

/** The virtual time of a replay. */
export const underReplay: RunInTime = (work, end) => {
  const time = new VirtualTime(0)
  time.run(() => {
    work(time.wallClock)
    time.advance(end)
  })
  time.dispose()
}

/** Plays a scenario. Returns what the subscriber saw, in order, and when the sources were unsubscribed from. */
export const play = <Out>(
  { before, steps, fedBack, unsubscribesAt, maxEmissions }: Scenario,
  runInTime: RunInTime,
  sources: number,
  operator: (sources$: readonly Source$[]) => Observable<Out>,
): readonly unknown[] => {
  const log: unknown[] = []
  const teardowns: (number | undefined)[] = []
  const subjects = Array.from({ length: sources }, () => new ReplaySubject<Either<string, Payload>>())
  let id = 0
  const act = ({ source, kind, number }: Action): void => {
    const subject = subjects[source]!
    if (kind === 'complete') subject.complete()
    else if (kind === 'error') subject.error(`error ${number}`)
    else if (kind === 'left') subject.next(left(`left ${number % 3}`))
    else subject.next(right(payload(++id, number, kind === 'value')))
  }
  before.forEach(act)
  runInTime((now) => {
    const sources$ = subjects.map((subject, source) =>
      subject.pipe(finalize(() => (teardowns[source] = now()))),
    )
    let emissions = 0
    let at = 0
    for (const step of steps) {
      at += step.gap
      timer(at).subscribe(() => act(step))
    }
    const stop$ = new Subject<void>()
    // A source that completes inside of `subscribe` ends some chains inside of the handler, and others after it.
    let isSubscribing = true
    const mayAct = ({ kind }: Action): boolean => kind !== 'complete' || !isSubscribing
    timer(unsubscribesAt).subscribe(() => stop$.next())
    operator(sources$)
      .pipe(takeUntil(stop$))
      .subscribe({
        next: (value) => {
          const emission = emissions++
          log.push([now(), 'next', value])
          if (emissions >= maxEmissions) stop$.next()
          for (const action of fedBack) if (action.emission === emission && mayAct(action)) act(action)
          log.push([now(), 'handled', emission])
        },
        error: (error) => log.push([now(), 'error', error]),
        complete: () => log.push([now(), 'complete']),
      })
    isSubscribing = false
  }, 1_000)
  return [log, teardowns]
}

const payload = (id: number, number: number, isDated: boolean): Payload =>
  ({
    id,
    topic: 'svc-0xab',
    price: number + 1,
    epoch: number % 4 === 0 ? 2 : 1,
    ...(isDated ? { receivedAt: number } : {}),
  }) as Payload
