import fc from 'fast-check'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { Observable, type Subscriber } from 'rxjs'
import type { Price, PriceError, Topic } from 'svc-streams'
import { price } from 'svc-streams/testing'
import { expect, test } from 'vitest'
import type { PriceFeed } from '../../../src/client/price-feed.js'
import type { PricePosition } from '../../../src/base/domain/past.js'
import { stale, subscriptionRejected } from '../../../src/base/errors/constructors.js'
import { CheckTimer } from '../../../src/gateway/websocket/check-timer.js'
import { currentClock } from '../../../src/base/time/clock.js'
import { Outbox } from '../../../src/gateway/websocket/outbox.js'
import { seededRandom } from '../../../src/simulator/market/seeded-random.js'
import { caseCount } from '../../support/run/long.js'
import { runInVirtualTime, type VirtualTime } from '../../support/time/virtual-time.js'
import { createManualSession, createManualSessions } from '../support/manual-session.js'
import { unboundedFeed } from '../support/unbounded-feed.js'

// A session, its feeds and its timers, over a link that is simulated in virtual time. The model knows when each price was
// emitted: the price is its number.

const step = 5

/** What the size of a frame of the service is like, in bytes. Topics are short here. */
const paddedBytes = 92

interface Phase {
  readonly ms: number
  readonly bytesPerSecond: number
  readonly pricesPerSecond: number
  /** Time of a pong from the consumer to the gateway, in ms. */
  readonly upMs: number
  /** The longest further time of each frame and of each pong, which varies and keeps their order, in ms. Default: 0. */
  readonly jitterMs?: number
  /** What happens in the middle of the phase. */
  readonly event: 'none' | 'subscribe' | 'unsubscribe' | 'stale' | 'reject'
  readonly topic: number
}

/** Two events of a topic: a service that emits prices with their numbers, and what the gateway asks of it. */
class NumberedFeed implements PriceFeed {
  private readonly subscribers = new Map<Topic, Subscriber<Either<PriceError, Price>>>()
  readonly emittedAt: number[] = []
  /** The number of the last price of each topic. */
  readonly last = new Map<Topic, number>()
  /** The same, only of topics that are live. */
  readonly live = new Map<Topic, number>()

  constructor(private readonly now: () => number) {}

  readonly sourceOf: PriceFeed['sourceOf'] = (topic) => ({
    open$: (confirm) =>
      new Observable((subscriber) => {
        this.subscribers.set(topic, subscriber)
        confirm?.()
        return () => {
          this.subscribers.delete(topic)
          this.live.delete(topic)
        }
      }),
    age: () => this.now() - (this.emittedAt[this.live.get(topic) ?? 0] ?? 0),
    position: () => ({ run: 'run', count: this.counts.get(topic) ?? 0 }),
  })

  readonly requestProbe = unboundedFeed.requestProbe
  readonly measured$ = unboundedFeed.measured$
  readonly isBounded = unboundedFeed.isBounded

  /** The number of prices of each topic, and that of each price among those of its topic. */
  private readonly counts = new Map<Topic, number>()
  readonly countOf: number[] = []

  readonly isUpToDate = (): boolean => true

  has(topic: Topic): boolean {
    return this.subscribers.has(topic)
  }

  emit(topic: Topic): void {
    const number = Math.max(1, this.emittedAt.length)
    this.emittedAt[number] = this.now()
    this.last.set(topic, number)
    this.countOf[number] = (this.counts.get(topic) ?? 0) + 1
    this.counts.set(topic, this.countOf[number])
    this.live.set(topic, number)
    this.subscribers.get(topic)?.next(right(price(topic, number)))
  }

  makeStale(topic: Topic): void {
    this.live.delete(topic)
    this.subscribers.get(topic)?.next(left(stale(topic, 1, undefined)))
  }

