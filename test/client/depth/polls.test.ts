import { left } from 'fp-ts/lib/Either.js'
import { merge, NEVER, Observable, of } from 'rxjs'
import type { Address } from 'svc-streams'
import { httpError, timeout, unauthorized, unsupportedPair } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { rxClock } from '../../../src/base/time/clock.js'
import { marbles } from '../../support/time/marbles.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'
import { mint, pollsOf, refused, results, startsOf } from './support/polls.js'

describe('DepthPolls', () => {
  it('sends the first request at once and then one per interval, measured start to start', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const request$ = cold('--(d|)', results)
      const subscribed = '   ^------------!'
      const expected = '     --d----d----d'
      const request1 = '     ^-!'
      const request2 = '     -----^-!'
      const request3 = '     ----------^-!'
      const polls = pollsOf(() => request$)
      expectObservable(polls.depth$(mint, 5), subscribed).toBe(expected, results)
      expectSubscriptions(request$.subscriptions).toBe([request1, request2, request3])
    })
  })

  it('sends one request at a time and queues none', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const slow$ = cold('    -------(d|)', results)
      const quick$ = cold('          -(e|)', results)
      const subscribed = '    ^-------------!'
      const expected = '      -------de--e--'
      const slowSubscribed = '^------!'
      const quick1 = '        -------^!'
      const quick2 = '        ----------^!'
      const quick3 = '        -------------^!'
      let requests = 0
      const polls = pollsOf(() => (++requests === 1 ? slow$ : quick$))
      expectObservable(polls.depth$(mint, 3), subscribed).toBe(expected, results)
      expectSubscriptions(slow$.subscriptions).toBe(slowSubscribed)
      expectSubscriptions(quick$.subscriptions).toBe([quick1, quick2, quick3])
    })
  })

  it.each([
    ['once the prices are settled', 'd', '-----d'],
    ['in the place of an earlier one', 'de', '--------e'],
    ['unless a failure replaces it, which does not wait', 'df', '---f'],
  ])('delivers a depth that is read before the prices %s', (_, events, expected) => {
    marbles(({ cold, expectObservable }) => {
      const requests = Array.from(events, (event) => cold(`(${event}|)`, results))
      const areSettled = () => rxClock.elapsed() >= (events.length === 1 ? 3 : 6)
      const polls = pollsOf(() => requests.shift() ?? NEVER, {}, areSettled)
      expectObservable(polls.depth$(mint, 3), '^---------!').toBe(expected, results)
    })
  })

  it('sends no request before subscription', () => {
    let requests = 0
    void pollsOf(() => {
      requests++
      return NEVER
    }).depth$(mint, 5)
    expect(requests).toBe(0)
  })

  it('requests the mint as the first subscriber wrote it', () => {
    const mints: Address[] = []
    runInVirtualTime(() => {
      const polls = pollsOf((requested) => {
        mints.push(requested)
        return NEVER
      })
      const subscription = merge(polls.depth$('0xAa', 5), polls.depth$('0xaa', 5)).subscribe()
      subscription.unsubscribe()
    })
    expect(mints).toEqual(['0xAa'])
  })

  it('continues after a failure of any kind', () => {
    const failures = [
      refused,
      timeout(5000),
      unauthorized('Unauthorized'),
      httpError(404, '', undefined),
      unsupportedPair('0xaa', '0xbb', 'UnsupportedPair'),
    ]
    const events = failures.map((failure) => left(failure))
    const starts = startsOf(10_000, events, 8)
    expect(starts).toEqual([0, 10, 20, 30, 40, 50, 60, 70].map((seconds) => seconds * 1000))
  })

  it('supports an interval longer than the maximum of a platform timer', () => {
    const month = 2 ** 31 + 1000
    expect(startsOf(month, [results['d']!], 3, { endsAt: 3 * month })).toEqual([0, month, 2 * month])
  })

  it('supports an interval of 1 ms', () => {
    expect(startsOf(1, [results['d']!], 4)).toEqual([0, 1, 2, 3])
  })
})

