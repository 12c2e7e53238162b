import type { ResponseHead } from '../../../src/wire/transport/ports.js'
import type { Respond } from '../world/http-transport.js'
import type { Host } from '../world/network.js'
import type { PriceLog, SentPrice } from '../world/price-log.js'
import type { SimulatedProcess } from '../world/process.js'
import type { ServerHandler, ServerSocket, Upgrade } from '../world/web-socket-transport.js'
import type { World } from '../world/world.js'
import { ServerMachine } from './server-machine.js'

/** What a service does differently from a correct one. Faults change it while they last. */
export interface Behaviour {
  /** The time that each message takes the service, in ms. */
  msPerMessage: number
  /** The topics that a confirmation lists: all, the new one, or also one that nobody requested; `none`: it sends none. */
  confirmations: 'all' | 'new' | 'foreign' | 'none'
  /** A subscribe message is answered with a text that names no topic. */
  sendsErrorTexts: boolean
  /** A subscribe message of a topic with an even address is rejected by name. */
  rejects: boolean
  sendsPongs: boolean
  sendsPrices: boolean
  /** A topic stays subscribed when it is unsubscribed. */
  ignoresUnsubscribe: boolean
  /** Frames of all kinds that are no prices come with each price. */
  sendsGarbage: boolean
  /** Topics are sent in lower case, with a quote address. */
  appendsQuote: boolean
  /** The response to each upgrade request; `none`: it sends none. */
  refusal: ResponseHead | 'none' | undefined
  /** The response to each depth request; `none`: it sends none. */
  depthFailure: ResponseHead | 'none' | undefined
}

export const correct: Readonly<Behaviour> = {
  msPerMessage: 0,
  confirmations: 'all',
  sendsErrorTexts: false,
  rejects: false,
  sendsPongs: true,
  sendsPrices: true,
  ignoresUnsubscribe: false,
  sendsGarbage: false,
  appendsQuote: false,
  refusal: undefined,
  depthFailure: undefined,
}

/** The quote address that a service may append to a topic. */
const quote = '0xfeed'

/** A service closes a connection that is further behind, in bytes. */
const maxUnsentBytes = 1_048_576

const garbage = [
  '{"topic":"svc-0xab","price":-1}',
  '{',
  'Error: something internal',
  '{"subscriptions":["other-1"]}',
  '7',
]

const side = '{"total_quantity":9336472979533427000,"total_quantity_usd":25044.1}'
const depthBody = `{"price":2682.5,"timestamp":0,"buy":${side},"sell":${side}}`

interface Topic {
  readonly base: string
  /** As the client wrote it. */
  readonly name: string
}

/** What clients connect to. */
export interface Server {
  readonly host: Host
  readonly onUpgrade: (upgrade: Upgrade) => void
  readonly onDepthRequest: (path: string, respond: Respond) => void
}

/** The service: prices over WebSocket, depth over HTTP. It can be stopped, killed, switched off and started again. */
export class Service extends ServerMachine<ServiceConnection> implements Server {
  readonly behaviour: Behaviour = { ...correct }

  /** `intervals`: the mean time between two prices of each topic, by its base address, in ms. */
  constructor(
    world: World,
    private readonly prices: PriceLog,
    private readonly intervals: ReadonlyMap<string, number>,
  ) {
    super('service', world)
    this.start()
  }

  start(): void {
    const process = this.startProcess()
    for (const [base, interval] of this.intervals) this.schedulePrice(process, base, interval)
  }

  readonly onUpgrade = (upgrade: Upgrade): void => {
    this.host.process?.block(this.behaviour.msPerMessage)
    const { refusal } = this.behaviour
    if (refusal === 'none') return
    if (refusal !== undefined) return upgrade.refuse(refusal)
    upgrade.accept((socket) => {
      const connection = new ServiceConnection(socket, this, () => this.connections.delete(connection))
      this.connections.add(connection)
      return connection
    })
  }

