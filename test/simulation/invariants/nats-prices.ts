import type { SimulatedProcess } from '../world/process.js'
import type { PriceFinder } from '../world/observed-transports.js'
import type { Passed, PriceLog, SentPrice } from '../world/price-log.js'
import type { PortSocket } from '../world/web-socket-transport.js'
import type { Ledger } from './ledger.js'

/** A price that a gateway has published. */
interface Published {
  readonly source: SentPrice
  readonly passed: Passed
  /** The number of prices of the topic that this gateway has published before. */
  readonly index: number
  readonly gateway: Ledger
}

/** A topic at one gateway. */
interface PublishedTopic {
  count: number
  /** Since when the topic is not live there: a time of the world in ms. */
  notLiveSince: number | undefined
}

/** A shorter stop is not noticed, in ms. */
const shortestStopMs = 250

/** After a stop, a gateway waits for the answer of the service for 10 s. In ms, without what the event loop takes. */
const longestWaitMs = 9_500

/** The time in which a gateway was stopped counts for the `maxLag` of its consumers: it sends such a price with the time of the stop. */
const wasSentDuringStop = ({ sentAt }: SentPrice, { lastStop, now }: SimulatedProcess): boolean => {
  if (lastStop === undefined || lastStop.to - lastStop.from <= shortestStopMs) return false
  const { from, to } = lastStop
  return sentAt >= from && sentAt <= to && now - to <= longestWaitMs
}

/** What the gateways over NATS have published: one message for all consumers. Each price is that of one gateway. */
export class NatsPrices implements PriceFinder {
  /** A gateway that leaves a topic and requests it again publishes its last price again. */
  private readonly published = new Map<number, readonly Published[]>()
  private readonly topics = new WeakMap<Ledger, Map<string, PublishedTopic>>()
  /** The last price of each topic that has arrived on a socket. */
  private readonly lastOn = new WeakMap<PortSocket, Map<string, Published>>()

  constructor(private readonly prices: PriceLog) {}

  /** The client of a gateway delivers a price, which the gateway then publishes. */
  onDelivered(ledger: Ledger, id: number): void {
    const arrived = ledger.arrived(id)
    if (arrived === undefined) return
    const { sent: source, at } = arrived
    const { process, isProbed, reading } = ledger
    const topic = this.topicAt(ledger, source.base)
    const index = topic.count++
    topic.notLiveSince = undefined
    const maxAge = isProbed ? source.maxAge : Infinity
    const isNew = reading === source && source.isNew
    const age = process.now - at + source.age
    const sentAt = wasSentDuringStop(source, process) ? source.sentAt : process.now
    const passed = { sentAt, age, isNew, maxAge }
    const earlier = this.published.get(id) ?? []
    this.published.set(id, [...earlier, { source, index, passed, gateway: ledger }])
  }

  /** At the client of a gateway, a topic is not live until its next price. */
  onNotLive(ledger: Ledger, base: string): void {
    this.topicAt(ledger, base).notLiveSince ??= ledger.world.now
  }

  /** The index of the next price that the gateway has published, if it has not arrived on this socket. */
  missingAfterLast(socket: PortSocket, base: string): number | undefined {
    const last = this.lastOn.get(socket)?.get(base)
    if (last === undefined) return undefined
    const next = last.index + 1
    return next < this.topicAt(last.gateway, base).count ? next : undefined
  }

  find(frame: string, socket: PortSocket, isNew: boolean): SentPrice | undefined {
    if (!frame.startsWith('{"topic"')) return undefined
    const { price, age = 0 } = JSON.parse(frame) as { readonly price: number; readonly age?: number }
    const all = this.published.get(price)
    // A message that is late may be an earlier one, which is younger. Ages are rounded.
    const published = all?.findLast(({ passed }) => passed.age <= age + 1) ?? all?.[0]
    if (published === undefined) return undefined
    const { source, index, passed, gateway } = published
    const last = this.lastOn.get(socket) ?? new Map<string, Published>()
    this.lastOn.set(socket, last)
    last.set(source.base, published)
    const { notLiveSince } = this.topicAt(gateway, source.base)
    const now = { ...passed, age, isNew: isNew && passed.isNew, notLiveSince }
    return this.prices.read(source, socket, index, now)
  }

  private topicAt(ledger: Ledger, base: string): PublishedTopic {
    const topics = this.topics.get(ledger) ?? new Map<string, PublishedTopic>()
    this.topics.set(ledger, topics)
    const topic = topics.get(base) ?? { count: 0, notLiveSince: undefined }
    topics.set(base, topic)
    return topic
  }
}
