import { right } from 'fp-ts/lib/Either.js'
import { Observable, of, Subject, take, takeUntil, type Subscription } from 'rxjs'
import { depth } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { marbles } from '../../support/time/marbles.js'
import { collectUnhandledErrors } from '../../support/unhandled-errors.js'
import { createTimedLog } from '../../support/time/timed-log.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'
import { mint, pollsOf, results } from './support/polls.js'

describe('DepthPolls with several subscribers', () => {
  it('shares a poll for the same interval and the same mint in any case', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const request$ = cold('--(d|)', results)
      const subscribed = '   ^-----!'
      const expected = '     --d'
      const request1 = '     ^-!'
      const request2 = '     -----^-!'
      const polls = pollsOf(() => request$)
      const upper = { d: right(depth('0xAA')) }
      expectObservable(polls.depth$('0xaa', 5), subscribed).toBe(expected, results)
      expectObservable(polls.depth$('0xAA', 5), subscribed).toBe(expected, upper)
      expectObservable(polls.depth$('0xaa', 6), subscribed).toBe(expected, results)
      expectSubscriptions(request$.subscriptions).toBe([request1, request1, request2])
    })
  })

  it('emits the latest depth to a late subscriber at once, with the mint as the caller wrote it', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const request$ = cold('    --(d|)', results)
      const subscribed = '       ^---------!'
      const expected = '         --d'
      const subscribedLate = '   ----^-----!'
      const expectedLate = '     ----d'
      const requestSubscribed = '^-!'
      const polls = pollsOf(() => request$)
      expectObservable(polls.depth$(mint, 20), subscribed).toBe(expected, results)
      expectObservable(polls.depth$('0xAA', 20), subscribedLate).toBe(expectedLate, {
        d: right(depth('0xAA')),
      })
      expectSubscriptions(request$.subscriptions).toBe(requestSubscribed)
    })
  })

  it('emits the latest failure to a late subscriber at once', () => {
    marbles(({ cold, expectObservable }) => {
      const request$ = cold(' --(f|)', results)
      const subscribed = '    ^---------!'
      const expected = '      --f'
      const subscribedLate = '----^-----!'
      const expectedLate = '  ----f'
      const polls = pollsOf(() => request$)
      expectObservable(polls.depth$(mint, 20), subscribed).toBe(expected, results)
      expectObservable(polls.depth$(mint, 20), subscribedLate).toBe(expectedLate, results)
    })
  })

  it('counts the failures of each poll separately', () => {
    const starts: string[] = []
    runInVirtualTime(({ now }) => {
      const polls = pollsOf((requested) => {
        starts.push(`${now()} ${requested}`)
        return of(requested === '0xaa' ? results['f']! : results['d']!)
      })
      polls.depth$('0xaa', 100).pipe(take(3)).subscribe()
      polls.depth$('0xbb', 100).pipe(take(4)).subscribe()
    })
    expect(starts.filter((start) => start.endsWith('0xaa'))).toEqual(['0 0xaa', '125 0xaa', '375 0xaa'])
    expect(starts.filter((start) => start.endsWith('0xbb'))).toHaveLength(4)
  })
})

