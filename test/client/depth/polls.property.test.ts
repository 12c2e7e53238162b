import fc from 'fast-check'
import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import { Observable, type Subscription } from 'rxjs'
import type { Depth, DepthError } from 'svc-streams'
import { httpError } from 'svc-streams/testing'
import { expect, it } from 'vitest'
import { caseCount } from '../../support/run/long.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'
import { mint, pollsOf, results } from './support/polls.js'

type DepthEvent = Either<DepthError, Depth>

const maxDelay = 10_000
const intervals = [50, 700, 20_000]

const response = fc.record({
  latency: fc.constantFrom(0, 1, 40, 900),
  event: fc.oneof(
    fc.constant(results['d']!),
    fc.constant(results['f']!),
    fc.constantFrom(0, 300, 5000, 60_000).map((ms): DepthEvent => left(httpError(429, '', ms))),
  ),
})

const action = fc.record({
  after: fc.constantFrom(0, 0, 1, 30, 400, 3000, 25_000),
  interval: fc.constantFrom(...intervals),
  joins: fc.boolean(),
})

const waitOf = (event: DepthEvent): number =>
  isLeft(event) && 'retryAfterMs' in event.left ? Math.min(event.left.retryAfterMs ?? 0, maxDelay) : 0

it('delays the polls of a mint after each failure, and always sends a next request, for any joins and leaves', () => {
  const scenarios = [fc.array(response, { minLength: 1 }), fc.array(action, { maxLength: 40 })] as const
  fc.assert(
    fc.property(...scenarios, (responses, actions) => {
      const endsAt = actions.reduce((sum, { after }) => sum + after, 0)
      let requests = 0
      let waitEndsAt = 0
      /** Time of the last request, result or change of subscribers. */
      let lastProgressAt = 0
      runInVirtualTime(
        ({ now, at, after }) => {
          const polls = pollsOf(
            () =>
              new Observable((subscriber) => {
                expect(now()).toBeGreaterThanOrEqual(waitEndsAt)
                const { latency, event } = responses[requests++ % responses.length]!
                lastProgressAt = now()
                after(latency, () => {
                  if (subscriber.closed) return
                  lastProgressAt = now()
                  waitEndsAt = isLeft(event) ? Math.max(waitEndsAt, now() + waitOf(event)) : 0
                  subscriber.next(event)
                  subscriber.complete()
                })
              }),
            { initialDelay: 100, maxDelay },
          )
          const subscriptions: (readonly [number, Subscription])[] = []
          const join = (interval: number): void => {
            const isNew = !polls.snapshot().some((poll) => poll.interval === interval)
            const isDelayed = isNew && now() < waitEndsAt
            let received = false
            const subscription = polls.depth$(mint, interval).subscribe(() => {
              received = true
            })
            subscriptions.push([interval, subscription])
            if (isDelayed) after(101, () => expect(received || subscription.closed).toBe(true))
          }
          const leave = (interval: number): void => {
            const index = subscriptions.findIndex(([each]) => each === interval)
            if (index >= 0) subscriptions.splice(index, 1)[0]?.[1].unsubscribe()
          }
          let time = 0
          for (const { after: ms, interval, joins } of actions) {
            time += ms
            at(time, () => {
              if (subscriptions.length > 0) {
                const longest = Math.max(...subscriptions.map(([each]) => each))
                expect(now() - lastProgressAt).toBeLessThanOrEqual(Math.max(longest, maxDelay))
              } else lastProgressAt = now()
              if (joins) join(interval)
              else leave(interval)
            })
          }
        },
        { endsAt },
      )
    }),
    { numRuns: caseCount(5000) },
  )
})