  reject(topic: Topic): void {
    const subscriber = this.subscribers.get(topic)
    this.live.delete(topic)
    subscriber?.next(left(subscriptionRejected(topic, 'no such token')))
    subscriber?.complete()
  }
}

interface Outcome {
  /** True if the gateway has closed the connection. */
  readonly isClosed: boolean
  readonly isBehind: boolean
  readonly dropped: number
  /** Age of the oldest price at its arrival, in ms. */
  readonly oldest: number
  /** Number of prices that were not sent in the last 5 s. */
  readonly droppedLately: number
  readonly lastNumbers: readonly (number | undefined)[]
  readonly arrivedNumbers: readonly (number | undefined)[]
}

interface WrittenConfirmation {
  readonly subscriptions: readonly Topic[]
  readonly position?: PricePosition & { readonly topic: Topic }
}

interface WrittenPrice {
  readonly topic: Topic
  readonly price: number
  readonly age?: number
  readonly position?: PricePosition
}

const simulate = (topics: readonly Topic[], phases: readonly Phase[], time: VirtualTime): (() => Outcome) => {
  const feed = new NumberedFeed(time.now)
  const sessions = createManualSessions(feed)
  const outbox = new Outbox()
  const connections = new Set<{ readonly check: () => void }>()
  const timer = new CheckTimer(connections, currentClock())
  let [behindSince, isClosed] = [Infinity, false]
  const { session, log } = createManualSession({
    outbox,
    sessions,
    maxBufferedBytes: Infinity,
    now: timer.now,
    report: (name) => void (behindSince = name === 'svc-streams:gateway-behind' ? time.now() : Infinity),
  })

  let [phaseIndex, phaseEndsAt, budget, owed, nextTopic, read] = [0, phases[0]!.ms, 0, 0, 0, 0]
  let [firstRoundTrip, oldest, emitted, written, removals, droppedBefore] = [Infinity, 0, 0, 0, 0, 0]
  const link: { readonly bytes: number; readonly dueAt: number; readonly arrive: () => void }[] = []
  /** When the last frame and the last pong may arrive: later ones do not arrive before them. */
  const lastDueAt = { down: 0, up: 0 }
  const random = seededRandom('jitter')
  const unansweredSince = new Map<string, number>()
  const wanted = new Set<Topic>()
  /** The topic that became stale: without a price until the end of the phase. */
  let silent: Topic | undefined
  const confirmed = new Set<string>()
  const lastWritten = new Map<string, number>()
  /** The position of the last price of each topic, as the consumer counts it. */
  const counted = new Map<string, number>()
  const arrived = new Map<string, number>()
  const phase = (): Phase => phases[Math.min(phaseIndex, phases.length - 1)]!

  const dueAt = (direction: 'down' | 'up', ms: number): number => {
    const due = time.now() + ms + Math.round(random() * (phase().jitterMs ?? 0))
    return (lastDueAt[direction] = Math.max(lastDueAt[direction], due))
  }
  const put = (bytes: number, arrive: () => void = () => undefined): void =>
    void link.push({ bytes, dueAt: dueAt('down', 0), arrive })

  const onPriceWritten = ({ topic, price: number, age, position }: WrittenPrice) => {
    const before = counted.get(topic)
    const count = position?.count ?? (before === undefined ? undefined : before + 1)
    if (count !== undefined) counted.set(topic, count)
    const emittedAt = feed.emittedAt[number] ?? NaN
    const [since = time.now()] = unansweredSince.values()
    // The longest time in which an answer is in time, and the interval of the checks.
    const inTimeMs = Math.max(firstRoundTrip, 500) + 300 + 50
    // With the close frame, which follows the prices of its tick, the session has left its topics.
    const isEnding = log.at(-1)?.startsWith('close') === true && topic !== silent
    const live = (isEnding ? feed.last : feed.live).get(topic)
    const held = {
      'is wanted, confirmed and live': wanted.has(topic) && confirmed.has(topic) && live !== undefined,
      'is the newest of its topic': live === number,
      'has its true age': (age ?? 0) === time.now() - emittedAt,
      'has the position that the consumer counts': count === undefined || count === feed.countOf[number],
      'is written once': number > (lastWritten.get(topic) ?? 0),
      'is written while answers are in time': time.now() - since <= inTimeMs + step,
    }
    // An assertion for each of thousands of prices takes longer than the model.
    for (const rule in held) if (!held[rule as keyof typeof held]) expect.fail(`price ${number}: ${rule}`)
    lastWritten.set(topic, number)
    written++
    put(paddedBytes, () => {
      oldest = Math.max(oldest, time.now() - emittedAt)
      arrived.set(topic, number)
    })
  }

  const onPingWritten = (id: string): void => {
    unansweredSince.set(id, time.now())
    const onPong = (): void => {
      for (const each of [...unansweredSince.keys()])
        if (Number(each) <= Number(id)) unansweredSince.delete(each)
      if (firstRoundTrip === Infinity) firstRoundTrip = time.now()
      session.onPong(id)
      settle()
    }
    put(2 + id.length, () => time.after(dueAt('up', phase().upMs) - time.now(), onPong))
  }

  /** A price was held for so long that its topic became stale: an answer to a ping would make an earlier price current. */
  const onClosed = (frame: string): void => {
    const problem =
      /^close 1013 too far behind: the price of (?<topic>\S+) was not sent before it became stale$/
    const topic = (problem.exec(frame)?.groups?.['topic'] ?? expect.fail(frame)) as Topic
    expect({
      isLive: feed.live.has(topic),
      isHeld: (feed.last.get(topic) ?? 0) > (lastWritten.get(topic) ?? 0),
      isLong: time.now() - behindSince > 5_000,
    }).toEqual({ isLive: false, isHeld: true, isLong: true })
    isClosed = true
  }

  /** Ends the tick, and puts what was written onto the link. */
  const settle = (): void => {
    session.flush()
    for (; read < log.length && !isClosed; read++) {
      const frame = log[read]!
      if (frame.startsWith('close')) return onClosed(frame)
      const parsed: unknown = frame.startsWith('{') ? JSON.parse(frame) : frame
      if (typeof parsed === 'string') {
        expect(frame).toMatch(/^(ping \d+|no such token)$/)
        if (frame.startsWith('ping')) onPingWritten(frame.slice('ping '.length))
        else put(frame.length)
      } else if ('price' in (parsed as object)) onPriceWritten(parsed as never)
      else {
        const { subscriptions, position } = parsed as WrittenConfirmation
        for (const topic of subscriptions) confirmed.add(topic)
        if (position !== undefined) counted.set(position.topic, position.count)
        put(frame.length)
      }
    }
  }

  const receive = (method: string, topic: Topic): void => {
    session.onText(JSON.stringify({ method, topic }))
    settle()
  }

  const run = (event: Phase['event'], topic: Topic): void => {
    if (event === 'subscribe') {
      if (feed.live.has(topic) && !wanted.has(topic)) emitted++
      wanted.add(topic)
      receive(event, topic)
    } else if (event === 'unsubscribe' || (event === 'reject' && wanted.has(topic))) {
      removals++
      wanted.delete(topic)
      confirmed.delete(topic)
      lastWritten.delete(topic)
      counted.delete(topic)
      if (event === 'reject') feed.reject(topic)
      else receive(event, topic)
    } else if (event === 'stale') feed.makeStale((silent = topic))
    settle()
  }

  const emitPrices = (): void => {
    owed += (phase().pricesPerSecond * step) / 1000
    for (; owed >= 1; owed--) {
      const topic = topics[nextTopic++ % topics.length]!
      if (!feed.has(topic) || topic === silent) continue
      if (wanted.has(topic)) emitted++
      feed.emit(topic)
      settle()
    }
  }

  const forward = (): void => {
    budget += (phase().bytesPerSecond * step) / 1000
    const isDue = (): boolean => link.length > 0 && link[0]!.dueAt <= time.now()
    while (isDue() && link[0]!.bytes <= budget) {
      const { bytes, arrive } = link.shift()!
      budget -= bytes
      arrive()
    }
    // A link does not save what it has not used.
    if (!isDue()) budget = 0
  }

  const check = (): void => {
    session.check()
    settle()
  }
  connections.add({ check })
  timer.start()
  session.check()
  settle()
  for (const topic of topics) run('subscribe', topic)

  const total = phases.reduce((sum, { ms }) => sum + ms, 0)
  const tick = (): void => {
    const now = time.now()
    if (isClosed) return timer.stop()
    const middle = phaseEndsAt - phase().ms / 2
    if (now <= middle && now + step > middle) run(phase().event, topics[phase().topic % topics.length]!)
    if (now >= phaseEndsAt) {
      phaseEndsAt += phases[++phaseIndex]?.ms ?? Infinity
      silent = undefined
    }
    if (now < total) emitPrices()
    settle()
    forward()
    if (now <= total - 5_000) droppedBefore = session.droppedPrices
    if (now < total + 1_000) time.after(step, tick)
    else timer.stop()
  }
  tick()

  return () => {
    const dropped = session.droppedPrices
    // Each price was written, dropped, or held when its topic was removed or the connection was closed.
    expect(dropped).toBeLessThanOrEqual(emitted - written)
    expect(dropped + removals + (isClosed ? wanted.size : 0)).toBeGreaterThanOrEqual(emitted - written)
    const live = topics.filter((topic) => wanted.has(topic))
    return {
      isClosed,
      isBehind: session.isBehind,
      dropped,
      oldest,
      droppedLately: dropped - droppedBefore,
      lastNumbers: live.map((topic) => feed.live.get(topic)),
      arrivedNumbers: live.map((topic) => arrived.get(topic)),
    }
  }
}

