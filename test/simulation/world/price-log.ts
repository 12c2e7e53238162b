import type { SimulatedSocket } from './web-socket-transport.js'

/** A price as a service has sent it over one connection. */
export interface SentPrice {
  /** The price itself, in USD: no two frames of a simulation have the same. */
  readonly id: number
  readonly base: string
  readonly socket: SimulatedSocket
  /** The number of prices of the topic that were sent over this connection before it. */
  readonly index: number
  /** In ms. */
  readonly sentAt: number
}

/** All prices that were sent: a price that a subscriber receives shows when and where it was sent. */
export class PriceLog {
  private readonly byId: SentPrice[] = []
  private readonly bySocket = new WeakMap<SimulatedSocket, Map<string, SentPrice[]>>()

  /** Returns the price that the service must send. */
  add(socket: SimulatedSocket, base: string, sentAt: number): number {
    const series = this.seriesOf(socket, base)
    const id = this.byId.length + 1
    const sent = { id, base, socket, index: series.length, sentAt }
    this.byId.push(sent)
    series.push(sent)
    return id
  }

  find(id: number): SentPrice | undefined {
    return this.byId[id - 1]
  }

  /** The price that replaced this one, if there is one. */
  next({ socket, base, index }: SentPrice): SentPrice | undefined {
    return this.seriesOf(socket, base)[index + 1]
  }

  private seriesOf(socket: SimulatedSocket, base: string): SentPrice[] {
    const topics = this.bySocket.get(socket) ?? new Map<string, SentPrice[]>()
    this.bySocket.set(socket, topics)
    const series = topics.get(base) ?? []
    topics.set(base, series)
    return series
  }
}
