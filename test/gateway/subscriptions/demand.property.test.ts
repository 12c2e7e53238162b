import fc from 'fast-check'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { Observable, type Subscriber } from 'rxjs'
import type { Price, PriceError, Topic } from 'svc-streams'
import { price } from 'svc-streams/testing'
import { expect, test } from 'vitest'
import type { PriceFeed } from '../../../src/client/price-feed.js'
import { stale, subscriptionRejected } from '../../../src/base/errors/constructors.js'
import { Outbox } from '../../../src/gateway/websocket/outbox.js'
import { nextTurn } from '../../../src/base/time/clock.js'
import { createManualSession, createManualSessions, type ManualSession } from '../support/manual-session.js'
import { unboundedFeed } from '../support/unbounded-feed.js'

const topics: readonly Topic[] = ['svc-0xa', 'svc-0xb', 'svc-0xc']
const sessionCount = 3

/** The service: each subscribed topic, with the subscriber and the call that confirms it. */
class ManualFeed implements PriceFeed {
  readonly subscribed = new Map<
    Topic,
    { subscriber: Subscriber<Either<PriceError, Price>>; confirm: () => void }
  >()
  age = 0

  readonly sourceOf: PriceFeed['sourceOf'] = (topic) => ({
    open$: (confirm = () => undefined) =>
      new Observable((subscriber) => {
        // One subscription a topic: a second one would be a second subscribe frame.
        expect(this.subscribed.has(topic)).toBe(false)
        this.subscribed.set(topic, { subscriber, confirm })
        return () => this.subscribed.delete(topic)
      }),
    age: () => this.age,
    position: () => undefined,
  })

  readonly requestProbe = unboundedFeed.requestProbe
  readonly measured$ = unboundedFeed.measured$
  readonly isBounded = unboundedFeed.isBounded
  readonly isUpToDate = (): boolean => true
}

/** What the model knows of a topic. `live`: with a price or `undefined`. */
interface TopicModel {
  readonly confirmed: boolean
  readonly price: number | undefined
  readonly isStale: boolean
}

const fresh: TopicModel = { confirmed: false, price: undefined, isStale: false }

const message = <A extends string>(kind: A) =>
  fc.record({ kind: fc.constant(kind), session: fc.nat(sessionCount - 1), topic: fc.constantFrom(...topics) })

const operation = fc.oneof(
  { weight: 4, arbitrary: message('subscribe') },
  { weight: 1, arbitrary: message('unsubscribe') },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('leave' as const), session: fc.nat(sessionCount - 1) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('confirm' as const, 'price' as const, 'stale' as const, 'reject' as const),
      topic: fc.constantFrom(...topics),
    }),
  },
)

test('each consumer receives exactly what the service sends of its topics, for any sequence of events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 60, size: 'max' }), async (operations) => {
      const feed = new ManualFeed()
      const registry = createManualSessions(feed)
      const outbox = new Outbox()
      const newSession = (): ManualSession => createManualSession({ outbox, sessions: registry })
      const sessions = Array.from({ length: sessionCount }, newSession)
      const wanted = sessions.map(() => new Set<Topic>())
      const unanswered = sessions.map(() => new Set<Topic>())
      const expected: string[][] = sessions.map(() => [])
      const model = new Map<Topic, TopicModel>()
      let lastPrice = 0

      const modelOf = (topic: Topic): TopicModel => model.get(topic) ?? fresh
      const confirmationOf = (index: number): string =>
        JSON.stringify({
          subscriptions: [...(wanted[index] ?? [])].filter((each) => modelOf(each).confirmed),
        })
      const isWanted = (topic: Topic): boolean => wanted.some((set) => set.has(topic))
      const forget = (topic: Topic): void => {
        if (!isWanted(topic)) model.delete(topic)
      }
      const answerAll = (topic: Topic): void =>
        unanswered.forEach((set, index) => {
          if (set.delete(topic)) expected[index]?.push(confirmationOf(index))
        })

      const receive = ({ session, kind, topic }: { session: number; kind: string; topic: Topic }): unknown =>
        sessions[session]!.session.onText(JSON.stringify({ method: kind, topic }))

      for (const each of operations) {
        feed.age = 0
        switch (each.kind) {
          case 'subscribe': {
            feed.age = 7
            const [wants, waits, frames] = [
              wanted[each.session],
              unanswered[each.session],
              expected[each.session],
            ]
            const isNew = wants?.has(each.topic) === false
            wants?.add(each.topic)
            const { confirmed, price: last, isStale } = modelOf(each.topic)
            if (!confirmed) waits?.add(each.topic)
            else {
              frames?.push(confirmationOf(each.session))
              if (isNew && last !== undefined && !isStale)
                frames?.push(JSON.stringify({ topic: each.topic, price: last, age: 7 }))
            }
            receive(each)
            break
          }
          case 'unsubscribe':
            wanted[each.session]?.delete(each.topic)
            unanswered[each.session]?.delete(each.topic)
            expected[each.session]?.push(confirmationOf(each.session))
            forget(each.topic)
            receive(each)
            break
          case 'leave':
            registry.leaveTopics(sessions[each.session]!.session)
            await nextTurn()
            expect(sessions[each.session]?.log).toEqual(expected[each.session])
            sessions[each.session] = newSession()
            expected[each.session] = []
            wanted[each.session]?.clear()
            unanswered[each.session]?.clear()
            topics.forEach(forget)
            break
          case 'confirm':
            if (!isWanted(each.topic)) break
            feed.subscribed.get(each.topic)?.confirm()
            model.set(each.topic, { ...modelOf(each.topic), confirmed: true })
            answerAll(each.topic)
            break
          case 'price': {
            if (!isWanted(each.topic)) break
            const value = ++lastPrice
            model.set(each.topic, { confirmed: true, price: value, isStale: false })
            answerAll(each.topic)
            wanted.forEach((set, index) => {
              if (set.has(each.topic))
                expected[index]?.push(JSON.stringify({ topic: each.topic, price: value }))
            })
            feed.subscribed.get(each.topic)?.subscriber.next(right(price(each.topic, value)))
            break
          }
          case 'stale':
            if (!isWanted(each.topic)) break
            model.set(each.topic, { ...modelOf(each.topic), confirmed: true, isStale: true })
            answerAll(each.topic)
            feed.subscribed.get(each.topic)?.subscriber.next(left(stale(each.topic, 1, undefined)))
            break
          case 'reject': {
            const subscribed = feed.subscribed.get(each.topic)
            wanted.forEach((set, index) => {
              if (set.delete(each.topic)) expected[index]?.push('no such token')
              unanswered[index]?.delete(each.topic)
            })
            model.delete(each.topic)
            subscribed?.subscriber.next(left(subscriptionRejected(each.topic, 'no such token')))
            subscribed?.subscriber.complete()
            break
          }
        }
        expect([...feed.subscribed.keys()].sort()).toEqual(topics.filter(isWanted))
        await nextTurn()
        expect(sessions.map(({ log }) => log)).toEqual(expected)
      }
    }),
  )
})
