import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { merge, NEVER, Observable, of, Subject, take, takeUntil, type Subscription } from 'rxjs'
import type { Address, Depth, DepthError } from 'svc-streams'
import { depth, httpError, networkError, timeout, unauthorized, unsupportedPair } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { DepthPolls } from '../../src/depth/polls.js'
import type { SignedGet } from '../../src/http/signed-get.js'
import { fails, marbles } from '../support/marbles.js'
import { askOf } from '../support/run-task.js'
import { unhandledErrors } from '../support/unhandled.js'
import { journalOf, virtually, type VirtualOptions } from '../support/virtual.js'

const mint: Address = '0xaa'
const reconnect = { initialDelay: 250, maxDelay: 30_000 }
const refused = networkError(new Error('refused'))

const answers: Readonly<Record<string, Either<DepthError, Depth>>> = {
  d: right(depth(mint)),
  e: right(depth(mint, { price: 2 })),
  f: left(refused),
}

const pollsOf = (
  request$: (mint: Address) => Observable<Either<DepthError, Depth>>,
  policy = reconnect,
): DepthPolls => new DepthPolls({ signedGet: signedGetOf(request$), reconnect: policy, host: 'relayer' })

const signedGetOf = (request$: (mint: Address) => Observable<Either<DepthError, Depth>>) => {
  const request = (resource: string) => askOf(request$(resource.replace(/.*\//, '') as Address))
  return { request } as unknown as SignedGet
}

/** Polls that are answered by these streams, with a note of each request. */
const counted = (request$: () => Observable<Either<DepthError, Depth>>) => {
  const starts: Address[] = []
  const polls = pollsOf((asked) => {
    starts.push(asked)
    return request$()
  })
  return { polls, starts }
}

/** When requests start that are answered at once, one after the other, by these; the last goes on for ever. */
const startsOf = (
  interval: number,
  results: readonly Either<DepthError, Depth>[],
  count: number,
  options: VirtualOptions = {},
  policy = reconnect,
): readonly number[] => {
  const starts: number[] = []
  virtually(({ now }) => {
    const request$ = (): Observable<Either<DepthError, Depth>> => {
      starts.push(now())
      return of(results[starts.length - 1] ?? results.at(-1)!)
    }
    pollsOf(request$, policy).depth$(mint, interval).pipe(take(count)).subscribe()
  }, options)
  return starts
}

describe('a poll', () => {
  it('requests at once, and then every `interval` from start to start', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const request$ = cold('                                        --(d|)', answers)
      const polls = pollsOf(() => request$)
      expectObservable(polls.depth$(mint, 5), '              ^------------!').toBe('--d----d----d', answers)
      expectSubscriptions(request$.subscriptions).toBe(['    ^-!', '-----^-!', '----------^-!'])
    })
  })

  it('never has two requests at once, and no queue of late ones', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const slow$ = cold('                                          -------(d|)', answers)
      const quick$ = cold('                                                  -(e|)', answers)
      let requests = 0
      const polls = pollsOf(() => (++requests === 1 ? slow$ : quick$))
      expectObservable(polls.depth$(mint, 3), '              ^-------------!').toBe('-------de--e--', answers)
      expectSubscriptions(slow$.subscriptions).toBe(['       ^------!'])
      expectSubscriptions(quick$.subscriptions).toBe(['      -------^!', '----------^!', '-------------^!'])
    })
  })

  it('is one, though who left it from inside of it came back before it had ended', () => {
    const { polls, starts } = counted(() => of(right(depth(mint))))
    virtually(
      () => {
        const poll$ = polls.depth$(mint, 500)
        const left$ = new Subject<void>()
        const leave = (): void => {
          left$.next()
          poll$.subscribe()
        }
        poll$.pipe(take(1), takeUntil(left$)).subscribe(leave)
        poll$.subscribe()
        expect(polls.snapshot()).toMatchObject([{ mint, interval: 500, subscribers: 2 }])
        starts.length = 0
      },
      { until: 1400 },
    )
    expect(starts).toHaveLength(2)
  })

  it('opens nothing before it is subscribed to', () => {
    let requests = 0
    void pollsOf(() => {
      requests++
      return NEVER
    }).depth$(mint, 5)
    expect(requests).toBe(0)
  })

  it('is for the mint as who came first wrote it', () => {
    const mints: Address[] = []
    virtually(() => {
      const polls = pollsOf((asked) => {
        mints.push(asked)
        return NEVER
      })
      const both = merge(polls.depth$('0xAa', 5), polls.depth$('0xaa', 5)).subscribe()
      both.unsubscribe()
    })
    expect(mints).toEqual(['0xAa'])
  })

  it('goes on whatever the failure is', () => {
    const failures = [
      refused,
      timeout(5000),
      unauthorized('Unauthorized'),
      httpError(404, '', undefined),
      unsupportedPair('0xaa', '0xbb', 'UnsupportedPair'),
    ]
    const results = failures.map((failure) => left(failure))
    const starts = startsOf(10_000, results, 8)
    expect(starts).toEqual([0, 10, 20, 30, 40, 50, 60, 70].map((seconds) => seconds * 1000))
  })

  it('may be as slow as anybody likes', () => {
    const month = 2 ** 31 + 1000
    expect(startsOf(month, [answers['d']!], 3, { until: 3 * month })).toEqual([0, month, 2 * month])
  })

  it('may be as quick as every ms', () => {
    expect(startsOf(1, [answers['d']!], 4)).toEqual([0, 1, 2, 3])
  })
})

