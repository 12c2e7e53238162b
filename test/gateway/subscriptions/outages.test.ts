import fc from 'fast-check'
import { isRight, left } from 'fp-ts/lib/Either.js'
import { NEVER, Observable, Subject, type Subscriber } from 'rxjs'
import { createClient, type Address, type ConnectionStatus, type PriceClient, type Topic } from 'svc-streams'
import { rights } from 'svc-streams/operators'
import { describe, expect, it } from 'vitest'
import { setPriceFeed, type PriceFeed } from '../../../src/client/price-feed.js'
import { isDown } from '../../../src/base/domain/snapshot.js'
import { disconnected } from '../../../src/base/errors/constructors.js'
import { Sessions, type Session } from '../../../src/gateway/subscriptions/sessions.js'
import { currentClock } from '../../../src/base/time/clock.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { caseCount } from '../../support/run/long.js'
import { createClientFor, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { runInVirtualTime, type VirtualTime } from '../../support/time/virtual-time.js'
import { startTestGateway } from '../support/start-test-gateway.js'
import { unboundedFeed } from '../support/unbounded-feed.js'

/** A consumer of one topic, which leaves it when its session is ended. */
interface Consumer extends Session<Consumer> {
  readonly topic: Topic
}

const open: ConnectionStatus = { _tag: 'Open', epoch: 1, since: 0 }
const waiting: ConnectionStatus = { _tag: 'Waiting', attempt: 1, retryInMs: 1, reason: 'lost' }

/** Sessions whose consumers are topics: each has at most one consumer, and all leave when an outage begins. */
const createManualDemand = () => {
  const status$ = new Subject<ConnectionStatus>()
  const subscribed = new Map<Topic, Subscriber<unknown>>()
  const source: PriceFeed = {
    sourceOf: (topic) => ({
      open$: () =>
        new Observable<never>((subscriber) => {
          expect(subscribed.has(topic)).toBe(false)
          subscribed.set(topic, subscriber)
          return () => subscribed.delete(topic)
        }),
      age: () => 0,
      position: () => undefined,
    }),
    ...unboundedFeed,
    isUpToDate: () => true,
  }
  const client = { status$ } as unknown as PriceClient
  setPriceFeed(client, { ...source, whenSendable: () => () => undefined, requestTimeout$: NEVER })
  const sessions = new Sessions<Consumer>(client, {
    clock: currentClock(),
    service: 'svc',
    noun: 'session',
    isDown,
    maxConnections: 100,
    maxTopicsPerConnection: 1,
    report: () => undefined,
    encode: (payload) => payload,
    send: () => undefined,
    sendUndecodable: () => undefined,
  })
  const consumers = new Map<Topic, Consumer>()
  const leave = (topic: Topic): void => {
    const consumer = consumers.get(topic)
    if (consumer === undefined) return
    consumers.delete(topic)
    sessions.onEnded(consumer, 'consumer', 0)
  }
  const want = (topic: Topic): void => {
    if (consumers.has(topic)) return
    const consumer: Consumer = {
      topic,
      feeds: new Map(),
      confirm: () => undefined,
      reject: () => undefined,
      end: () => leave(topic),
    }
    consumers.set(topic, consumer)
    sessions.onOpened(consumer)
    const requested = sessions.subscribe(consumer, topic)
    if (isRight(requested)) requested.right.feed.start()
  }
  return {
    sessions,
    want,
    leave,
    wanted: () => [...consumers.keys()].sort(),
    subscribed: () => [...subscribed.keys()].sort(),
    loseTopic: (topic: Topic) =>
      subscribed
        .get(topic)
        ?.next(left(disconnected({ code: 1006, reason: 'lost', attempt: 1, retryInMs: 1 }))),
    goDown: () => status$.next(waiting),
    goUp: () => status$.next(open),
  }
}

type ManualDemand = ReturnType<typeof createManualDemand>

const run = (scenario: (demand: ManualDemand, time: VirtualTime) => void): number =>
  runInVirtualTime((time) => scenario(createManualDemand(), time))

describe('during an outage a gateway', () => {
  it('keeps the topics that were wanted, and releases those that nobody requests within 7 s of the return', () => {
    const pending = run(({ want, goDown, goUp, subscribed }, { at }) => {
      want('svc-0xa')
      want('svc-0xb')
      at(1_000, goDown)
      at(600_000, () => expect(subscribed()).toEqual(['svc-0xa', 'svc-0xb']))
      at(700_000, goUp)
      at(701_000, () => want('svc-0xb'))
      at(706_999, () => expect(subscribed()).toEqual(['svc-0xa', 'svc-0xb']))
      at(707_001, () => expect(subscribed()).toEqual(['svc-0xb']))
    })
    expect(pending).toBe(0)
  })

  it('counts the time in which the service is up over several outages', () => {
    run(({ want, goDown, goUp, subscribed }, { at }) => {
      want('svc-0xa')
      goDown()
      // Up for 2 s and down for 8 s, again and again.
      for (let round = 0; round < 4; round++) {
        at(10_000 * (round + 1), goUp)
        at(10_000 * (round + 1) + 2_000, goDown)
      }
      at(40_900, () => expect(subscribed()).toEqual(['svc-0xa']))
      at(41_100, () => expect(subscribed()).toEqual([]))
    })
  })

  it('keeps no topic that was requested and left during the outage', () => {
    run(({ want, leave, goDown, subscribed }) => {
      want('svc-0xa')
      goDown()
      want('svc-0xb')
      leave('svc-0xb')
      expect(subscribed()).toEqual(['svc-0xa'])
    })
  })

  it('releases at once what is left while the service is up and was not lost before', () => {
    run(({ want, leave, subscribed }) => {
      want('svc-0xa')
      leave('svc-0xa')
      expect(subscribed()).toEqual([])
    })
  })

  it('leaves no timer and no topic after close', () => {
    const pending = run(({ want, goDown, goUp, sessions, subscribed }) => {
      want('svc-0xa')
      goDown()
      goUp()
      sessions.close()
      expect([subscribed(), sessions.topicCount]).toEqual([[], 0])
    })
    expect(pending).toBe(0)
  })

  it('shows the topics that it keeps as down, without consumers', () => {
    run(({ want, goDown, loseTopic, sessions }) => {
      want('svc-0xa')
      goDown()
      loseTopic('svc-0xa')
      expect(sessions.topics()).toEqual([{ topic: 'svc-0xa', consumers: 0, state: 'down' }])
    })
  })
})

describe('for any sequence of outages, requests and departures a gateway', () => {
  const topics = Array.from({ length: 12 }, (_, index): Topic => `svc-0x${index.toString(16)}`)
  interface Step {
    readonly wait: number
    readonly kind: 'want' | 'leave' | 'down' | 'up'
    readonly topic: Topic
  }
  const step: fc.Arbitrary<Step> = fc.record({
    wait: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 9_000 })),
    kind: fc.constantFrom('want' as const, 'want' as const, 'leave' as const, 'down' as const, 'up' as const),
    topic: fc.constantFrom(...topics),
  })

  it('keeps what was wanted before the outage, and nothing that was not wanted in the last 10 s of up-time', () => {
    const check = (steps: readonly Step[]): void => {
      const pending = run((manual, { at, now }) => {
        let isUp = true
        let changedAt = 0
        let upBefore = 0
        /** The topics that were wanted at the beginning of the outage. */
        let lost: readonly Topic[] = []
        /** The up-time at which each topic was wanted last, while the service was up. */
        const lastWanted = new Map<Topic, number>()
        const upTime = (): number => (isUp ? upBefore + now() - changedAt : upBefore)
        const note = (): void => {
          if (isUp) for (const topic of manual.wanted()) lastWanted.set(topic, upTime())
        }
        const verify = (): void => {
          const wanted = new Set(manual.wanted())
          const subscribed = manual.subscribed()
          for (const topic of wanted) expect(subscribed).toContain(topic)
          for (const topic of isUp ? [] : lost) expect(subscribed).toContain(topic)
          for (const topic of subscribed) {
            if (!wanted.has(topic)) {
              expect(upTime() - (lastWanted.get(topic) ?? -Infinity)).toBeLessThanOrEqual(10_000)
            }
          }
        }
        const actions: Record<Step['kind'], (topic: Topic) => void> = {
          want: (topic) => manual.want(topic),
          leave: (topic) => manual.leave(topic),
          down: () => {
            if (!isUp) return
            lost = manual.wanted()
            upBefore = upTime()
            isUp = false
            manual.goDown()
          },
          up: () => {
            if (isUp) return
            isUp = true
            changedAt = now()
            manual.goUp()
          },
        }
        let time = 0
        for (const { wait, kind, topic } of steps) {
          time += wait
          at(time, () => {
            note()
            actions[kind](topic)
            note()
            verify()
          })
        }
        at(time + 1, () => actions.up(topics[0]!))
        at(time + 10_001, () => expect(manual.subscribed()).toEqual(manual.wanted()))
      })
      expect(pending).toBe(0)
    }
    fc.assert(fc.property(fc.array(step, { maxLength: 60, size: 'max' }), check), {
      numRuns: caseCount(3_000),
    })
  })
})

