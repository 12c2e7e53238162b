import { left, right } from 'fp-ts/lib/Either.js'
import { interval, map, Observable, of, switchMap, take, takeUntil, timer } from 'rxjs'
import { createClient } from 'svc-streams'
import { depth, httpError } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { depthBody, FakeHttp } from '../../support/fake-http.js'
import { marbles } from '../../support/time/marbles.js'
import { createTimedLog } from '../../support/time/timed-log.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'
import { mint, pollsOf, results } from './support/polls.js'

const d = results['d']!

/** Requests that never respond, with the times of their starts and aborts. */
const unanswered = (now: () => number) => {
  const starts: number[] = []
  const aborts: number[] = []
  const request$ = new Observable<never>(() => {
    starts.push(now())
    return () => aborts.push(now())
  })
  return { request$, starts, aborts }
}

describe('a poll without subscribers', () => {
  it('aborts its request `linger` ms after the last subscriber has left', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const request$ = cold('    ---------(d|)', results)
      const subscribed = '       ^-!'
      const subscribedLate = '   -^--!'
      const requestSubscribed = '^------!'
      const polls = pollsOf(() => request$, { linger: 3 })
      expectObservable(polls.depth$(mint, 20), subscribed).toBe('')
      expectObservable(polls.depth$(mint, 20), subscribedLate).toBe('')
      expectSubscriptions(request$.subscriptions).toBe(requestSubscribed)
    })
  })

  it('aborts its request at once without `linger`', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const request$ = cold('    ------(d|)', results)
      const subscribed = '       ^--!'
      const subscribedLate = '   -^--!'
      const requestSubscribed = '^---!'
      const polls = pollsOf(() => request$, { linger: 0 })
      expectObservable(polls.depth$(mint, 20), subscribed).toBe('')
      expectObservable(polls.depth$(mint, 20), subscribedLate).toBe('')
      expectSubscriptions(request$.subscriptions).toBe(requestSubscribed)
    })
  })

  it('starts no request, and keeps no timer when it has ended', () => {
    const starts: number[] = []
    const remainingTimers = runInVirtualTime(({ now, at, pendingTimers }) => {
      const polls = pollsOf(() => {
        starts.push(now())
        return of(d)
      })
      const subscription = polls.depth$(mint, 100).subscribe()
      at(150, () => subscription.unsubscribe())
      at(1149, () => expect(polls.snapshot()).toMatchObject([{ subscribers: 0, lastResult: 'ok' }]))
      at(1151, () => expect([polls.snapshot(), pendingTimers()]).toEqual([[], 0]))
    })
    expect(starts).toEqual([0, 100])
    expect(remainingTimers).toBe(0)
  })

  it('does not send a request that waits in the queue of the client; the next subscriber sends it at once', () => {
    runInVirtualTime(({ at }) => {
      const http = new FakeHttp()
      const client = createClient({
        environment: 'mainnet',
        baseUrl: 'http://localhost:1',
        priceBaseUrl: 'http://localhost:2',
        authKey: Buffer.alloc(32, 1).toString('base64'),
        http,
        maxConcurrentRequests: 1,
      })
      const mints = () => http.requests.map(({ path }) => path.replace(/.*\//, ''))
      client.depth$('0xaa', 1000).subscribe()
      client
        .depth$('0xbb', 1000)
        .pipe(takeUntil(timer(10)))
        .subscribe()
      at(20, () => http.request(1).respond(200, depthBody()))
      at(30, () => expect(mints()).toEqual(['0xaa']))
      at(40, () => client.depth$('0xbb', 1000).subscribe())
      at(41, () => expect(mints()).toEqual(['0xaa', '0xbb']))
      at(50, () => void client.close())
    })
  })

  it('is forgotten when it has ended: a new subscriber gets no result of it', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const request$ = cold(' --(d|)', results)
      const subscribed = '    ^---!'
      const expected = '      --d'
      const subscribedLate = '-------^----!'
      const expectedLate = '  ---------d'
      const request1 = '      ^-!'
      const request2 = '      -------^-!'
      const polls = pollsOf(() => request$, { linger: 2 })
      expectObservable(polls.depth$(mint, 20), subscribed).toBe(expected, results)
      expectObservable(polls.depth$(mint, 20), subscribedLate).toBe(expectedLate, results)
      expectSubscriptions(request$.subscriptions).toBe([request1, request2])
    })
  })

  it('of one interval does not affect that of another interval of the mint', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const request$ = cold(' --(d|)', results)
      const subscribed4 = '   ^--!'
      const expected4 = '     --d'
      const subscribed6 = '   ^--------!'
      const expected6 = '     --d-----d'
      const subscribedLate = '-----------^--!'
      const expectedLate = '  -----------d-d'
      const request1 = '      ^-!'
      const request2 = '      ------^-!'
      const request3 = '      -----------^-!'
      const polls = pollsOf(() => request$, { linger: 9 })
      expectObservable(polls.depth$(mint, 4), subscribed4).toBe(expected4, results)
      expectObservable(polls.depth$(mint, 6), subscribed6).toBe(expected6, results)
      expectObservable(polls.depth$(mint, 4), subscribedLate).toBe(expectedLate, results)
      expectSubscriptions(request$.subscriptions).toBe([request1, request1, request2, request3])
    })
  })

  it('ends when the polls of the client are closed: its request is aborted, and no timer is left', () => {
    const remainingTimers = runInVirtualTime(({ now, at, pendingTimers }) => {
      const { request$, aborts } = unanswered(now)
      const polls = pollsOf((requested) => (requested === mint ? request$ : of(d)))
      const subscriptions = [polls.depth$(mint, 100).subscribe(), polls.depth$('0xbb', 100).subscribe()]
      at(250, () => {
        for (const each of subscriptions) each.unsubscribe()
        expect(polls.snapshot()).toHaveLength(2)
        expect(aborts).toEqual([])
        polls.close()
        expect(aborts).toEqual([250])
        expect([polls.snapshot(), pendingTimers()]).toEqual([[], 0])
        polls.close()
      })
    })
    expect(remainingTimers).toBe(0)
  })

  it('starts no timer when its subscriber leaves while the polls are closed', () => {
    const remainingTimers = runInVirtualTime(({ at, pendingTimers }) => {
      const polls = pollsOf(() => of(d))
      const first = polls.depth$(mint, 100).subscribe()
      at(50, () => first.unsubscribe())
      at(60, () => {
        // Receives the latest result inside of its subscription.
        polls
          .depth$(mint, 100)
          .pipe(take(1))
          .subscribe(() => polls.close())
        expect([polls.snapshot(), pendingTimers()]).toEqual([[], 0])
      })
    })
    expect(remainingTimers).toBe(0)
  })
})

