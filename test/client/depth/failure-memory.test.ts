import { left, type Either } from 'fp-ts/lib/Either.js'
import { defer, NEVER, of, retry, take, timer, map, type Observable } from 'rxjs'
import type { Address, Depth, DepthError } from 'svc-streams'
import { orThrow } from 'svc-streams/operators'
import { httpError } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { createTimedLog } from '../../support/time/timed-log.js'
import { runInVirtualTime, type VirtualTime } from '../../support/time/virtual-time.js'
import { mint, pollsOf, results } from './support/polls.js'

type DepthEvent = Either<DepthError, Depth>

const busy = (retryAfterMs: number) => left(httpError(429, '', retryAfterMs))
const f = results['f']!
const d = results['d']!

/** Requests that respond after `latency` ms, in this order; the last response repeats. Their start times. */
const scripted = (
  now: () => number,
  responses: readonly DepthEvent[],
  latency = 0,
): { request$: (mint: Address) => Observable<DepthEvent>; starts: number[] } => {
  const starts: number[] = []
  const request$ = (): Observable<DepthEvent> => {
    const response = responses[starts.length] ?? responses.at(-1)!
    starts.push(now())
    return latency === 0 ? of(response) : timer(latency).pipe(map(() => response))
  }
  return { request$, starts }
}

/** Runs a scenario with scripted responses. Returns the start times of the requests. `latency` and `linger` are in ms. */
const startsIn = (
  responses: readonly DepthEvent[],
  scenario: (polls: ReturnType<typeof pollsOf>, time: VirtualTime) => void,
  { latency = 0, linger = 1000 } = {},
): readonly number[] => {
  let starts: readonly number[] = []
  runInVirtualTime(
    (time) => {
      const script = scripted(time.now, responses, latency)
      starts = script.starts
      scenario(pollsOf(script.request$, { linger }), time)
    },
    { endsAt: 200_000 },
  )
  return starts
}

describe('DepthPolls after the last subscriber of a mint has left', () => {
  it('delays the first request of a returning subscriber until the wait ends', () => {
    const starts = startsIn([busy(20_000), d], (polls, { at }) => {
      polls.depth$(mint, 1000).pipe(take(1)).subscribe()
      at(5000, () => polls.depth$(mint, 1000).pipe(take(2)).subscribe())
    })
    expect(starts).toEqual([0, 20_000])
  })

  it('emits the failure to each returning subscriber once, at once', () => {
    let lines: readonly string[] = []
    startsIn([busy(20_000), d], (polls, time) => {
      const log = createTimedLog(time)
      polls.depth$(mint, 1000).pipe(take(1)).subscribe()
      time.at(5000, () => polls.depth$('0xAA', 1000).pipe(take(2)).subscribe(log.observer('same interval')))
      time.at(6000, () => polls.depth$(mint, 2000).pipe(take(2)).subscribe(log.observer('other interval')))
      lines = log.lines
    })
    expect(lines.map((line) => line.replace(/: .*/, ''))).toEqual([
      '5000 same interval',
      '6000 other interval',
      '20000 same interval',
      '20000 same interval',
      '20000 other interval',
      '20000 other interval',
    ])
  })

  it('requests at once when the wait has ended', () => {
    const starts = startsIn([busy(20_000), d], (polls, { at }) => {
      polls.depth$(mint, 1000).pipe(take(1)).subscribe()
      at(20_000, () => polls.depth$(mint, 1000).pipe(take(1)).subscribe())
    })
    expect(starts).toEqual([0, 20_000])
  })

  it('counts the failures from before, until maxDelay after the wait ended', () => {
    const failAgain = (at: number): readonly number[] =>
      startsIn([f, f, f, f, d], (polls, time) => {
        polls.depth$(mint, 1).pipe(take(3)).subscribe()
        // The third failure is at 375 ms, and its wait ends at 875 ms.
        time.at(at, () => polls.depth$(mint, 1).pipe(take(2)).subscribe())
      })
    expect(failAgain(30_874)).toEqual([0, 125, 375, 30_874, 31_874])
    expect(failAgain(30_875)).toEqual([0, 125, 375, 30_875, 31_000])
  })

  it('forgets the failures after a success', () => {
    const starts = startsIn([f, f, d, f, d], (polls, { at }) => {
      polls.depth$(mint, 1).pipe(take(3)).subscribe()
      at(1000, () => polls.depth$(mint, 1).pipe(take(2)).subscribe())
    })
    expect(starts).toEqual([0, 125, 375, 1000, 1125])
  })

  it('keeps the failures when the end of the poll aborts a request', () => {
    const starts = startsIn(
      [f, f, f, d],
      (polls, { at }) => {
        const first = polls.depth$(mint, 1).subscribe()
        // The second request starts at 10 + 125 ms.
        at(140, () => first.unsubscribe())
        at(150, () => polls.depth$(mint, 1).pipe(take(2)).subscribe())
      },
      { latency: 10, linger: 0 },
    )
    expect(starts).toEqual([0, 135, 150, 150 + 10 + 250])
  })

  it('delays no other mint', () => {
    const mints: Address[] = []
    runInVirtualTime(() => {
      const polls = pollsOf((requested) => {
        mints.push(requested)
        return of(busy(20_000))
      })
      polls.depth$('0xaa', 1000).pipe(take(1)).subscribe()
      polls.depth$('0xbb', 1000).pipe(take(1)).subscribe()
    })
    expect(mints).toEqual(['0xaa', '0xbb'])
  })

  it('sets no timer', () => {
    const remainingTimers = runInVirtualTime(() => {
      const polls = pollsOf(() => of(busy(20_000)))
      for (let each = 0; each < 100; each++) polls.depth$(`0x${each}`, 1000).pipe(take(1)).subscribe()
    })
    expect(remainingTimers).toBe(0)
  })
})

