import { ServerMachine } from '../actors/server-machine.js'
import type { ServerHandler, ServerSocket, Upgrade } from '../world/web-socket-transport.js'
import type { World } from '../world/world.js'
import type { LineBehaviour } from './line-scenario.js'

/** A price of the market: `id` is the price itself, in USD. Later prices are greater. */
export interface MarketPrice {
  readonly id: number
  readonly base: string
  readonly publishedAt: number
  /** When the next price of the topic was published; `Infinity` before. In ms. */
  replacedAt: number
  /** The next price of the topic. */
  next: MarketPrice | undefined
  isRepeated: boolean
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
    /** The part of the prices that repeat the previous one. */
    private readonly repeats = 0,
  ) {
    for (const [base, interval] of intervals) this.schedule(base, interval)
  }

  private schedule(base: string, interval: number): void {
    const { world } = this
    world.at(world.now + world.between(Math.ceil(interval / 2), Math.ceil(interval * 1.5)), () => {
      if (this.repeats > 0 && world.random() < this.repeats) this.repeat(base)
      else this.publish(base)
      this.schedule(base, interval)
    })
  }

  private repeat(base: string): void {
    const newest = this.newest.get(base)
    if (newest === undefined) return
    newest.isRepeated = true
    for (const service of this.services) service.publish(newest)
  }

  private publish(base: string): void {
    const { now } = this.world
    const price = {
      id: ++this.lastId,
      base,
      publishedAt: now,
      replacedAt: Infinity,
      next: undefined,
      isRepeated: false,
    }
    const previous = this.newest.get(base)
    if (previous !== undefined) Object.assign(previous, { replacedAt: now, next: price })
    this.newest.set(base, price)
    this.byId.set(price.id, price)
    for (const service of this.services) service.publish(price)
  }
}

/** An answer has arrived after this time, unless the network holds it for longer. In ms. */
const longestWayMs = 30_000

const correct: LineBehaviour = {
  ...{ sendsPrices: true, sendsPongs: true, confirmations: 'all', ignoresUnsubscribe: false },
  ...{ answersUnsubscribe: true, appendsQuote: false, sendsGarbage: false, rejects: 'none' },
  ...{ refuses: false, msPerMessage: 0 },
}

/** One of several services with the same prices. */
export class LineService extends ServerMachine<LineConnection> {
  isDraining = false
  behaviour: LineBehaviour
  private hasAccepted = false
  private firstAnswerAt = Infinity

  /** `differences`: from a correct service, all the time. */
  constructor(
    name: string,
    world: World,
    readonly differences: Partial<LineBehaviour> = {},
  ) {
    super(name, world)
    this.behaviour = { ...correct, ...differences }
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
      const { behaviour } = this
      if (!behaviour.sendsPrices) return
      for (const { topics, socket } of this.connections) {
        const topic = topics.get(base)
        if (topic === undefined) continue
        socket.sendText(`{"topic":"${this.echo(topic)}","price":${id}}`)
        if (behaviour.sendsGarbage) socket.sendText(`{"topic":"${topic}","price":"?"}`)
      }
    })
  }

  behave(change: Partial<LineBehaviour>): void {
    this.behaviour = { ...this.behaviour, ...change }
  }

  /** Ends `behave`. */
  behaveAgain(names: readonly string[]): void {
    const before = Object.entries({ ...correct, ...this.differences }).filter(([name]) =>
      names.includes(name),
    )
    this.behave(Object.fromEntries(before))
  }

  /** True if it has accepted a connection, and the client may have no answer to a probe. */
  get isUnproven(): boolean {
    return this.hasAccepted && this.world.now < this.firstAnswerAt + longestWayMs
  }

  /** A probe is answered. */
  onAnswer(): void {
    this.firstAnswerAt = Math.min(this.firstAnswerAt, this.world.now)
  }

  onMessage(): void {
    this.host.process?.block(this.behaviour.msPerMessage)
  }

  /** The number of connections that have the topic. */
  carries(base: string): number {
    return [...this.connections].filter(({ topics }) => topics.has(base)).length
  }

  echo(topic: string): string {
    return this.behaviour.appendsQuote ? `${topic}-0xdef` : topic
  }

  readonly onUpgrade = (upgrade: Upgrade): void => {
    this.host.process?.block(this.behaviour.msPerMessage)
    if (this.isDraining) return upgrade.refuse({ status: 503, headers: {} })
    if (this.behaviour.refuses) return upgrade.refuse({ status: 503, headers: { 'retry-after': '7' } })
    this.hasAccepted = true
    upgrade.accept((socket) => {
      const connection = new LineConnection(socket, this, () => this.connections.delete(connection))
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
    private readonly service: LineService,
    readonly onClosed: () => void,
  ) {}

  onText(frame: string): void {
    const { service } = this
    service.onMessage()
    const { ignoresUnsubscribe, answersUnsubscribe, rejects } = service.behaviour
    const { method, topic } = JSON.parse(frame) as { readonly method: string; readonly topic: string }
    const base = topic.slice(topic.indexOf('0x'))
    if (method === 'unsubscribe') {
      if (!ignoresUnsubscribe) this.topics.delete(base)
      if (answersUnsubscribe) this.confirm()
      return
    }
    if (rejects !== 'none' && Number.parseInt(base.slice(-1), 16) % 2 === 0)
      return this.socket.sendText(`Invalid tuple${rejects === 'named' ? `: ${base}` : ''}`)
    // The probe of a page.
    if (this.topics.has(base) && service.behaviour.confirmations !== 'none') service.onAnswer()
    this.topics.set(base, topic)
    this.confirm(topic)
  }

  onPing(payload: string): void {
    this.service.onMessage()
    if (!this.service.behaviour.sendsPongs) return
    this.service.onAnswer()
    this.socket.sendPong(payload)
  }

  private confirm(newTopic?: string): void {
    const { service } = this
    const { confirmations } = service.behaviour
    if (confirmations === 'none') return
    const all = [...this.topics.values()].map((topic) => service.echo(topic))
    const added = newTopic === undefined ? [] : [newTopic]
    const subscriptions = confirmations === 'new' ? added : all
    this.socket.sendText(JSON.stringify({ subscriptions }))
  }
}
