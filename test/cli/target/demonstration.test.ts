import { asyncScheduler } from 'rxjs'
import { expect, test } from 'vitest'
import { createDemonstration } from '../../../src/cli/target/demonstration.js'
import { marbles } from '../../support/time/marbles.js'

const simulatorOf = (calls: unknown[]) => ({
  inject: (faults: object) => void calls.push(faults),
  dropConnections: (code?: number) => void calls.push(code),
})

test('injects the faults of a demonstration at their times, and again each minute', () => {
  marbles(({ expectObservable, flush }) => {
    const calls: unknown[] = []
    const { step$ } = createDemonstration(simulatorOf(calls))
    expectObservable(step$, '^ 73s !').toBe('12s a 1999ms b 11999ms c 7999ms d 7999ms e 7999ms f 21999ms a', {
      a: 'The simulator drops its connection.',
      b: 'The simulator accepts connections.',
      c: 'The simulator refuses requests for depth.',
      d: 'The simulator answers them.',
      e: 'The simulator hangs.',
      f: 'The simulator continues.',
    })
    flush()
    const drop = [{ refuseUpgrades: 503 }, 1012]
    expect(calls).toEqual([...drop, {}, { httpStatus: 503 }, {}, { stall: true }, {}, ...drop])
  })
})

test('names the next step of a demonstration with the remaining time', () => {
  marbles(() => {
    const { next } = createDemonstration(simulatorOf([]))
    const nextIn = (ms: number) => next(asyncScheduler.now() + ms)
    expect([0, 11_001, 12_001, 49_500, 59_000, 119_000].map(nextIn)).toEqual([
      'Next: it drops its connection in 12 s.',
      'Next: it drops its connection in 1 s.',
      'Next: it accepts connections in 2 s.',
      'Next: it continues in 1 s.',
      'Next: it drops its connection in 13 s.',
      'Next: it drops its connection in 13 s.',
    ])
  })
})
