import { left, right } from 'fp-ts/lib/Either.js'
import { asyncScheduler, map } from 'rxjs'
import { createTestClient, depth, price } from 'svc-streams/testing'
import { describe, expect, test } from 'vitest'
import { createTimetable, resubscribe } from '../../../src/cli/target/demonstration.js'
import { subscriptionRejected } from '../../../src/base/errors/constructors.js'
import { marbles } from '../../support/time/marbles.js'

describe('a timetable', () => {
  const steps = [
    { text: 'drops', first: 10_000, every: 20_000, run: () => undefined },
    { text: 'lists', first: 15_000, run: () => undefined },
  ]

  test('runs a step at its first time and then at its period, and a step without a period once', () => {
    marbles(({ expectObservable }) => {
      const runs: string[] = []
      const recorded = steps.map((step) => ({ ...step, run: () => runs.push(step.text) }))
      const { step$ } = createTimetable(recorded)
      const emitted$ = step$.pipe(map(({ text }) => `${text} ${runs.length}`))
      expectObservable(emitted$, '^ 55s !').toBe('10s a 4999ms b 14999ms c 19999ms d', {
        a: 'drops 1',
        b: 'lists 2',
        c: 'drops 3',
        d: 'drops 4',
      })
    })
  })

  test('runs each step once for any number of subscribers', () => {
    marbles(({ expectObservable, flush }) => {
      const runs: string[] = []
      const { step$ } = createTimetable(steps.map((step) => ({ ...step, run: () => runs.push(step.text) })))
      expectObservable(step$.pipe(map(({ text }) => text)), '^ 12s !').toBe('10s a', { a: 'drops' })
      expectObservable(step$.pipe(map(({ text }) => text)), '^ 12s !').toBe('10s a', { a: 'drops' })
      flush()
      expect(runs).toEqual(['drops'])
    })
  })

  test('names the next step with the remaining time', () => {
    marbles(({ expectObservable }) => {
      const { step$, next } = createTimetable(steps)
      const next$ = step$.pipe(map(() => next(asyncScheduler.now())))
      expect(next(asyncScheduler.now())).toBe('drops in 10 s')
      expect(next(asyncScheduler.now() + 9001)).toBe('drops in 1 s')
      // The timer of a blocked event loop is late.
      expect(next(asyncScheduler.now() + 12_000)).toBe('drops in 0 s')
      expectObservable(next$, '^ 35s !').toBe('10s a 4999ms b 14999ms c', {
        a: 'lists in 5 s',
        b: 'drops in 15 s',
        c: 'drops in 20 s',
      })
    })
  })
})

describe('clients that subscribe again', () => {
  const rejected = subscriptionRejected('svc-0xbb', 'no such thing')
  const prices = { p: right(price('svc-0xaa', 1)), r: left(rejected) }
  const depths = { d: right(depth('0xaa')) }

  test('subscribes again to the price of the token, and to that of no other token, when it is accepted', () => {
    marbles(({ cold, hot, expectObservable }) => {
      const client = createTestClient({
        prices: { 'svc-0xaa': cold('-(p|)', prices), 'svc-0xbb': cold('-(r|)', prices) },
        depths: {},
      })
      const resubscribed = resubscribe({ client, depthClient: undefined }, '0xbb', hot('-----a---'))
      expectObservable(resubscribed.client.price$('svc-0xaa'), '^-------!').toBe('-(p|)', prices)
      expectObservable(resubscribed.client.price$('svc-0xbb'), '^-------!').toBe('-r----r', prices)
    })
  })

  test('requests the depth of the token when it is accepted', () => {
    marbles(({ cold, hot, expectObservable }) => {
      const client = createTestClient({
        prices: {},
        depths: { '0xaa': cold('-d', depths), '0xbb': cold('-d', depths) },
      })
      const { depthClient } = resubscribe({ client, depthClient: client }, '0xbb', hot('-----a---'))
      expectObservable(depthClient!.depth$('0xaa', 1000), '^-------!').toBe('-d', depths)
      expectObservable(depthClient!.depth$('0xbb', 1000), '^-------!').toBe('------d', {
        d: right(depth('0xbb')),
      })
    })
  })
})
