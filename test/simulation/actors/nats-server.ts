import { isMatch, isValidPattern, CommandReader, messageOf } from '../world/nats-protocol.js'
import type { ClientCommand, ConnectOptions, Publication } from '../world/nats-protocol.js'
import type { Host } from '../world/network.js'
import { SimulatedProcess, type Timer } from '../world/process.js'
import type { ServerTcpSocket, TcpHandler, TcpServer } from '../world/tcp.js'
import type { World } from '../world/world.js'

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

/** The settings of docs/guides/scale.md, and the defaults of NATS. */
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

/** A NATS server without a cluster, which can be stopped, killed, switched off and started again. */
export class NatsServer implements TcpServer {
  readonly host: Host = { process: undefined, isOn: true }
  /** The part of the messages that are lost, and of which: those between two servers of a cluster may be. */
  loss: MessageLoss = { share: 0, of: 'all' }
  /** Called in the process of a client with each message that it reads. Default: nothing. */
  onRead: (reader: SimulatedProcess, message: Publication) => void = () => undefined
  private connections = new Set<NatsConnection>()
  private lastClient = 0

  constructor(
    private readonly world: World,
    readonly settings: NatsSettings = usualSettings,
  ) {
    this.start()
  }

  get process(): SimulatedProcess {
    return this.host.process!
  }

