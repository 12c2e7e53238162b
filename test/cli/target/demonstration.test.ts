import { asyncScheduler, map } from 'rxjs'
import { describe, expect, test } from 'vitest'
import { createTimetable } from '../../../src/cli/target/demonstration.js'
import { marbles } from '../../support/time/marbles.js'

describe('a timetable', () => {
  const steps = [
    { text: 'drops', first: 10_000, every: 20_000, run: () => undefined },
    { text: 'lists', first: 15_000, every: 60_000, run: () => undefined },
  ]

  test('runs a step at its first time and then at its period', () => {
    marbles(({ expectObservable }) => {
      const runs: string[] = []
      const recorded = steps.map((step) => ({ ...step, run: () => runs.push(step.text) }))
      const { step$ } = createTimetable(recorded)
      const emitted$ = step$.pipe(map(({ text }) => `${text} ${runs.length}`))
      const subscribed = '^ 55s !'
      const expected = '  10s a 4999ms b 14999ms c 19999ms d'
      expectObservable(emitted$, subscribed).toBe(expected, {
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
      const subscribed = '^ 12s !'
      const expected = '  10s a'
      expectObservable(step$.pipe(map(({ text }) => text)), subscribed).toBe(expected, { a: 'drops' })
      expectObservable(step$.pipe(map(({ text }) => text)), subscribed).toBe(expected, { a: 'drops' })
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
      const subscribed = '^ 35s !'
      const expected = '  10s a 4999ms b 14999ms c'
      expectObservable(next$, subscribed).toBe(expected, {
        a: 'lists in 5 s',
        b: 'drops in 15 s',
        c: 'drops in 20 s',
      })
    })
  })
})