describe('failures in a row', () => {
  const f = answers['f']!
  const d = answers['d']!

  it('stretch the wait, doubling its ceiling up to the longest', () => {
    const starts = startsOf(100, [f], 12)
    const waits = starts.slice(1).map((start, index) => start - starts[index]!)
    expect(waits).toEqual([125, 250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000, 15_000])
  })

  it('never shorten it below the interval', () => {
    expect(startsOf(1000, [f], 4, { draw: () => 0 })).toEqual([0, 1000, 2000, 3000])
    expect(startsOf(300, [f], 5)).toEqual([0, 300, 600, 1100, 2100])
  })

  it('are forgotten with a success', () => {
    expect(startsOf(100, [f, f, f, d, d, f, f], 8)).toEqual([0, 125, 375, 875, 975, 1075, 1200, 1450])
  })

  it('are told, each once', () => {
    marbles(({ expectObservable }) => {
      const polls = pollsOf(() => of(f), { initialDelay: 4, maxDelay: 8 })
      expectObservable(polls.depth$(mint, 1), '^--------!').toBe('f-f---f---', answers)
    })
  })
})

describe('what the service asks to wait', () => {
  const busy = (status: number, retryAfterMs: number | undefined) => left(httpError(status, '', retryAfterMs))
  const d = answers['d']!

  it.each([429, 503])('delays the next request: %i', (status) => {
    expect(startsOf(100, [busy(status, 2000), d], 3)).toEqual([0, 2000, 2100])
  })

  it('counts from the answer, not from the request', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const values = { b: busy(429, 20), d }
      const first$ = cold('                             -----(b|)', values)
      const second$ = cold('                                                 -(d|)', values)
      let requests = 0
      const polls = pollsOf(() => (++requests === 1 ? first$ : second$), { initialDelay: 1, maxDelay: 1000 })
      expectObservable(polls.depth$(mint, 10), '        ^ 30ms !').toBe('-----b 20ms d', values)
      expectSubscriptions(second$.subscriptions).toBe(['25ms ^!'])
    })
  })

  it('does not make the wait shorter than the interval or the backoff', () => {
    expect(startsOf(5000, [busy(429, 1000), d], 2)).toEqual([0, 5000])
    expect(startsOf(10, [busy(429, 100), d], 2)).toEqual([0, 125])
    expect(startsOf(100, [busy(503, 0), d], 2, { draw: () => 0 })).toEqual([0, 100])
  })

  it('is obeyed up to the longest wait', () => {
    expect(startsOf(100, [busy(429, 86_400_000), d], 2)).toEqual([0, 30_000])
    expect(startsOf(60_000, [busy(429, 86_400_000), d], 2)).toEqual([0, 60_000])
  })

  it('is no more once a success came', () => {
    expect(startsOf(100, [busy(429, 3000), d, d], 4)).toEqual([0, 3000, 3100, 3200])
  })
})