describe('a service that is lost again and again', () => {
  it('leaves the topics of its first time as soon as it has been up for long enough, whatever comes later', async () => {
    const maxRounds = 60
    const tokens = Array.from({ length: 4 * maxRounds }, (_, index): { address: Address; price: number } => ({
      address: `0x${(0xa000 + index).toString(16)}`,
      price: 2500,
    }))
    const simulator = await startTestSimulator({ tokens, tick: 50 })
    const client = createClientFor(simulator, { reconnect: { initialDelay: 1, maxDelay: 20 } })
    const gateway = await startTestGateway(client)
    const isKept = (): boolean =>
      gateway.inspect().topics.some(({ topic }) => topic === `svc-${tokens[0]?.address}`)
    let rounds = 0
    do {
      expect(rounds).toBeLessThan(maxRounds)
      await eventually(() => expect(gateway.inspect().upstream._tag).toMatch(/Open|Idle/))
      const consumer = closeAfterTest(createClient({ environment: 'mainnet', ...gateway, unsigned: true }))
      const wanted = tokens.slice(4 * rounds, 4 * rounds + 4).map(({ address }): Topic => `svc-${address}`)
      // Consumers of the next round request other topics. A round takes 10 prices, which is 500 ms.
      let prices = 0
      for (const topic of wanted)
        consumer
          .price$(topic)
          .pipe(rights())
          .subscribe(() => prices++)
      await eventually(() => expect(prices).toBeGreaterThan(40))
      rounds++
      simulator.dropConnections()
      await consumer.close()
    } while (isKept())
    // 7 s of rounds of at least 450 ms.
    expect(rounds).toBeLessThanOrEqual(17)
  }, 60_000)
})
