import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { rxClock } from '../../../src/base/time/rx-clock.js'
import { staggeredRace } from '../../../src/wire/transport/dial-host.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'

/** An attempt: how long it takes, in ms, and its end. `Infinity`: it never ends. */
type Attempt = readonly [name: string, ms: number, end?: 'fails']

/** The log of a race with a stagger time of 250 ms: each start, cancellation and result with its time. */
const logOf = (attempts: readonly Attempt[], cancelAt = Infinity): readonly string[] => {
  const log: string[] = []
  runInVirtualTime(({ at, now }) => {
    const note = (text: string): unknown => log.push(`${now()} ${text}`)
    const start = ([name, ms, end]: Attempt, onEnd: (result: Either<string, string>) => void) => {
      note(`start ${name}`)
      if (ms < Infinity) at(now() + ms, () => onEnd(end === 'fails' ? left(name) : right(name)))
      return () => note(`cancel ${name}`)
    }
    at(0, () => {
      const cancel = staggeredRace(attempts, 250, rxClock, start, (result) =>
        note(result._tag === 'Right' ? `result ${result.right}` : `failures ${result.left.join(' ')}`),
      )
      if (cancelAt < Infinity) at(cancelAt, cancel)
    })
  })
  return log
}

it.each<[string, readonly Attempt[], readonly string[]]>([
  [
    'starts one attempt if it succeeds soon',
    [
      ['a', 100],
      ['b', 0],
    ],
    ['0 start a', '100 result a'],
  ],
  [
    'keeps a slow attempt while the next ones run, and cancels these when it succeeds',
    [
      ['a', 600],
      ['b', Infinity],
      ['c', Infinity],
      ['d', 0],
    ],
    ['0 start a', '250 start b', '500 start c', '600 cancel b', '600 cancel c', '600 result a'],
  ],
  [
    'starts the next attempt at once when one fails, and counts the stagger time from there',
    [
      ['a', 100, 'fails'],
      ['b', Infinity],
      ['c', 10],
    ],
    ['0 start a', '100 start b', '350 start c', '360 cancel b', '360 result c'],
  ],
  [
    'reports all failures when the last attempt has failed',
    [
      ['a', 300, 'fails'],
      ['b', 10, 'fails'],
    ],
    ['0 start a', '250 start b', '300 failures b a'],
  ],
])('%s', (_title, attempts, log) => {
  expect(logOf(attempts)).toEqual(log)
})

it('cancels all attempts, and starts and reports none after that', () => {
  expect(
    logOf(
      [
        ['a', 400],
        ['b', 500],
        ['c', 10],
      ],
      300,
    ),
  ).toEqual(['0 start a', '250 start b', '300 cancel a', '300 cancel b'])
})
