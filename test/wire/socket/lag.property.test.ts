import fc from 'fast-check'
import { isRight } from 'fp-ts/lib/Either.js'
import { createClient, type ClientOptions, type Price, type PriceError, type Topic } from 'svc-streams'
import { describe, expect, inject, it } from 'vitest'
import type { SocketListener, WebSocketTransport } from '../../../src/wire/transport/ports.js'
import { caseCount } from '../../support/run/long.js'
import { runInVirtualTime, type VirtualTime } from '../../support/time/virtual-time.js'

// A service over a link whose latency and bandwidth change, against a model that knows when each price was sent. Prices are
// the numbers of their sending, from 1.

const maxLag = 200
const topics: readonly Topic[] = ['svc-0xa', 'svc-0xb', 'svc-0xc']

/** How the link is for a time, all in ms. */
interface Segment {
  readonly lasts: number
  readonly up: number
  readonly down: number
  /** Time per frame: above the interval of the prices, a queue grows. */
  readonly perFrame: number
}

interface Sent {
  readonly topic: Topic
  readonly at: number
  /** The number of the connection, from 1. */
  readonly dial: number
}

interface Delivered {
  readonly at: number
  readonly event: Price | PriceError
}

interface Scenario {
  readonly segments: readonly Segment[]
  /** Interval between the prices, in ms: they go round the topics. */
  readonly interval: number
  /** When the last price is sent, in ms. */
  readonly ends: number
}

interface Outcome {
  readonly sent: readonly Sent[]
  readonly delivered: ReadonlyMap<Topic, readonly Delivered[]>
  readonly dials: number
}

/** The link and the service behind it. */
class SlowService implements WebSocketTransport {
  readonly sent: Sent[] = []
  dials = 0
  private arrivesAt = 0
  private listener: SocketListener | undefined
  private readonly subscribed = new Set<Topic>()

  constructor(
    private readonly time: VirtualTime,
    private readonly segments: readonly Segment[],
  ) {}

