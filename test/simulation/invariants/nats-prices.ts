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
}

/** What the gateways over NATS have published: one message for all consumers. Each price is that of one gateway. */
export class NatsPrices implements PriceFinder {
  private readonly published = new Map<number, Published>()
  private readonly counts = new WeakMap<Ledger, Map<string, number>>()

  constructor(private readonly prices: PriceLog) {}

  /** The client of a gateway delivers a price, which the gateway then publishes. */
  onDelivered(ledger: Ledger, id: number): void {
    const arrived = ledger.arrived(id)
    if (arrived === undefined) return
    const { sent: source, at } = arrived
    const { process, times, isProbed, reading } = ledger
    const counts = this.counts.get(ledger) ?? new Map<string, number>()
    this.counts.set(ledger, counts)
    const index = counts.get(source.base) ?? 0
    counts.set(source.base, index + 1)
    const maxAge = source.maxAge + (isProbed ? times.maxLag : Infinity)
    const isNew = reading === source && source.isNew
    const age = process.now - at + source.age
    this.published.set(id, { source, index, passed: { sentAt: process.now, age, isNew, maxAge } })
  }

  find(frame: string, socket: PortSocket, isNew: boolean): SentPrice | undefined {
    if (!frame.startsWith('{"topic"')) return undefined
    const { price, age = 0 } = JSON.parse(frame) as { readonly price: number; readonly age?: number }
    const published = this.published.get(price)
    if (published === undefined) return undefined
    const { source, index, passed } = published
    return this.prices.read(source, socket, index, { ...passed, age, isNew: isNew && passed.isNew })
  }
}