const outcomeOf = (topics: readonly Topic[], phases: readonly Phase[]): Outcome => {
  let outcome: (() => Outcome) | undefined
  runInVirtualTime((time) => (outcome = simulate(topics, phases, time)))
  return outcome!()
}

const topicsOf = (count: number, digits = 1): readonly Topic[] =>
  Array.from({ length: count }, (_, index): Topic => {
    const number = (index + 1).toString(16)
    return `svc-0x${number.padStart(digits, '1')}`
  })

const phase: fc.Arbitrary<Phase> = fc.record({
  ms: fc.integer({ min: 1, max: 600 }).map((count) => count * step),
  bytesPerSecond: fc.constantFrom(0, 1_000, 10_000, 50_000, Infinity),
  pricesPerSecond: fc.constantFrom(0, 20, 400),
  upMs: fc.constantFrom(0, 50, 400),
  event: fc.constantFrom<Phase['event']>('none', 'subscribe', 'unsubscribe', 'stale', 'reject'),
  topic: fc.nat(7),
})

const quick: Omit<Phase, 'ms' | 'pricesPerSecond'> = {
  bytesPerSecond: Infinity,
  upMs: 0,
  event: 'none',
  topic: 0,
}

test('a consumer on a link that changes gets the newest prices in order, and every price once the link is quick', () => {
  let behindCount = 0
  fc.assert(
    fc.property(
      fc.array(phase, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 8 }),
      (phases, count) => {
        const outcome = outcomeOf(topicsOf(count), [
          ...phases,
          { ...quick, ms: 15_000, pricesPerSecond: 200 },
        ])
        if (outcome.isClosed) return
        expect(outcome).toMatchObject({ isBehind: false, droppedLately: 0 })
        expect(outcome.arrivedNumbers).toEqual(outcome.lastNumbers)
        if (outcome.dropped > 0) behindCount++
      },
    ),
    { numRuns: caseCount(80) },
  )
  // Otherwise the links of the cases were too quick to test anything.
  expect(behindCount).toBeGreaterThan(caseCount(80) / 10)
})