describe('sharing', () => {
  it('is between those who ask for the same mint, in any case, and the same interval', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const request$ = cold('                                   --(d|)', answers)
      const polls = pollsOf(() => request$)
      const upper = { d: right(depth('0xAA')) }
      expectObservable(polls.depth$('0xaa', 5), '               ^-----!').toBe('--d', answers)
      expectObservable(polls.depth$('0xAA', 5), '               ^-----!').toBe('--d', upper)
      expectObservable(polls.depth$('0xaa', 6), '               ^-----!').toBe('--d', answers)
      expectSubscriptions(request$.subscriptions).toBe(['       ^-!', '^-!', '-----^!'])
    })
  })

  it('gives who comes later the latest result at once, in the spelling of the call', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const request$ = cold('                      --(d|)', answers)
      const polls = pollsOf(() => request$)
      expectObservable(polls.depth$(mint, 20), '   ^---------!').toBe('--d', answers)
      expectObservable(polls.depth$('0xAA', 20), ' ----^-----!').toBe('----d', { d: right(depth('0xAA')) })
      expectSubscriptions(request$.subscriptions).toBe(['^-!'])
    })
  })

  it('gives who comes later the latest failure at once', () => {
    marbles(({ cold, expectObservable }) => {
      const polls = pollsOf(() => cold('          --(f|)', answers))
      expectObservable(polls.depth$(mint, 20), '  ^---------!').toBe('--f', answers)
      expectObservable(polls.depth$(mint, 20), '  ----^-----!').toBe('----f', answers)
    })
  })

  it('gives who comes later nothing of an earlier life', () => {
    marbles(({ cold, expectObservable }) => {
      const polls = pollsOf(() => cold('          --(d|)', answers))
      expectObservable(polls.depth$(mint, 20), '  ^---!').toBe('--d', answers)
      expectObservable(polls.depth$(mint, 20), '  ------^----!').toBe('--------d', answers)
    })
  })

  it('ends with the last to leave, who aborts the request', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const request$ = cold('                      ------(d|)', answers)
      const polls = pollsOf(() => request$)
      expectObservable(polls.depth$(mint, 20), '   ^--!').toBe('')
      expectObservable(polls.depth$(mint, 20), '   -^--!').toBe('')
      expectSubscriptions(request$.subscriptions).toBe(['^---!'])
    })
  })

  it('ends the wait too: nothing is requested for nobody, and no timer is left', () => {
    let requests = 0
    const timersLeft = virtually(({ at }) => {
      const polls = pollsOf(() => {
        requests++
        return of(answers['d']!)
      })
      const listening = polls.depth$(mint, 100).subscribe()
      at(150, () => listening.unsubscribe())
      at(1000, () => expect(polls.snapshot()).toEqual([]))
    })
    expect(requests).toBe(2)
    expect(timersLeft).toBe(0)
  })

  it('does not share failures: each poll has its own wait', () => {
    const starts: string[] = []
    virtually(({ now }) => {
      const polls = pollsOf((asked) => {
        starts.push(`${now()} ${asked}`)
        return of(asked === '0xaa' ? answers['f']! : answers['d']!)
      })
      polls.depth$('0xaa', 100).pipe(take(3)).subscribe()
      polls.depth$('0xbb', 100).pipe(take(4)).subscribe()
    })
    expect(starts.filter((start) => start.endsWith('0xaa'))).toEqual(['0 0xaa', '125 0xaa', '375 0xaa'])
    expect(starts.filter((start) => start.endsWith('0xbb'))).toHaveLength(4)
  })
})