describe('a subscriber that takes over a poll', () => {
  it('receives the latest result at once, and the next request starts at its time', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const request$ = cold(' --(d|)', results)
      const subscribed = '    ^--!'
      const expected = '      --d'
      const subscribedLate = '-----^------!'
      const expectedLate = '  -----d-----d'
      const request1 = '      ^-!'
      const request2 = '      ---------^-!'
      const polls = pollsOf(() => request$)
      const upper = { d: right(depth('0xAA')) }
      expectObservable(polls.depth$(mint, 9), subscribed).toBe(expected, results)
      expectObservable(polls.depth$('0xAA', 9), subscribedLate).toBe(expectedLate, upper)
      expectSubscriptions(request$.subscriptions).toBe([request1, request2])
    })
  })

  it('receives the result of the request in flight', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const request$ = cold('    ------(d|)', results)
      const subscribed = '       ^-!'
      const subscribedLate = '   ----^---!'
      const expected = '         ------d'
      const requestSubscribed = '^-----!'
      const polls = pollsOf(() => request$)
      expectObservable(polls.depth$(mint, 20), subscribed).toBe('')
      expectObservable(polls.depth$(mint, 20), subscribedLate).toBe(expected, results)
      expectSubscriptions(request$.subscriptions).toBe(requestSubscribed)
    })
  })

  it('receives the result that came while there was no subscriber', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const request$ = cold('    ---(d|)', results)
      const subscribed = '       ^-!'
      const subscribedLate = '   ------^---!'
      const expected = '         ------d'
      const requestSubscribed = '^--!'
      const polls = pollsOf(() => request$)
      expectObservable(polls.depth$(mint, 20), subscribed).toBe('')
      expectObservable(polls.depth$(mint, 20), subscribedLate).toBe(expected, results)
      expectSubscriptions(request$.subscriptions).toBe(requestSubscribed)
    })
  })

  it('starts the request that became due meanwhile at once', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const request$ = cold(' --(d|)', results)
      const subscribed = '    ^--!'
      const expected = '      --d'
      const subscribedLate = '-------^------!'
      const expectedLate = '  -------d-d---d'
      const request1 = '      ^-!'
      const request2 = '      -------^-!'
      const request3 = '      -----------^-!'
      const polls = pollsOf(() => request$)
      expectObservable(polls.depth$(mint, 4), subscribed).toBe(expected, results)
      expectObservable(polls.depth$(mint, 4), subscribedLate).toBe(expectedLate, results)
      expectSubscriptions(request$.subscriptions).toBe([request1, request2, request3])
    })
  })

  it('starts the request that is due even if it leaves with the latest result', () => {
    const lines: string[] = []
    runInVirtualTime((virtual) => {
      const log = createTimedLog(virtual)
      let requests = 0
      const polls = pollsOf(() => {
        const price = ++requests
        return timer(10).pipe(map(() => right(depth(mint, { price }))))
      })
      for (let each = 0; each < 4; each++) {
        virtual.at(each * 900, () =>
          polls
            .depth$(mint, 100)
            .pipe(take(1))
            .subscribe(log.observer(String(each))),
        )
      }
      virtual.at(5000, () => lines.push(...log.lines.filter((line) => !line.endsWith('complete'))))
    })
    expect(lines).toEqual(['10 0: 1', '900 1: 1', '1800 2: 2', '2700 3: 3'])
  })

  it('receives a result once if the request responds synchronously', () => {
    marbles(({ expectObservable }) => {
      const polls = pollsOf(() => of(d))
      const subscribed = '    ^!'
      const subscribedLate = '-----^-!'
      const expected = '      -----d'
      expectObservable(polls.depth$(mint, 3), subscribed).toBe('d', results)
      expectObservable(polls.depth$(mint, 3), subscribedLate).toBe(expected, results)
    })
  })

  it('comes in the tick in which the poll would end, before the end', () => {
    runInVirtualTime(
      ({ now, at }) => {
        const { request$, starts, aborts } = unanswered(now)
        const polls = pollsOf(() => request$, { linger: 50 })
        const first = polls.depth$(mint, 1000).subscribe()
        at(10, () => first.unsubscribe())
        // Scheduled before the end of the poll.
        at(60, () => polls.depth$(mint, 1000).subscribe())
        at(500, () => expect({ starts, aborts }).toEqual({ starts: [0], aborts: [] }))
      },
      { endsAt: 500 },
    )
  })

  it('comes in the tick in which the poll has ended, and starts a new one', () => {
    runInVirtualTime(
      ({ now, at, after }) => {
        const { request$, starts, aborts } = unanswered(now)
        const polls = pollsOf(() => request$, { linger: 50 })
        const first = polls.depth$(mint, 1000).subscribe()
        at(10, () => {
          first.unsubscribe()
          // Scheduled after the end of the poll.
          after(50, () => polls.depth$(mint, 1000).subscribe())
        })
        at(500, () => expect({ starts, aborts }).toEqual({ starts: [0, 60], aborts: [60] }))
      },
      { endsAt: 500 },
    )
  })

  it('delays its end until `linger` ms after it has left', () => {
    runInVirtualTime(({ now, at }) => {
      const { request$, aborts } = unanswered(now)
      const polls = pollsOf(() => request$, { linger: 50 })
      for (const [from, to] of [
        [0, 10],
        [59, 70],
        [100, 101],
      ] as const) {
        at(from, () => {
          const subscription = polls.depth$(mint, 1000).subscribe()
          at(to, () => subscription.unsubscribe())
        })
      }
      at(500, () => expect(aborts).toEqual([151]))
    })
  })

  it('waits after a failure, and receives it at once', () => {
    const busy = left(httpError(429, '', 5000))
    const lines: string[] = []
    const starts: number[] = []
    runInVirtualTime((virtual) => {
      const log = createTimedLog(virtual)
      const polls = pollsOf(() => {
        starts.push(virtual.now())
        return starts.length === 1 ? of(busy) : of(d)
      })
      polls.depth$(mint, 100).pipe(take(1)).subscribe()
      // The first one takes the poll over, the second one comes after its end.
      virtual.at(500, () => polls.depth$(mint, 100).pipe(take(1)).subscribe(log.observer('first')))
      virtual.at(3000, () => polls.depth$(mint, 100).pipe(take(2)).subscribe(log.observer('second')))
      virtual.at(9000, () => lines.push(...log.lines.map((line) => line.replace(/: .*/, ''))))
    })
    expect(lines).toEqual(['500 first', '500 first', '3000 second', '5000 second', '5000 second'])
    expect(starts).toEqual([0, 5000])
  })
})

