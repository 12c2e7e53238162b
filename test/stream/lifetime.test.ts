import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { EMPTY, NEVER, Observable, of } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { clientClosed } from '../../src/errors/constructors.js'
import { Lifetime } from '../../src/stream/lifetime.js'
import { marbles } from './marbles.js'

const values: Readonly<Record<string, Either<string, number>>> = {
  '1': right(1),
  '2': right(2),
  e: left('e'),
}
const withClosed = { ...values, c: left(clientClosed) }

const ended = (): Lifetime => {
  const lifetime = new Lifetime()
  lifetime.end()
  return lifetime
}

describe('a stream that is whileOpen$', () => {
  it('is what it is until the end, which completes it', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const lifetime = new Lifetime()
      const source$ = cold('                               -1-e-2', values)
      cold('                                               ----x').subscribe(() => lifetime.end())
      expectObservable(lifetime.whileOpen$(source$)).toBe('-1-e|', values)
      expectSubscriptions(source$.subscriptions).toBe('    ^---!')
    })
  })

  it('may complete by itself', () => {
    marbles(({ cold, expectObservable }) => {
      expectObservable(new Lifetime().whileOpen$(cold('-1|', values))).toBe('-1|', values)
    })
  })

  it('is `ClientClosed`, then completion, after the end; its source is left alone', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('1', values)
      expectObservable(ended().whileOpen$(source$)).toBe('(c|)', withClosed)
      expectSubscriptions(source$.subscriptions).toBe([])
    })
  })

  it('asks whether it is the end when it is subscribed to, not when it is made', () => {
    marbles(({ expectObservable }) => {
      const lifetime = new Lifetime()
      const source$ = lifetime.whileOpen$(NEVER)
      lifetime.end()
      expectObservable(source$).toBe('(c|)', withClosed)
    })
  })
})

describe('a stream that is until$', () => {
  it('is what it is until the end, and nothing after it', () => {
    marbles(({ cold, expectObservable }) => {
      const lifetime = new Lifetime()
      cold('                                          ----x').subscribe(() => lifetime.end())
      expectObservable(lifetime.until$(cold('         -1-e-2', values))).toBe('-1-e|', values)
      expectObservable(lifetime.until$(cold('1', values)), '-----^').toBe('-----|')
    })
  })
})

describe('a task', () => {
  it('is the first value, and no more', async () => {
    expect(await new Lifetime().once(of(right(1), right(2)))()).toEqual(right(1))
  })

  it('subscribes when it is run, on each run', async () => {
    let subscriptions = 0
    const task = new Lifetime().once(
      new Observable<Either<string, number>>((subscriber) => subscriber.next(right(++subscriptions))),
    )
    expect(subscriptions).toBe(0)
    expect([await task(), await task()]).toEqual([right(1), right(2)])
  })

  it('that the end overtakes is `ClientClosed`, and leaves its source', async () => {
    const lifetime = new Lifetime()
    let departures = 0
    const running = lifetime.once(new Observable<Either<string, number>>(() => () => departures++))()
    lifetime.end()
    expect(await running).toEqual(left(clientClosed))
    expect(departures).toBe(1)
  })

  it('is `ClientClosed` after the end, and where there is no value', async () => {
    expect(await ended().once(of(right(1)))()).toEqual(left(clientClosed))
    expect(await new Lifetime().once(EMPTY)()).toEqual(left(clientClosed))
  })
})

describe('the end', () => {
  it('may come twice', () => {
    const lifetime = ended()
    expect(() => lifetime.end()).not.toThrow()
  })
})