test('on a link of 10 kB/s or more, no price of 400 a second arrives more than 2 s old', () => {
  const link = fc.record({
    bytesPerSecond: fc.integer({ min: 10_000, max: 60_000 }),
    upMs: fc.integer({ min: 0, max: 20 }).map((count) => count * step),
    count: fc.integer({ min: 1, max: 60 }),
    quickMs: fc.integer({ min: 1, max: 400 }).map((count) => count * step),
  })
  fc.assert(
    fc.property(link, ({ count, quickMs, bytesPerSecond, upMs }) => {
      const slow: Phase = { ...quick, bytesPerSecond, upMs, ms: 20_000, pricesPerSecond: 400 }
      const outcome = outcomeOf(topicsOf(count), [
        { ...quick, upMs, ms: quickMs, pricesPerSecond: 400 },
        slow,
        { ...quick, upMs, ms: 15_000, pricesPerSecond: 400 },
      ])
      expect(outcome.oldest).toBeLessThan(2_000)
      expect(outcome).toMatchObject({ isClosed: false, isBehind: false, droppedLately: 0 })
    }),
    { numRuns: caseCount(30) },
  )
})

test('no price arrives more than 2 s old behind the answers to hundreds of subscribe messages at once', () => {
  const link = fc.record({
    bytesPerSecond: fc.integer({ min: 10_000, max: 20_000 }),
    upMs: fc.integer({ min: 0, max: 8 }).map((count) => count * step),
    count: fc.integer({ min: 60, max: 500 }),
  })
  fc.assert(
    fc.property(link, ({ count, ...slow }) => {
      const outcome = outcomeOf(topicsOf(count, 40), [
        { ...quick, ...slow, ms: 10_000, pricesPerSecond: 400 },
        { ...quick, ms: 15_000, pricesPerSecond: 400 },
      ])
      expect(outcome.oldest).toBeLessThan(2_000)
      expect(outcome).toMatchObject({ isClosed: false, isBehind: false, droppedLately: 0 })
    }),
    { numRuns: caseCount(15) },
  )
})