describe('a `switchMap` from prices to depth', () => {
  /** The depths of 3 s of prices, one each 20 ms, and the times of the requests, which take 30 ms. */
  const switched = (every: number, linger: number) => {
    const starts: number[] = []
    const aborts: number[] = []
    let depths = 0
    runInVirtualTime(({ now, at }) => {
      const polls = pollsOf(
        () =>
          new Observable((subscriber) => {
            starts.push(now())
            let isAborted = true
            const response = timer(30).subscribe(() => {
              isAborted = false
              subscriber.next(d)
            })
            return () => {
              response.unsubscribe()
              if (isAborted) aborts.push(now())
            }
          }),
        { linger },
      )
      const depth$ = interval(20).pipe(switchMap(() => polls.depth$(mint, every)))
      const subscription = depth$.subscribe(() => depths++)
      at(3010, () => subscription.unsubscribe())
    })
    return { starts, aborts, depths }
  }

  it('gets a depth for each price, with one request per interval', () => {
    const { starts, aborts, depths } = switched(1000, 1000)
    expect({ starts, aborts }).toEqual({ starts: [20, 1020, 2020], aborts: [] })
    // The first depth comes at 50 ms, with the third price at 60 ms; each request then adds one.
    expect(depths).toBe(1 + 148 + 2)
  })

  it('starts no request earlier if the interval is shorter than the time between two prices', () => {
    const { starts, aborts } = switched(10, 1000)
    const gaps = starts.slice(1).map((start, index) => start - starts[index]!)
    // A request is in flight for 30 ms; the next one starts with its result.
    expect(new Set(gaps)).toEqual(new Set([30]))
    expect(aborts).toEqual([])
  })

  it('aborts each request without `linger`', () => {
    const { starts, aborts, depths } = switched(1000, 0)
    expect([starts.length, aborts.length, depths]).toEqual([150, 150, 0])
  })
})
