import fc from 'fast-check'
import { isRight, left, type Either } from 'fp-ts/lib/Either.js'
import { Observable, type Subscription } from 'rxjs'
import type { Address, Depth, DepthError } from 'svc-streams'
import { httpError } from 'svc-streams/testing'
import { expect, it } from 'vitest'
import { caseCount } from '../../support/run/long.js'
import { runInVirtualTime, type VirtualTime } from '../../support/time/virtual-time.js'
import { pollsOf, results } from './support/polls.js'

type DepthEvent = Either<DepthError, Depth>

/** One mint in four spellings: the first two are written by subscribers of the first interval alone. */
const spellings: readonly (readonly Address[])[] = [
  ['0xAaaa', '0xAaaA'],
  ['0xaAaa', '0xaAaA'],
]
const intervals = [50, 700]

const response = fc.record({
  latency: fc.constantFrom(0, 1, 40, 900, 5000),
  event: fc.oneof(
    { weight: 3, arbitrary: fc.constant(results['d']!) },
    { weight: 1, arbitrary: fc.constant(results['f']!) },
    { weight: 1, arbitrary: fc.constantFrom(0, 300).map((ms): DepthEvent => left(httpError(429, '', ms))) },
  ),
})

const action = fc.record({
  after: fc.constantFrom(0, 0, 1, 20, 29, 30, 31, 400, 1000, 3000),
  poll: fc.constantFrom(0, 1),
  spelling: fc.constantFrom(0, 1),
  joins: fc.boolean(),
})

/** The expected state of the poll of one interval. */
interface Model {
  readonly interval: number
  subscribers: number
  /** True from the first subscription until `linger` ms after the last unsubscription. */
  exists: boolean
  /** When a subscriber left. */
  idleSince: number
  /** Identifies that unsubscription. */
  lastLeave: object
  isRequesting: boolean
  /** Of this poll: an ended poll is forgotten. */
  lastStart: number
  last: DepthEvent | undefined
  results: number
}

const createModel = (interval: number): Model => ({
  interval,
  subscribers: 0,
  exists: false,
  idleSince: 0,
  lastLeave: {},
  isRequesting: false,
  lastStart: -Infinity,
  last: undefined,
  results: 0,
})

/** Checks each request, abort and join against the model. */
const createChecks = (linger: number, { now, after }: VirtualTime) => {
  const models = intervals.map(createModel)
  let waitEndsAt = 0

  const onStart = (model: Model): void => {
    expect(model.subscribers).toBeGreaterThan(0)
    expect(model.isRequesting).toBe(false)
    expect(now() - model.lastStart).toBeGreaterThanOrEqual(model.interval)
    expect(now()).toBeGreaterThanOrEqual(waitEndsAt)
    model.isRequesting = true
    model.lastStart = now()
  }
  const onResult = (model: Model, event: DepthEvent): void => {
    model.isRequesting = false
    model.last = event
    model.results++
    if (isRight(event)) waitEndsAt = 0
    else if ('retryAfterMs' in event.left) {
      waitEndsAt = Math.max(waitEndsAt, now() + (event.left.retryAfterMs ?? 0))
    }
  }
  const onAbort = (model: Model): void => {
    model.isRequesting = false
    expect([model.subscribers, now()]).toEqual([0, model.idleSince + linger])
  }
  /** Returns the function that checks what the subscriber has received synchronously. */
  const onJoin = (model: Model): ((received: readonly DepthEvent[]) => void) => {
    const { last, results: before, exists } = model
    model.subscribers++
    model.exists = true
    return (received) => {
      if (model.results > before || !exists || last === undefined) return
      expect(received).toMatchObject([{ _tag: last._tag }])
    }
  }
  /** Returns the function to call after the unsubscription. */
  const onLeave = (model: Model, isRunning: () => boolean): (() => void) => {
    const { lastLeave } = Object.assign(model, { subscribers: model.subscribers - 1, lastLeave: {} })
    model.idleSince = now()
    const end = (): void => {
      if (model.subscribers > 0 || model.lastLeave !== lastLeave) return
      expect([model.isRequesting, isRunning()]).toEqual([false, false])
      Object.assign(model, createModel(model.interval))
    }
    // Scheduled after the timer of the poll.
    return () => (linger === 0 ? end() : after(linger, end))
  }
  return { models, onStart, onResult, onAbort, onJoin, onLeave }
}

it.each([0, 30, 1000])(
  'sends one request at a time, at its time, while it has subscribers, and ends after %i ms without, for any joins and leaves',
  (linger) => {
    const scenarios = [fc.array(response, { minLength: 1 }), fc.array(action, { maxLength: 40 })] as const
    fc.assert(
      fc.property(...scenarios, (responses, actions) => {
        let requests = 0
        const remainingTimers = runInVirtualTime((time) => {
          const { at, after } = time
          const { models, onStart, onResult, onAbort, onJoin, onLeave } = createChecks(linger, time)
          const polls = pollsOf(
            (mint) =>
              new Observable((subscriber) => {
                const model = models[spellings.findIndex((each) => each.includes(mint))]!
                onStart(model)
                const { latency, event } = responses[requests++ % responses.length]!
                let isPending = true
                after(latency, () => {
                  if (subscriber.closed) return
                  isPending = false
                  onResult(model, event)
                  subscriber.next(event)
                  subscriber.complete()
                })
                return () => {
                  if (isPending) onAbort(model)
                }
              }),
            { initialDelay: 100, maxDelay: 1000, linger },
          )
          const subscriptions: Subscription[][] = intervals.map(() => [])
          const join = (poll: number, spelling: number): void => {
            const model = models[poll]!
            const received: DepthEvent[] = []
            const check = onJoin(model)
            const subscription = polls
              .depth$(spellings[poll]![spelling]!, model.interval)
              .subscribe((event) => received.push(event))
            check(received)
            subscriptions[poll]!.push(subscription)
          }
          const leave = (poll: number): void => {
            const subscription = subscriptions[poll]!.shift()
            if (subscription === undefined) return
            const model = models[poll]!
            // The unsubscription may abort a request, which the model must expect.
            const isRunning = (): boolean => polls.snapshot().some((each) => each.interval === model.interval)
            const afterLeave = onLeave(model, isRunning)
            subscription.unsubscribe()
            afterLeave()
          }
          let end = 0
          for (const { after: ms, poll, spelling, joins } of actions) {
            end += ms
            at(end, () => (joins ? join(poll, spelling) : leave(poll)))
          }
          at(end + 500, () => {
            for (const [poll, each] of subscriptions.entries()) while (each.length > 0) leave(poll)
          })
          at(end + 500 + linger, () => after(0, () => expect(polls.snapshot()).toEqual([])))
        })
        expect(remainingTimers).toBe(0)
      }),
      { numRuns: caseCount(1000) },
    )
  },
)