test('a consumer whose link carries every price gets every price, whatever its round trip', () => {
  const link = fc.record({
    upMs: fc.integer({ min: 0, max: 400 }).map((count) => count * step),
    pricesPerSecond: fc.integer({ min: 1, max: 400 }),
    count: fc.integer({ min: 1, max: 10 }),
  })
  fc.assert(
    fc.property(link, ({ upMs, pricesPerSecond, count }) => {
      const phases = [{ ...quick, bytesPerSecond: 60_000, upMs, pricesPerSecond, ms: 10_000 }]
      expect(outcomeOf(topicsOf(count), phases)).toMatchObject({
        isClosed: false,
        isBehind: false,
        dropped: 0,
      })
    }),
    { numRuns: caseCount(80) },
  )
})

test('a consumer whose link carries every price gets most of them while its round trip varies by 500 ms', () => {
  const link = fc.record({
    jitterMs: fc.integer({ min: 240, max: 280 }),
    pricesPerSecond: fc.integer({ min: 300, max: 400 }),
    quickMs: fc.integer({ min: 1, max: 400 }).map((count) => count * step),
    count: fc.integer({ min: 1, max: 10 }),
  })
  fc.assert(
    fc.property(link, ({ quickMs, count, jitterMs, pricesPerSecond }) => {
      const even: Phase = { ...quick, bytesPerSecond: 60_000, pricesPerSecond, ms: quickMs }
      const varying: Phase = { ...even, jitterMs, ms: 60_000 }
      const { dropped } = outcomeOf(topicsOf(count), [even, varying])
      // Those of the time in which the gateway does not know yet how much the round trip varies.
      expect(dropped).toBeLessThan((0.3 * pricesPerSecond * varying.ms) / 1_000)
    }),
    { numRuns: caseCount(80) },
  )
})