describe('DepthPolls with reentrant handlers', () => {
  const reported = collectUnhandledErrors()
  const d = results['d']!

  it('stops the poll when its only handler unsubscribes', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const request$ = cold('--(d|)', results)
      const expected = '     --d----(d|)'
      const request1 = '     ^-!'
      const request2 = '     -----^-!'
      const polls = pollsOf(() => request$)
      expectObservable(polls.depth$(mint, 5).pipe(take(2))).toBe(expected, results)
      expectSubscriptions(request$.subscriptions).toBe([request1, request2])
    })
  })

  it('continues for a next subscriber when its only one has unsubscribed synchronously', () => {
    const lines: string[] = []
    const remainingTimers = runInVirtualTime((virtual) => {
      const log = createTimedLog(virtual)
      const polls = pollsOf(() => of(d))
      polls.depth$(mint, 100).pipe(take(1)).subscribe(log.observer('first'))
      virtual.at(5, () => polls.depth$(mint, 100).pipe(take(2)).subscribe(log.observer('second')))
      virtual.at(500, () => lines.push(...log.lines))
    })
    expect(lines).toEqual([
      '0 first: 1',
      '0 first: complete',
      '5 second: 1',
      '100 second: 1',
      '100 second: complete',
    ])
    expect(remainingTimers).toBe(0)
  })

  it('starts one new poll when its only handler unsubscribes and subscribes again, without linger', () => {
    let requests = 0
    const remainingTimers = runInVirtualTime(({ at }) => {
      const polls = pollsOf(
        () => {
          requests++
          return new Observable((subscriber) => {
            at(requests * 10, () => {
              subscriber.next(d)
              subscriber.complete()
            })
          })
        },
        { linger: 0 },
      )
      const subscriptions: Subscription[] = []
      const resubscribe = (): void => {
        subscriptions.pop()?.unsubscribe()
        if (requests < 3) subscriptions.push(polls.depth$(mint, 100).subscribe(resubscribe))
      }
      subscriptions.push(polls.depth$(mint, 100).subscribe(resubscribe))
      at(5, () => expect(polls.snapshot()).toHaveLength(1))
      at(25, () => expect(polls.snapshot()).toHaveLength(1))
      at(900, () => expect(polls.snapshot()).toEqual([]))
    })
    expect(requests).toBe(3)
    expect(remainingTimers).toBe(0)
  })

  it('does not emit the current result to a subscriber that a handler unsubscribes', () => {
    let received = 0
    runInVirtualTime(({ at }) => {
      const polls = pollsOf(() => new Observable((subscriber) => at(10, () => subscriber.next(d))))
      const others: Subscription[] = []
      const first = polls.depth$(mint, 100).subscribe(() => others[0]?.unsubscribe())
      others.push(polls.depth$(mint, 100).subscribe(() => received++))
      at(20, () => first.unsubscribe())
    })
    expect(received).toBe(0)
  })

  it('emits the current result once to a subscriber that a handler adds', () => {
    const lines: string[] = []
    runInVirtualTime((virtual) => {
      const log = createTimedLog(virtual)
      const polls = pollsOf(() => new Observable((subscriber) => virtual.at(10, () => subscriber.next(d))))
      const subscriptions: Subscription[] = []
      const join = (): void =>
        void subscriptions.push(polls.depth$(mint, 100).subscribe(log.observer('inner')))
      subscriptions.push(polls.depth$(mint, 100).subscribe(join))
      virtual.at(20, () => {
        lines.push(...log.lines)
        for (const subscription of subscriptions) subscription.unsubscribe()
      })
    })
    expect(lines).toEqual(['10 inner: 1'])
  })

  it('continues, and emits to all other subscribers, when a handler throws', () => {
    const resultTimes: number[] = []
    runInVirtualTime(({ now }) => {
      const polls = pollsOf(() => of(d))
      const throwing = () => {
        throw new Error('handler')
      }
      const throwingSubscription = polls.depth$(mint, 100).subscribe(throwing)
      polls
        .depth$(mint, 100)
        .pipe(take(3))
        .subscribe({
          next: () => resultTimes.push(now()),
          complete: () => throwingSubscription.unsubscribe(),
        })
    })
    expect(resultTimes).toEqual([0, 100, 200])
    expect(reported.map(String)).toEqual(Array.from({ length: 3 }, () => 'Error: handler'))
  })

  it('continues the same poll when a handler unsubscribes and subscribes again while others stay', () => {
    let requests = 0
    const polls = pollsOf(() => {
      requests++
      return of(right(depth(mint)))
    })
    runInVirtualTime(
      () => {
        const poll$ = polls.depth$(mint, 500)
        const unsubscribe$ = new Subject<void>()
        const resubscribe = (): void => {
          unsubscribe$.next()
          poll$.subscribe()
        }
        poll$.pipe(take(1), takeUntil(unsubscribe$)).subscribe(resubscribe)
        poll$.subscribe()
        expect(polls.snapshot()).toMatchObject([{ mint, interval: 500, subscribers: 2 }])
        requests = 0
      },
      { endsAt: 1400 },
    )
    expect(requests).toBe(2)
  })
})
