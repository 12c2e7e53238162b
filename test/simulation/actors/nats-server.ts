import type { Publication } from '../world/nats-protocol.js'
import type { Host } from '../world/network.js'
import { SimulatedProcess } from '../world/process.js'
import type { ServerTcpSocket, TcpHandler, TcpServer } from '../world/tcp.js'
import type { World } from '../world/world.js'
import { NatsConnection } from './nats-connection.js'
import { NatsRoutes, type Peer } from './nats-routes.js'

/** What a user may publish and subscribe to. */
export interface NatsUser {
  readonly user: string
  readonly pass: string
  readonly publish: readonly string[]
  readonly subscribe: readonly string[]
}

/** The settings of a server, by the names of its configuration file. Times are in ms, sizes in bytes. */
export interface NatsSettings {
  readonly max_payload: number
  /** The server closes a connection for which more bytes wait. */
  readonly max_pending: number
  /** The server closes a connection that does not take what it writes for so long. */
  readonly write_deadline: number
  readonly ping_interval: number
  /** The server closes a connection after so many pings without an answer. */
  readonly ping_max: number
  /** Without users, everybody may do everything. */
  readonly users: readonly NatsUser[]
}

/** The settings of docs/operate/many-machines.md, and the defaults of NATS. */
export const usualSettings: NatsSettings = {
  max_payload: 1_048_576,
  max_pending: 67_108_864,
  write_deadline: 2_000,
  ping_interval: 120_000,
  ping_max: 2,
  users: [],
}

/** The subscribe and unsubscribe messages of consumers, their other requests, the replies, and the updates of prices. */
type MessageKind = 'changes' | 'requests' | 'replies' | 'prices'

/** `share`: from 0 to 1. */
export interface MessageLoss {
  readonly share: number
  readonly of: MessageKind | 'all'
}

const kindOf = ({ subject, payload }: Publication): MessageKind => {
  if (subject.startsWith('svc.price.')) return 'prices'
  if (!subject.startsWith('svc.')) return 'replies'
  return payload.includes('subscribe"') ? 'changes' : 'requests'
}

/** A NATS server, alone or of a cluster, which can be stopped, killed, switched off and started again. */
export class NatsServer implements TcpServer {
  readonly host: Host = { process: undefined, isOn: true }
  /** The part of the messages that are lost, and of which: those between two servers of a cluster may be. */
  loss: MessageLoss = { share: 0, of: 'all' }
  /** Called in the process of a client with each message that it reads. Default: nothing. */
  onRead: (reader: SimulatedProcess, message: Publication) => void = () => undefined
  /** The streams on its disk. */
  /** Those of the current process. */
  routes!: NatsRoutes
  private connections = new Set<NatsConnection>()
  private lastClient = 0

  constructor(
    private readonly world: World,
    readonly port: number,
    readonly settings: NatsSettings,
    /** The other servers of its cluster. */
    private readonly peers: readonly Peer[],
  ) {}

  get process(): SimulatedProcess {
    return this.host.process!
  }

  start(): void {
    const { world, port, settings, peers } = this
    const process = new SimulatedProcess(`nats ${port}`, world, 0, (thrown) => {
      throw thrown
    })
    this.host.process = process
    this.host.isOn = true
    this.connections = new Set()
    this.routes = new NatsRoutes(this, process, settings, peers, {
      onMessage: (message) => void this.deliver(undefined, message),
      onServersChanged: () => this.connections.forEach((connection) => connection.informOfServers()),
    })
  }

  /** SIGSTOP. */
  stop(): void {
    this.process.stop()
  }

  /** SIGCONT. */
  continue(): void {
    this.process.continue()
  }

  /** The process dies; its kernel ends the connections. */
  kill(): void {
    this.process.kill()
    for (const { socket } of this.connections) socket.end()
    this.connections = new Set()
    this.routes.endAll()
  }

  /** The machine loses power. Its open connections are not closed. */
  switchOff(): void {
    this.process.kill()
    this.host.isOn = false
    this.connections = new Set()
  }

  readonly accept = (socket: ServerTcpSocket): TcpHandler => {
    const connection = new NatsConnection(++this.lastClient, this, socket)
    this.connections.add(connection)
    return connection
  }

  /** The servers of the cluster that it knows, as a client receives them; `undefined` if it belongs to none. */
  get connectUrls(): readonly string[] | undefined {
    if (this.peers.length === 0) return undefined
    return [this, ...this.routes.servers].map(({ port }) => `127.0.0.1:${port}`)
  }

  /** Sends a message to each subscription that matches, or informs its sender that there is none. */
  publish(sender: NatsConnection, message: Publication): void {
    const isDelivered = this.deliver(sender, message)
    const isForwarded = this.routes.forward(message)
    if (isDelivered || isForwarded || message.reply === undefined) return
    sender.informOfNoResponders(message.reply)
  }

  isLost(message: Publication): boolean {
    const { share, of } = this.loss
    if (share === 0 || (of !== 'all' && of !== kindOf(message))) return false
    return this.world.random() < share
  }

  /** True if a client in this process receives messages of a subject. */
  isSubscribed(process: SimulatedProcess, subject: string): boolean {
    return [...this.connections].some((each) => each.isSubscribed(process, subject))
  }

  remove(connection: NatsConnection): void {
    this.connections.delete(connection)
  }

  /** `sender`: `undefined` for a message of another server. */
  private deliver(sender: NatsConnection | undefined, message: Publication): boolean {
    let isDelivered = false
    for (const connection of [...this.connections])
      if (connection.deliver(sender, message)) isDelivered = true
    return isDelivered
  }
}