describe('DepthPolls after failures', () => {
  const f = results['f']!
  const d = results['d']!

  it('doubles the upper bound of the delay with each failure, up to maxDelay', () => {
    const starts = startsOf(100, [f], 12)
    const delays = starts.slice(1).map((start, index) => start - starts[index]!)
    expect(delays).toEqual([125, 250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000, 15_000])
  })

  it('waits at least for the rest of the interval', () => {
    expect(startsOf(1000, [f], 4, { random: () => 0 })).toEqual([0, 1000, 2000, 3000])
    expect(startsOf(300, [f], 5)).toEqual([0, 300, 600, 1100, 2100])
  })

  it('resets the delay after a success', () => {
    expect(startsOf(100, [f, f, f, d, d, f, f], 8)).toEqual([0, 125, 375, 875, 975, 1075, 1200, 1450])
  })

  it('emits each failure once', () => {
    marbles(({ expectObservable }) => {
      const polls = pollsOf(() => of(f), { initialDelay: 4, maxDelay: 8 })
      const subscribed = '^--------!'
      const expected = '  f-f---f---'
      expectObservable(polls.depth$(mint, 1), subscribed).toBe(expected, results)
    })
  })
})

describe('DepthPolls after Retry-After', () => {
  const retryAfter = (status: number, retryAfterMs: number | undefined) =>
    left(httpError(status, '', retryAfterMs))
  const d = results['d']!

  it.each([429, 503])('delays the next request after status %i', (status) => {
    expect(startsOf(100, [retryAfter(status, 2000), d], 3)).toEqual([0, 2000, 2100])
  })

  it('measures the delay from the response, not from the request', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const values = { b: retryAfter(429, 20), d }
      const first$ = cold('     -----(b|)', values)
      const second$ = cold('    -(d|)', values)
      const subscribed = '      ^ 30ms !'
      const expected = '        -----b 20ms d'
      const secondSubscribed = '25ms ^!'
      let requests = 0
      const polls = pollsOf(() => (++requests === 1 ? first$ : second$), { initialDelay: 1, maxDelay: 1000 })
      expectObservable(polls.depth$(mint, 10), subscribed).toBe(expected, values)
      expectSubscriptions(second$.subscriptions).toBe(secondSubscribed)
    })
  })

  it('waits at least for the interval and the backoff', () => {
    expect(startsOf(5000, [retryAfter(429, 1000), d], 2)).toEqual([0, 5000])
    expect(startsOf(10, [retryAfter(429, 100), d], 2)).toEqual([0, 125])
    expect(startsOf(100, [retryAfter(503, 0), d], 2, { random: () => 0 })).toEqual([0, 100])
  })

  it('waits at most for maxDelay, unless the interval is longer', () => {
    expect(startsOf(100, [retryAfter(429, 86_400_000), d], 2)).toEqual([0, 30_000])
    expect(startsOf(60_000, [retryAfter(429, 86_400_000), d], 2)).toEqual([0, 60_000])
  })

  it('waits for the rest of the interval after a success', () => {
    expect(startsOf(100, [retryAfter(429, 3000), d, d], 4)).toEqual([0, 3000, 3100, 3200])
  })
})

describe('DepthPolls.snapshot', () => {
  it('returns the subscribers, the last result and its age of each poll', () => {
    runInVirtualTime(({ at }) => {
      const events = [results['f']!, results['d']!]
      const polls = pollsOf(
        () =>
          new Observable((subscriber) => {
            const timer = (ms: number): void =>
              at(ms, () => {
                subscriber.next(events.shift()!)
                subscriber.complete()
              })
            timer(events.length === 2 ? 10 : 1010)
          }),
      )
      const subscriptions = [polls.depth$('0xAA', 1000).subscribe(), polls.depth$('0xaa', 1000).subscribe()]
      const poll = { mint: '0xAA', interval: 1000, subscribers: 2 }
      const expectAt = (ms: number, rest: object): void =>
        at(ms, () => expect(polls.snapshot()).toEqual([{ ...poll, ...rest }]))
      expectAt(5, { lastResult: 'none', lastResultAgeMs: null })
      expectAt(15, { lastResult: 'NetworkError', lastResultAgeMs: 5 })
      at(1011, () => subscriptions[0]?.unsubscribe())
      expectAt(1015, { subscribers: 1, lastResult: 'ok', lastResultAgeMs: 5 })
      at(1020, () => subscriptions[1]?.unsubscribe())
      // The poll lingers for 1000 ms.
      expectAt(2019, { subscribers: 0, lastResult: 'ok', lastResultAgeMs: 1009 })
      at(2021, () => expect(polls.snapshot()).toEqual([]))
    })
  })
})