  dial(_url: string, _options: unknown, listener: SocketListener) {
    const dial = ++this.dials
    this.listener = listener
    this.arrivesAt = 0
    this.subscribed.clear()
    const isOpen = (): boolean => this.dials === dial && this.listener === listener
    const toService = (act: () => void): void =>
      this.time.after(this.current.up, () => {
        if (isOpen()) act()
      })
    const end = (): void => {
      if (this.listener === listener) this.listener = undefined
    }
    this.time.after(this.current.up + this.current.down, () => {
      if (isOpen()) listener.opened()
    })
    return {
      send: (frame: string) =>
        toService(() => {
          const { topic } = JSON.parse(frame) as { topic: Topic }
          this.subscribed.add(topic)
          this.transmit(() => listener.text(JSON.stringify({ subscriptions: [topic] })))
        }),
      ping: (payload: string) => toService(() => this.transmit(() => listener.pong?.(payload))),
      close: end,
      terminate: end,
    }
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  sendPrice(topic: Topic): void {
    const { listener } = this
    if (listener === undefined || !this.subscribed.has(topic)) return
    this.sent.push({ topic, at: this.time.now(), dial: this.dials })
    const frame = JSON.stringify({ topic, price: this.sent.length })
    this.transmit(() => listener.text(frame))
  }

  /** First in, first out: a frame arrives after those before it. */
  private transmit(arrive: () => void): void {
    const { dials, listener } = this
    const { down, perFrame } = this.current
    this.arrivesAt = Math.max(this.arrivesAt, this.time.now() + down) + perFrame
    this.time.at(this.arrivesAt, () => {
      if (this.dials === dials && this.listener === listener) arrive()
    })
  }

  /** After the last segment the link is quick. */
  private get current(): Segment {
    let ends = 0
    for (const segment of this.segments) {
      ends += segment.lasts
      if (this.time.now() < ends) return segment
    }
    return { lasts: Infinity, up: 1, down: 1, perFrame: 0 }
  }
}

const options: ClientOptions = {
  environment: 'testnet',
  priceBaseUrl: 'http://localhost',
  maxLag,
  linger: 0,
  reconnect: { initialDelay: 20, maxDelay: 100 },
}

const run = ({ segments, interval, ends }: Scenario): Outcome => {
  const delivered = new Map<Topic, Delivered[]>(topics.map((topic) => [topic, []]))
  let service: SlowService | undefined
  runInVirtualTime(
    (time) => {
      service = new SlowService(time, segments)
      const client = createClient({ ...options, webSocket: service })
      for (const topic of topics) {
        client.price$(topic).subscribe((event) => {
          const value = isRight(event) ? event.right : event.left
          delivered.get(topic)?.push({ at: time.now(), event: value })
        })
      }
      // One timer at a time: the virtual clock searches all pending ones.
      const sendFrom = (count: number): void => {
        service?.sendPrice(topics[count % topics.length]!)
        if ((count + 1) * interval <= ends) time.after(interval, () => sendFrom(count + 1))
      }
      time.at(0, () => sendFrom(0))
      time.at(ends + 20 * maxLag, () => void client.close())
    },
    { endsAt: ends + 30 * maxLag },
  )
  return { sent: service?.sent ?? [], delivered, dials: service?.dials ?? 0 }
}

const isPrice = (event: Price | PriceError): event is Price => !('_tag' in event)

/** A price and those before and after it, of the same topic on the same connection. */
interface Neighbours {
  readonly sent: Sent
  readonly previous: number | undefined
  next: Sent | undefined
}

/** By the numbers of the prices. */
const neighboursIn = (sent: readonly Sent[]): ReadonlyMap<number, Neighbours> => {
  const neighbours = new Map<number, Neighbours>()
  const newest = new Map<string, number>()
  for (const [index, price] of sent.entries()) {
    const number = index + 1
    const key = `${price.topic} ${price.dial}`
    const previous = newest.get(key)
    neighbours.set(number, { sent: price, previous, next: undefined })
    const before = previous === undefined ? undefined : neighbours.get(previous)
    if (before !== undefined) before.next = price
    newest.set(key, number)
  }
  return neighbours
}

/** The numbers of the prices of one topic on one connection. */
const numbersOf = (sent: readonly Sent[], topic: Topic, dial: number): readonly number[] =>
  sent.flatMap((price, index) => (price.topic === topic && price.dial === dial ? [index + 1] : []))

/** The faults of the events of one topic, in words. */
const faultsOf = (
  neighbours: ReadonlyMap<number, Neighbours>,
  events: readonly Delivered[],
): readonly string[] => {
  const faults: string[] = []
  let last: number | undefined
  let isAfterError = false
  for (const { at, event } of events) {
    if (!isPrice(event)) {
      isAfterError = true
      continue
    }
    const { price: number } = event
    const { sent, previous, next } = neighbours.get(number)!
    const replacedAt = next?.at ?? Infinity
    const ageMs = at - sent.at
    if (ageMs > maxLag && at - replacedAt > maxLag) faults.push(`${at}: ${number} is ${ageMs} ms old`)
    if (last !== undefined && number < last) faults.push(`${at}: ${number} after ${last}`)
    const isNext = last === previous || (previous === undefined && isAfterError)
    if (last !== undefined && !isNext && !isAfterError)
      faults.push(`${at}: ${number} after ${last} without an error`)
    last = number
    isAfterError = false
  }
  return faults
}

const segment = (bounds: { up: number; down: number; perFrame: number }): fc.Arbitrary<Segment> =>
  fc.record({
    lasts: fc.integer({ min: 50, max: 1500 }),
    up: fc.integer({ min: 1, max: bounds.up }),
    down: fc.integer({ min: 1, max: bounds.down }),
    perFrame: fc.integer({ min: 0, max: bounds.perFrame }),
  })

const parameters = { seed: inject('seed'), numRuns: caseCount(400), endOnFailure: true }

describe(`a link whose latency and bandwidth change: seed ${inject('seed')}`, () => {
  it('passes no price that a newer one replaced more than maxLag before, skips none in silence, and recovers', () => {
    let behind = 0
    let ended = 0
    fc.assert(
      fc.property(
        fc.array(segment({ up: 150, down: 150, perFrame: 40 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 3, max: 30 }),
        (segments, interval) => {
          const ends = segments.reduce((sum, { lasts }) => sum + lasts, 0) + 5 * maxLag
          const { sent, delivered, dials } = run({ segments, interval, ends })
          const neighbours = neighboursIn(sent)
          for (const topic of topics) {
            const events = delivered.get(topic) ?? []
            expect(faultsOf(neighbours, events)).toEqual([])
            behind += events.filter(({ event }) => 'behindMs' in event && event.behindMs !== undefined).length
            // The last event is the newest price, except for the completion.
            const newest = numbersOf(sent, topic, dials).at(-1)
            expect(events.at(-1)?.event).toMatchObject({ price: newest })
          }
          ended += dials - 1
        },
      ),
      parameters,
    )
    // Otherwise the cases test nothing.
    expect(behind).toBeGreaterThan(parameters.numRuns / 10)
    expect(ended).toBeGreaterThan(parameters.numRuns / 100)
  })

  it('causes no error while a round trip is shorter than maxLag and no queue grows', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 0.9 * maxLag }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 3, max: 500 }),
        (roundTrip, share, interval) => {
          const up = roundTrip * share
          const segments = [{ lasts: 10_000, up, down: roundTrip - up, perFrame: 0 }]
          const { sent, delivered } = run({ segments, interval, ends: 3000 })
          for (const topic of topics) {
            const events = (delivered.get(topic) ?? []).map(({ event }) => event)
            expect(events.filter((event) => !isPrice(event))).toEqual([])
            expect(events.map((event) => isPrice(event) && event.price)).toEqual(numbersOf(sent, topic, 1))
          }
        },
      ),
      parameters,
    )
  })
})