describe('a handler of depth', () => {
  const reported = unhandledErrors()
  const d = answers['d']!

  it('may leave, with the first or with a later one', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const request$ = cold('                                 --(d|)', answers)
      const polls = pollsOf(() => request$)
      expectObservable(polls.depth$(mint, 5).pipe(take(2))).toBe('--d----(d|)', answers)
      expectSubscriptions(request$.subscriptions).toBe(['     ^-!', '-----^-!'])
    })
  })

  it('may leave with a result that comes while it subscribes, and come back', () => {
    const lines: string[] = []
    const timersLeft = virtually((virtual) => {
      const journal = journalOf(virtual)
      const polls = pollsOf(() => of(d))
      polls.depth$(mint, 100).pipe(take(1)).subscribe(journal.observer('first'))
      virtual.at(5, () => polls.depth$(mint, 100).pipe(take(2)).subscribe(journal.observer('second')))
      virtual.at(500, () => lines.push(...journal.lines))
    })
    expect(lines).toEqual([
      '0 first: 1',
      '0 first: complete',
      '5 second: 1',
      '105 second: 1',
      '105 second: complete',
    ])
    expect(timersLeft).toBe(0)
  })

  it('may leave and come back from within: a new poll, and one only', () => {
    let requests = 0
    const timersLeft = virtually(({ at }) => {
      const polls = pollsOf(() => {
        requests++
        return new Observable((subscriber) => {
          at(requests * 10, () => {
            subscriber.next(d)
            subscriber.complete()
          })
        })
      })
      const all: Subscription[] = []
      const hear = (): void => {
        all.pop()?.unsubscribe()
        if (requests < 3) all.push(polls.depth$(mint, 100).subscribe(hear))
      }
      all.push(polls.depth$(mint, 100).subscribe(hear))
      at(5, () => expect(polls.snapshot()).toHaveLength(1))
      at(25, () => expect(polls.snapshot()).toHaveLength(1))
      at(900, () => expect(polls.snapshot()).toEqual([]))
    })
    expect(requests).toBe(3)
    expect(timersLeft).toBe(0)
  })

  it('may make another leave, who hears nothing of what is under way', () => {
    let heard = 0
    virtually(({ at }) => {
      const polls = pollsOf(() => new Observable((subscriber) => at(10, () => subscriber.next(d))))
      const others: Subscription[] = []
      const first = polls.depth$(mint, 100).subscribe(() => others[0]?.unsubscribe())
      others.push(polls.depth$(mint, 100).subscribe(() => heard++))
      at(20, () => first.unsubscribe())
    })
    expect(heard).toBe(0)
  })

  it('may join from within: it hears the result once', () => {
    const lines: string[] = []
    virtually((virtual) => {
      const journal = journalOf(virtual)
      const polls = pollsOf(() => new Observable((subscriber) => virtual.at(10, () => subscriber.next(d))))
      const all: Subscription[] = []
      const join = (): void => void all.push(polls.depth$(mint, 100).subscribe(journal.observer('inner')))
      all.push(polls.depth$(mint, 100).subscribe(join))
      virtual.at(20, () => {
        lines.push(...journal.lines)
        for (const one of all) one.unsubscribe()
      })
    })
    expect(lines).toEqual(['10 inner: 1'])
  })

  it('may throw, and hurts neither the others nor the poll', () => {
    const heard: number[] = []
    virtually(({ now }) => {
      const polls = pollsOf(() => of(d))
      const throws = () => {
        throw new Error('in a handler')
      }
      const thrower = polls.depth$(mint, 100).subscribe(throws)
      polls
        .depth$(mint, 100)
        .pipe(take(3))
        .subscribe({
          next: () => heard.push(now()),
          complete: () => thrower.unsubscribe(),
        })
    })
    expect(heard).toEqual([0, 100, 200])
    expect(reported.map(String)).toEqual(Array.from({ length: 3 }, () => 'Error: in a handler'))
  })
})

describe('what is no poll', () => {
  const nobody = pollsOf(() => {
    throw new Error('nothing may be requested')
  })

  it.each(['', '0x', 'aa', '0xg', 'svc-0xaa', '0xaa/../x', ' 0xaa', '0xaa\n'])('is the mint %j', (wrong) => {
    marbles(({ expectObservable }) => {
      const i = fails({ _tag: 'InvalidMint', mint: wrong })
      expectObservable(nobody.depth$(wrong as Address, 5)).toBe('(i|)', { i })
    })
  })

  it.each([0, 0.999, -1, NaN, Infinity, -Infinity])('is the interval %d', (wrong) => {
    marbles(({ expectObservable }) => {
      const i = fails({ _tag: 'InvalidInterval', interval: wrong })
      expectObservable(nobody.depth$(mint, wrong)).toBe('(i|)', { i })
    })
  })

  it.each(['1000', null, undefined, {}])('is the interval %j of plain JavaScript', (wrong) => {
    marbles(({ expectObservable }) => {
      const i = fails({ _tag: 'InvalidInterval', interval: NaN })
      expectObservable(nobody.depth$(mint, wrong as number)).toBe('(i|)', { i })
    })
  })
})

describe('the snapshot', () => {
  it('says of each poll who listens, and what came last, and when', () => {
    virtually(({ at }) => {
      const results = [answers['f']!, answers['d']!]
      const polls = pollsOf(
        () =>
          new Observable((subscriber) => {
            const timer = (ms: number): void =>
              at(ms, () => {
                subscriber.next(results.shift()!)
                subscriber.complete()
              })
            timer(results.length === 2 ? 10 : 1010)
          }),
      )
      const listening = [polls.depth$('0xAA', 1000).subscribe(), polls.depth$('0xaa', 1000).subscribe()]
      const poll = { mint: '0xAA', interval: 1000, subscribers: 2 }
      const says = (ms: number, rest: object): void =>
        at(ms, () => expect(polls.snapshot()).toEqual([{ ...poll, ...rest }]))
      says(5, { lastResult: 'none', lastResultAgeMs: null })
      says(15, { lastResult: 'NetworkError', lastResultAgeMs: 5 })
      at(1011, () => listening[0]?.unsubscribe())
      says(1015, { subscribers: 1, lastResult: 'ok', lastResultAgeMs: 5 })
      at(1020, () => listening[1]?.unsubscribe())
      at(1021, () => expect(polls.snapshot()).toEqual([]))
    })
  })
})
