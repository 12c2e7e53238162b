import * as fc from 'fast-check'
import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import { map, type Observable } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { candles, combineFresh, conflate, freshWithin } from '../../src/operators/index.js'
import { caseCount } from '../support/run/long.js'
import { referenceCandles } from './support/reference/candles.js'
import { referenceCombineFresh } from './support/reference/combine-fresh.js'
import { referenceConflate } from './support/reference/conflate.js'
import { referenceFreshWithin } from './support/reference/fresh-within.js'
import { play, scenarioOf, underReplay, underTestScheduler, type Source$ } from './support/scenario.js'

type Operator = (sources$: readonly Source$[]) => Observable<unknown>

const legsOf = (sources$: readonly Source$[]) =>
  Object.fromEntries(sources$.map((source$, index) => [`leg ${index}`, source$]))

/** Keeps the price of a `Stale`, which may lack fields here. */
const staleValue = map((event: Either<unknown, unknown>) => {
  if (!isLeft(event) || typeof event.left !== 'object' || event.left === null) return event
  return '_tag' in event.left ? left('Stale') : event
})

const cases: [
  name: string,
  sources: number,
  subject: (ms: number) => Operator,
  reference: (ms: number) => Operator,
][] = [
  [
    'conflate',
    1,
    (ms) =>
      ([$]) =>
        $!.pipe(conflate(ms)),
    (ms) =>
      ([$]) =>
        $!.pipe(referenceConflate(ms)),
  ],
  [
    'candles',
    1,
    (ms) =>
      ([$]) =>
        $!.pipe(candles(ms + 1)),
    (ms) =>
      ([$]) =>
        $!.pipe(referenceCandles(ms + 1)),
  ],
  [
    'freshWithin',
    1,
    (ms) =>
      ([$]) =>
        $!.pipe(freshWithin(ms), staleValue),
    (ms) =>
      ([$]) =>
        $!.pipe(
          referenceFreshWithin(ms),
          map((event) => (isLeft(event) && typeof event.left === 'object' ? left('Stale') : event)),
        ),
  ],
  [
    'combineFresh',
    3,
    (maxSkew) => (sources$) => combineFresh(legsOf(sources$), { maxSkew }),
    (maxSkew) => (sources$) => referenceCombineFresh(legsOf(sources$), maxSkew),
  ],
]

describe.each(cases)(
  '%s emits the same events at the same times as a chain of RxJS operators',
  (_, sources, subject, reference) => {
    it.each([
      ['under TestScheduler', underTestScheduler],
      ['inside a replay', underReplay],
    ])('%s', (__, runInTime) => {
      fc.assert(
        fc.property(scenarioOf(sources), fc.nat(15), (scenario, ms) => {
          const expected = play(scenario, runInTime, sources, reference(ms))
          expect(play(scenario, runInTime, sources, subject(ms))).toEqual(expected)
        }),
        { numRuns: caseCount(2000) },
      )
    })
  },
)