  start(): void {
    const process = new SimulatedProcess('nats', this.world, 0, (thrown) => {
      throw thrown
    })
    this.host.process = process
    this.host.isOn = true
    this.connections = new Set()
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

  /** Sends a message to each subscription that matches, or informs its sender that there is none. */
  publish(sender: NatsConnection, message: Publication): void {
    let isDelivered = false
    for (const connection of [...this.connections])
      if (connection.deliver(sender, message)) isDelivered = true
    if (!isDelivered && message.reply !== undefined) sender.informOfNoResponders(message.reply)
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
}

interface Subscription {
  readonly subject: string
  /** The number of messages after which it ends; 0: it does not end. */
  max: number
  delivered: number
}

/** The server's end of the connection of one client. */
class NatsConnection implements TcpHandler {
  private readonly subscriptions = new Map<string, Subscription>()
  private readonly reader: CommandReader
  private options: ConnectOptions | undefined
  private user: NatsUser | undefined
  private readonly pings: Timer
  private unansweredPings = 0
  private readonly process: SimulatedProcess
  private isOpen = true
  /** All that was written, and the timer of the oldest write that the kernel has not taken. */
  private writtenBytes = 0
  private writeTimer: Timer | undefined

  constructor(
    client: number,
    private readonly server: NatsServer,
    readonly socket: ServerTcpSocket,
  ) {
    const { max_payload, ping_interval, users } = server.settings
    this.reader = new CommandReader(max_payload)
    this.process = server.process
    this.pings = this.process.addTimer(() => this.ping(), ping_interval, true)
    const version = { server_id: 'SIMULATED', server_name: 'SIMULATED', version: '2.9.10', proto: 1 }
    const auth = users.length > 0 ? { auth_required: true } : {}
    const info = { ...version, headers: true, max_payload, client_id: client, ...auth }
    this.write(`INFO ${JSON.stringify(info)} \r\n`)
  }

  onData(bytes: Uint8Array): void {
    this.reader.add(bytes)
    while (this.isOpen) {
      const command = this.reader.next()
      if (command === undefined) return
      this.unansweredPings = 0
      if (typeof command === 'string') this.fail(command)
      else this.handle(command)
    }
  }

  onClosed(): void {
    this.isOpen = false
    this.process.clear(this.pings)
    this.process.clear(this.writeTimer)
    this.server.remove(this)
  }

  /** Returns true if a subscription receives the message. */
  deliver(sender: NatsConnection, message: Publication): boolean {
    if (sender === this && this.options?.echo === false) return false
    let isDelivered = false
    for (const [sid, subscription] of [...this.subscriptions]) {
      if (!isMatch(subscription.subject, message.subject)) continue
      isDelivered = true
      if (++subscription.delivered === subscription.max) this.subscriptions.delete(sid)
      if (this.server.isLost(message)) continue
      this.write(messageOf(message, sid), () => this.server.onRead(this.socket.clientProcess, message))
    }
    return isDelivered
  }

  isSubscribed(process: SimulatedProcess, subject: string): boolean {
    if (this.socket.clientProcess !== process) return false
    return [...this.subscriptions.values()].some((each) => isMatch(each.subject, subject))
  }

  informOfNoResponders(reply: string): void {
    if (this.options?.no_responders !== true || this.options.headers !== true) return
    const entry = [...this.subscriptions].find(([, { subject }]) => isMatch(subject, reply))
    if (entry === undefined) return
    const payload = Buffer.from('NATS/1.0 503\r\n\r\n')
    const message = { subject: reply, reply: undefined, headerBytes: payload.length, payload }
    this.write(messageOf(message, entry[0]))
  }

  private handle(command: ClientCommand): void {
    const { users } = this.server.settings
    if (users.length > 0 && this.user === undefined && command.type !== 'connect')
      return this.fail('Authorization Violation')
    switch (command.type) {
      case 'connect': {
        const { user, pass } = command.options
        this.options = command.options
        this.user = users.find((each) => each.user === user && each.pass === pass)
        if (users.length > 0 && this.user === undefined) this.fail('Authorization Violation')
        return
      }
      case 'ping':
        return this.write('PONG\r\n')
      case 'pong':
        return
      case 'sub':
        return this.subscribe(command.subject, command.sid)
      case 'unsub':
        return this.unsubscribe(command.sid, command.max)
      case 'pub':
        if (!mayUse(this.user?.publish, command.subject))
          return this.refuse(`Permissions Violation for Publish to "${command.subject}"`)
        return this.server.publish(this, command)
    }
  }

  private subscribe(subject: string, sid: string): void {
    if (!isValidPattern(subject)) return this.refuse('Invalid Subject')
    if (!mayUse(this.user?.subscribe, subject))
      return this.refuse(`Permissions Violation for Subscription to "${subject}"`)
    if (!this.subscriptions.has(sid)) this.subscriptions.set(sid, { subject, max: 0, delivered: 0 })
  }

  private unsubscribe(sid: string, max: number): void {
    const subscription = this.subscriptions.get(sid)
    if (subscription === undefined) return
    if (max > subscription.delivered) subscription.max = max
    else this.subscriptions.delete(sid)
  }

  private ping(): void {
    if (++this.unansweredPings > this.server.settings.ping_max) return this.fail('Stale Connection')
    this.write('PING\r\n')
  }

  private refuse(reason: string): void {
    this.write(`-ERR '${reason}'\r\n`)
  }

  private fail(reason: string): void {
    this.refuse(reason)
    this.end()
  }

  private end(): void {
    if (!this.isOpen) return
    this.onClosed()
    this.socket.end()
  }

  private write(data: string | Uint8Array, onRead?: () => void): void {
    if (!this.isOpen) return
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    this.writtenBytes += bytes.length
    this.socket.write(bytes, onRead)
    const { unsentBytes } = this.socket
    if (unsentBytes > this.server.settings.max_pending) return this.end()
    if (unsentBytes > 0 && this.writeTimer === undefined) this.startDeadline()
  }

  /** What waits now must be taken by the kernel before the deadline: the client may be slow, but not too slow. */
  private startDeadline(): void {
    const { writtenBytes } = this
    const { process, server } = this
    const check = (): void => {
      this.writeTimer = undefined
      const { unsentBytes } = this.socket
      if (this.writtenBytes - unsentBytes < writtenBytes) this.end()
      else if (unsentBytes > 0) this.startDeadline()
    }
    this.writeTimer = process.addTimer(check, server.settings.write_deadline, false)
  }
}

const mayUse = (allowed: readonly string[] | undefined, subject: string): boolean =>
  allowed === undefined || allowed.some((pattern) => isMatch(pattern, subject))
