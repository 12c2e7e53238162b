import { ServerMachine } from '../actors/server-machine.js'
import type { ServerHandler, ServerSocket, Upgrade } from '../world/web-socket-transport.js'
import type { World } from '../world/world.js'

/** A price of the market: `id` is the price itself, in USD. Later prices are greater. */
export interface MarketPrice {
  readonly id: number
  readonly base: string
  readonly publishedAt: number
  /** When the next price of the topic was published; `Infinity` before. In ms. */
  replacedAt: number
  /** The next price of the topic. */
  next: MarketPrice | undefined
}

/** The prices of all topics. Each service has each of them at the time at which it is published. */
export class Market {
  readonly byId = new Map<number, MarketPrice>()
  readonly newest = new Map<string, MarketPrice>()
  readonly services: LineService[] = []
  private lastId = 0

  /** `intervals`: the mean time between two prices of each topic, in ms. */
  constructor(
    private readonly world: World,
    intervals: ReadonlyMap<string, number>,
  ) {
    for (const [base, interval] of intervals) this.schedule(base, interval)
  }

  private schedule(base: string, interval: number): void {
    const { world } = this
    world.at(world.now + world.between(Math.ceil(interval / 2), Math.ceil(interval * 1.5)), () => {
      this.publish(base)
      this.schedule(base, interval)
    })
  }

  private publish(base: string): void {
    const { now } = this.world
    const price = { id: ++this.lastId, base, publishedAt: now, replacedAt: Infinity, next: undefined }
    const previous = this.newest.get(base)
    if (previous !== undefined) Object.assign(previous, { replacedAt: now, next: price })
    this.newest.set(base, price)
    this.byId.set(price.id, price)
    for (const service of this.services) service.publish(price)
  }
}

/** One of several services with the same prices. */
export class LineService extends ServerMachine<LineConnection> {
  sendsPrices = true
  isDraining = false

  constructor(name: string, world: World) {
    super(name, world)
    this.start()
  }

  start(): void {
    this.startProcess()
    this.isDraining = false
  }

  /** Announces that it will close its connections, and accepts no others. */
  drain(): void {
    this.isDraining = true
    for (const { socket } of this.connections) socket.sendText('{"notice":"draining"}')
  }

  /** A price of the market. A process that is stopped sends it when it continues, before it answers later pings. */
  publish({ id, base }: MarketPrice): void {
    this.host.process?.receive({}, () => {
      if (!this.sendsPrices) return
      for (const { topics, socket } of this.connections) {
        const topic = topics.get(base)
        if (topic !== undefined) socket.sendText(`{"topic":"${topic}","price":${id}}`)
      }
    })
  }

  readonly onUpgrade = (upgrade: Upgrade): void => {
    if (this.isDraining) return upgrade.refuse({ status: 503, headers: {} })
    upgrade.accept((socket) => {
      const connection = new LineConnection(socket, () => this.connections.delete(connection))
      this.connections.add(connection)
      return connection
    })
  }
}

class LineConnection implements ServerHandler {
  /** The names of the topics, by base address. */
  readonly topics = new Map<string, string>()

  constructor(
    readonly socket: ServerSocket,
    readonly onClosed: () => void,
  ) {}

  onText(frame: string): void {
    const { method, topic } = JSON.parse(frame) as { readonly method: string; readonly topic: string }
    const base = topic.slice(topic.indexOf('0x'))
    if (method === 'unsubscribe') this.topics.delete(base)
    else this.topics.set(base, topic)
    this.socket.sendText(JSON.stringify({ subscriptions: [...this.topics.values()] }))
  }

  onPing(payload: string): void {
    this.socket.sendPong(payload)
  }
}
