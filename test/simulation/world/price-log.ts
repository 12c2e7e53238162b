import type { PortSocket } from './web-socket-transport.js'

/** A price as a service or a gateway has sent it over one connection. */
export interface SentPrice {
  /** The price itself, in USD: no two prices of the service are equal. */
  readonly id: number
  readonly base: string
  readonly socket: PortSocket
  /** The number of prices of the topic that were sent over this connection before it. */
  readonly index: number
  /** In ms. */
  readonly sentAt: number
  /** The same price as the gateway has received it; `undefined` if the service has sent this one. */
  readonly source: SentPrice | undefined
  /** The age in the frame, in ms. */
  readonly age: number
  /** False if a gateway, or its client, has held the price: then it was the newest one when it was sent. */
  readonly isNew: boolean
  /** The maximum time, by the promises of the gateways, since it was the newest price of the service, in ms. */
  readonly maxAge: number
  /** Since when the topic was not live at the gateway when this price was read: a time of the world in ms. Only over NATS. */
  readonly notLiveSince?: number | undefined
}

/** What a gateway adds to a price that it passes on. */
export type Passed = Pick<SentPrice, 'sentAt' | 'age' | 'isNew' | 'maxAge' | 'notLiveSince'>

/** All prices that were sent: a price that a subscriber receives shows when and where it was sent. */
export class PriceLog {
  private lastId = 0
  private readonly byId = new Map<number, SentPrice>()
  private readonly bySocket = new WeakMap<PortSocket, Map<string, SentPrice[]>>()

  /** Returns a new price, which the service must send. */
  add(socket: PortSocket, base: string, sentAt: number): SentPrice {
    const id = ++this.lastId
    const sent = this.push({ id, base, socket, sentAt, source: undefined, age: 0, isNew: true, maxAge: 0 })
    this.byId.set(id, sent)
    return sent
  }

  /** A price as the service has sent it. */
  sentBy(id: number): SentPrice | undefined {
    return this.byId.get(id)
  }

  /** A gateway sends a price that it has received. */
  pass(source: SentPrice, socket: PortSocket, passed: Passed): SentPrice {
    const { id, base } = source
    return this.push({ id, base, socket, source, ...passed })
  }

  /** The same price as a consumer over NATS has read it. `index`: of the prices of its gateway. */
  read(source: SentPrice, socket: PortSocket, index: number, passed: Passed): SentPrice {
    const { id, base } = source
    return { id, base, socket, source, index, ...passed }
  }

  /** The price of the service that replaced this one, if there is one. */
  replacementOf({ source, ...sent }: SentPrice): SentPrice | undefined {
    if (source !== undefined) return this.replacementOf(source)
    return this.seriesOf(sent.socket, sent.base)[sent.index + 1]
  }

  private push(sent: Omit<SentPrice, 'index'>): SentPrice {
    const series = this.seriesOf(sent.socket, sent.base)
    const logged = { ...sent, index: series.length }
    series.push(logged)
    return logged
  }

  private seriesOf(socket: PortSocket, base: string): SentPrice[] {
    const topics = this.bySocket.get(socket) ?? new Map<string, SentPrice[]>()
    this.bySocket.set(socket, topics)
    const series = topics.get(base) ?? []
    topics.set(base, series)
    return series
  }
}

/** The price as the service has sent it. */
export const originOf = (sent: SentPrice): SentPrice =>
  sent.source === undefined ? sent : originOf(sent.source)