  readonly onDepthRequest = (_path: string, respond: Respond): void => {
    this.host.process?.block(this.behaviour.msPerMessage)
    const { depthFailure } = this.behaviour
    if (depthFailure === 'none') return
    respond(
      depthFailure === undefined
        ? { status: 200, headers: {}, body: depthBody }
        : { ...depthFailure, body: 'unavailable' },
    )
  }

  /** Sends a price of a topic to each connection that has it. */
  sendPrice(base: string, count = 1): void {
    const { sendsPrices, sendsGarbage } = this.behaviour
    if (!sendsPrices) return
    for (const connection of this.connections) {
      if (sendsGarbage) connection.socket.sendText(garbage[this.world.between(0, garbage.length - 1)]!)
      for (let sent = 0; sent < count; sent++) connection.sendPrice(base)
    }
  }

  /** Logs a price. Returns it. */
  logPrice(socket: ServerSocket, base: string): SentPrice {
    return this.prices.add(socket.client, base, this.host.process?.now ?? this.world.now)
  }

  onMessage(): void {
    this.host.process?.block(this.behaviour.msPerMessage)
  }

  private schedulePrice(process: SimulatedProcess, base: string, interval: number): void {
    const delay = this.world.between(Math.ceil(interval / 2), Math.ceil(interval * 1.5))
    process.addTimer(
      () => {
        this.sendPrice(base)
        this.schedulePrice(process, base, interval)
      },
      delay,
      false,
    )
  }
}

/** The service's end of one WebSocket. Answers the messages in order. */
class ServiceConnection implements ServerHandler {
  private readonly topics = new Map<string, Topic>()
  /** The number of frames that the client has sent. */
  private frames = 0

  constructor(
    readonly socket: ServerSocket,
    private readonly service: Service,
    readonly onClosed: () => void,
  ) {}

  onText(frame: string): void {
    this.service.onMessage()
    const { behaviour } = this.service
    const answers = this.frames++
    const { method, topic } = JSON.parse(frame) as { readonly method: string; readonly topic: string }
    const base = topic.slice(topic.indexOf('0x')).toLowerCase()
    if (method === 'unsubscribe') {
      if (!behaviour.ignoresUnsubscribe) this.topics.delete(base)
      return this.confirm(answers)
    }
    if (behaviour.sendsErrorTexts) return this.socket.sendText('Error: internal', { answers })
    if (behaviour.rejects && Number.parseInt(base.slice(-1), 16) % 2 === 0)
      return this.socket.sendText(`Invalid (exchange, base, quote) tuple: ${base}`, { answers })
    this.topics.set(base, { base, name: topic })
    this.confirm(answers, topic)
  }

  onPing(payload: string): void {
    this.service.onMessage()
    if (this.service.behaviour.sendsPongs) this.socket.sendPong(payload)
  }

  sendPrice(base: string): void {
    const topic = this.topics.get(base)
    if (topic === undefined) return
    if (this.socket.unsentBytes > maxUnsentBytes) return this.socket.close(1013, 'too slow')
    const price = this.service.logPrice(this.socket, base)
    this.socket.sendText(`{"topic":"${this.echo(topic)}","price":${price.id}}`, { price })
  }

  private confirm(answers: number, newTopic?: string): void {
    const { confirmations } = this.service.behaviour
    const all = [...this.topics.values()].map((topic) => this.echo(topic))
    if (confirmations === 'none') return
    if (confirmations === 'new')
      return this.sendConfirmation(answers, newTopic === undefined ? [] : [newTopic])
    this.sendConfirmation(answers, confirmations === 'foreign' ? [...all, 'svc-0xdead'] : all)
  }

  private sendConfirmation(answers: number, subscriptions: readonly string[]): void {
    this.socket.sendText(JSON.stringify({ subscriptions }), { answers })
  }

  private echo({ base, name }: Topic): string {
    return this.service.behaviour.appendsQuote ? `svc-${base}-${quote}` : name
  }
}
