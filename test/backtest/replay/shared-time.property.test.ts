import fc from 'fast-check'
import {
  asapScheduler,
  asyncScheduler,
  auditTime,
  delay,
  firstValueFrom,
  identity,
  interval,
  map,
  mergeWith,
  observeOn,
  queueScheduler,
  switchMap,
  toArray,
  type Observable,
  type OperatorFunction,
} from 'rxjs'
import type { Client } from 'svc-streams'
import { replay } from 'svc-streams/recording'
import { expect, it } from 'vitest'
import { chunksOf, header, priceRow, recordingText, topic } from '../recording/support/recordings.js'

type Step = OperatorFunction<unknown, unknown>

/** Each changes the time or the queue in which later steps are called. */
const steps: Readonly<Record<string, Step>> = {
  none: identity,
  asap: observeOn(asapScheduler),
  queue: observeOn(queueScheduler),
  delay: delay(3),
  audit: auditTime(5),
  restart: switchMap((value) => interval(4).pipe(map((n) => [value, n]))),
  beside: mergeWith(interval(7)),
}

const strategyOf =
  (names: readonly string[]) =>
  (client: Client): Observable<unknown> =>
    names
      .reduce<Observable<unknown>>(
        (value$, name) => value$.pipe(steps[name] ?? identity),
        client.price$(topic),
      )
      .pipe(map((value) => ({ value, at: asyncScheduler.now() })))

const resultsOf = async (strategies: readonly (readonly string[])[], text: string) => {
  const client = replay(chunksOf(text), { speed: Infinity })
  const results = strategies.map((names) => firstValueFrom(client.run$(strategyOf(names)).pipe(toArray())))
  return Promise.all(results)
}

it('strategies of one pass have the values and times that each has alone, on any scheduler', async () => {
  const strategy = fc.array(fc.constantFrom(...Object.keys(steps)), { maxLength: 3 })
  const gaps = fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(fc.array(strategy, { minLength: 2, maxLength: 5 }), gaps, async (strategies, times) => {
      let at = 0
      const text = recordingText(header, ...times.map((gap, n) => priceRow((at += gap), n + 1)))
      const together = await resultsOf(strategies, text)
      const alone = await Promise.all(strategies.map((names) => resultsOf([names], text)))
      expect(together).toEqual(alone.flat())
    }),
    { numRuns: 60 },
  )
})
