import fc from 'fast-check'
import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subject } from 'rxjs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Price } from '../../src/base/domain/price.js'
import { ConfigurationError } from '../../src/base/errors/configuration-error.js'
import { snapshots, type Snapshot } from '../../src/operators/index.js'
import { marbles } from '../support/time/marbles.js'
import { collectTimed, createPrice, letterEvents, timeline$ } from './support/timeline.js'

const snapshot = (at: number, value: string) => right({ at, value })

interface Arrival {
  readonly at: number
  readonly value: Either<number, Price>
  /** The time by its data. */
  readonly time: number
}

/** A snapshot comes with the first event whose time has reached it, but at the latest at its own time. */
const snapshotsOf = (events: readonly Arrival[], ms: number, end: number) => {
  const all: { at: number; value: Either<number, Snapshot<Price>> }[] = []
  for (let at = ms; at <= end; at += ms) {
    const reached = events.findIndex(({ time }) => time >= at)
    const first = reached < 0 ? undefined : events[reached]
    const last = first === undefined ? events.at(-1) : events[reached - 1]
    if (last === undefined) continue
    const value = isLeft(last.value) ? last.value : right({ at, value: last.value.right })
    all.push({ at: Math.min(at, first?.at ?? at), value })
  }
  return all
}

describe('snapshots', () => {
  it('emits what is in force at each multiple, in quiet intervals too, and nothing before the first event', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-------------a-b----c-----------D------------e---------', letterEvents)
      const subscribed = '  ^------------------------------------------------------!'
      const expected = '    --------------------x---------y---------D---------z----'
      const values = {
        D: letterEvents['D'],
        x: snapshot(20, 'b'),
        y: snapshot(30, 'c'),
        z: snapshot(50, 'e'),
      }
      expectObservable(source$.pipe(snapshots(10)), subscribed).toBe(expected, values)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('repeats a Left at each multiple until the next value', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('-a--A---------b--', letterEvents)
      const expected = '    -----A----A----x-'
      const subscribed = '  ^---------------!'
      expectObservable(source$.pipe(snapshots(5)), subscribed).toBe(expected, {
        A: letterEvents['A']!,
        x: snapshot(15, 'b'),
      })
    })
  })

  it('completes at once, and passes an Rx error at once', () => {
    marbles(({ cold$, expectObservable }) => {
      const completing$ = cold$('-a----|', letterEvents)
      const completed = '        -----x|'
      const failing$ = cold$('   -a-#', letterEvents)
      const failed = '           ---#'
      expectObservable(completing$.pipe(snapshots(5))).toBe(completed, { x: snapshot(5, 'a') })
      expectObservable(failing$.pipe(snapshots(5))).toBe(failed)
    })
  })

  it('emits the snapshots up to the receivedAt of an event before it, even if it arrives before the timer', () => {
    const [early, late] = [createPrice(1, 2), createPrice(2, 20)]
    const source$ = timeline$(
      [
        { at: 2, value: right(early) },
        { at: 8, value: right(late) },
      ],
      31,
    )
    const { values } = collectTimed(() => source$.pipe(snapshots(10)))
    expect(values).toEqual([
      { at: 8, value: right({ at: 10, value: early }) },
      { at: 8, value: right({ at: 20, value: early }) },
      { at: 30, value: right({ at: 30, value: late }) },
    ])
  })

  it.each([
    [1_000, 1_000],
    [1_001, 0],
  ])('leaves out more than 1000 snapshots at once: of %s, it emits %s', (missed, expected) => {
    const [early, late] = [createPrice(1, 2), createPrice(2, missed * 10)]
    const events = [
      { at: 2, value: right(early) },
      { at: 8, value: right(late) },
    ]
    const { values } = collectTimed(() => timeline$(events, 9).pipe(snapshots(10)))
    expect(values).toHaveLength(expected)
  })

  it('has the snapshots of a plain model, for any times, Lefts, and values that are ahead of their timer', () => {
    const step = fc.record({ gap: fc.nat(25), ahead: fc.option(fc.nat(30)), isLeft: fc.boolean() })
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 12 }),
        (steps, ms) => {
          let now = 1
          const events = steps.map(({ gap, ahead, isLeft }, index) => {
            now += gap
            const value = isLeft
              ? left(index)
              : right(createPrice(index + 1, ahead === null ? NaN : now + ahead))
            return { at: now, value, time: now + (isLeft ? 0 : (ahead ?? 0)) }
          })
          const end = now + 50
          const { values } = collectTimed(() => timeline$(events, end).pipe(snapshots(ms)))
          expect(values).toEqual(snapshotsOf(events, ms, end))
        },
      ),
    )
  })

  it.each([1_735_689_600_000, 0, NaN])('takes the arrival if the receivedAt is %s', (receivedAt) => {
    const value = createPrice(1, receivedAt)
    const source$ = timeline$([{ at: 12, value: right(value) }], 25)
    const { values } = collectTimed(() => source$.pipe(snapshots(10)))
    expect(values).toEqual([{ at: 20, value: right({ at: 20, value }) }])
  })

  it.each([NaN, Infinity, -1, 0, 0.5, 2 ** 31, '5' as unknown as number])(
    'throws a ConfigurationError for %s ms',
    (ms) => {
      expect(() => snapshots(ms)).toThrow(ConfigurationError)
    },
  )
})

describe('snapshots in real time', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    vi.setSystemTime(1_000)
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const run = () => {
    const source$ = new Subject<Either<string, Price>>()
    const times: number[] = []
    const collect = (event: Either<string, Snapshot<Price>>) => {
      if (isRight(event)) times.push(event.right.at)
    }
    const subscription = source$.pipe(snapshots(100)).subscribe(collect)
    const emit = (receivedAt = Date.now()) => source$.next(right(createPrice(1, receivedAt)))
    return { times, subscription, emit }
  }

  it('include a price of before the boundary that a slow handler delays, and put a later one after it', () => {
    const { times, emit } = run()
    emit()
    vi.setSystemTime(1_120)
    emit(1_099)
    expect(times).toEqual([])
    emit(1_120)
    expect(times).toEqual([1_100])
  })

  it('have one timer, and none after the unsubscription', () => {
    const { times, subscription, emit } = run()
    for (let n = 0; n < 50; n++) {
      emit()
      vi.advanceTimersByTime(10)
    }
    vi.advanceTimersByTime(1)
    expect(times).toEqual([1_100, 1_200, 1_300, 1_400, 1_500])
    expect(vi.getTimerCount()).toBe(1)
    subscription.unsubscribe()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('continue at the new time after the clock is set back', () => {
    const { times, emit } = run()
    emit()
    vi.advanceTimersByTime(101)
    vi.setSystemTime(550)
    vi.advanceTimersByTime(200)
    expect(times).toEqual([1_100, 700])
  })

  it('leave out a pause of the process of more than a minute', () => {
    const { times, emit } = run()
    emit()
    vi.setSystemTime(3_600_000)
    emit()
    vi.advanceTimersByTime(101)
    expect(times).toEqual([3_600_100])
  })

  it('include the missed multiples of a shorter pause', () => {
    const { times, emit } = run()
    emit()
    vi.setSystemTime(1_350)
    emit()
    expect(times).toEqual([1_100, 1_200, 1_300])
  })
})