describe('DepthPolls with two intervals of one mint', () => {
  it('delays both after a failure of one', () => {
    const starts = startsIn([d, busy(5000), d], (polls) => {
      polls.depth$(mint, 100).pipe(take(2)).subscribe()
      polls.depth$(mint, 300).pipe(take(3)).subscribe()
    })
    // The first request of the second poll fails. Without that, the first poll would send its second one at 100 ms.
    expect(starts).toEqual([0, 0, 5000, 5000, 5300])
  })

  it('ends the wait of both after a success of one', () => {
    const starts: string[] = []
    runInVirtualTime(
      ({ now }) => {
        const latencies = [10, 50, 1, 1, 1, 1]
        const polls = pollsOf(() => {
          const index = starts.push(String(now())) - 1
          return timer(latencies[index] ?? 1).pipe(map(() => (index === 0 ? busy(20_000) : d)))
        })
        polls.depth$(mint, 100).pipe(take(2)).subscribe()
        polls.depth$(mint, 300).pipe(take(2)).subscribe()
      },
      { endsAt: 200_000 },
    )
    // The first request fails at 10 ms. The second one succeeds at 50 ms.
    expect(starts).toEqual(['0', '0', '100', '300'])
  })

  it('does not shorten the wait after a further failure', () => {
    const starts: number[] = []
    runInVirtualTime(
      ({ now }) => {
        const polls = pollsOf(() => {
          const index = starts.push(now()) - 1
          return index === 0 ? timer(10).pipe(map(() => busy(20_000))) : timer(20).pipe(map(() => f))
        })
        polls.depth$(mint, 100).pipe(take(2)).subscribe()
        polls.depth$(mint, 300).pipe(take(1)).subscribe()
      },
      { endsAt: 25_000 },
    )
    expect(starts).toEqual([0, 0, 20_010])
  })
})

describe('DepthPolls with a subscriber that retries without a delay', () => {
  const retried = (others: number, endsAt: number): { starts: readonly number[]; retries: number } => {
    let subscriptions = 0
    let starts: readonly number[] = []
    runInVirtualTime(
      ({ now }) => {
        const script = scripted(now, [busy(20_000)])
        starts = script.starts
        const polls = pollsOf(script.request$)
        const counted$ = defer(() => {
          subscriptions++
          return polls.depth$(mint, 1000)
        })
        for (let other = 0; other < others; other++) polls.depth$(mint, 1000).subscribe()
        counted$.pipe(orThrow(), retry()).subscribe({ error: () => expect.fail('the stream failed') })
      },
      { endsAt },
    )
    return { starts, retries: subscriptions - 1 }
  }

  it.each([0, 1, 5])('sends one request in the wait, beside %i other subscribers', (others) => {
    expect(retried(others, 19_999).starts).toEqual([0])
    expect(retried(others, 39_999).starts).toEqual([0, 20_000])
  })

  it('emits the failure every 100 ms after the first 100 times', () => {
    expect(retried(0, 5000).retries).toBe(151)
    expect(retried(0, 15_000).retries).toBe(251)
  })
})

describe('DepthPolls.snapshot', () => {
  it('returns the remembered failure of a mint whose first request is delayed', () => {
    runInVirtualTime(({ at }) => {
      const polls = pollsOf(() => (polls.snapshot()[0]?.interval === 1000 ? of(busy(20_000)) : NEVER))
      polls.depth$(mint, 1000).pipe(take(1)).subscribe()
      at(5000, () => {
        const subscription = polls.depth$(mint, 7).subscribe()
        expect(polls.snapshot()).toEqual([
          { mint, interval: 7, subscribers: 1, lastResult: 'HttpError', lastResultAgeMs: 5000 },
        ])
        subscription.unsubscribe()
      })
    })
  })
})
