import { isMatch, isValidPattern, CommandReader, messageOf } from '../world/nats-protocol.js'
import type { ClientCommand, ConnectOptions, Publication } from '../world/nats-protocol.js'
import type { SimulatedProcess, Timer } from '../world/process.js'
import type { ServerTcpSocket, TcpHandler } from '../world/tcp.js'
import type { NatsServer, NatsUser } from './nats-server.js'
import { WriteDeadline } from './write-deadline.js'

interface Subscription {
  readonly subject: string
  /** The number of messages after which it ends; 0: it does not end. */
  max: number
  delivered: number
}

/** The server's end of the connection of one client. */
export class NatsConnection implements TcpHandler {
  private readonly subscriptions = new Map<string, Subscription>()
  private readonly reader: CommandReader
  private options: ConnectOptions | undefined
  private user: NatsUser | undefined
  private readonly info: object
  private readonly pings: Timer
  private unansweredPings = 0
  private readonly process: SimulatedProcess
  private isOpen = true
  private readonly deadline: WriteDeadline
  /** The servers of the cluster that the client knows. */
  private knownServers = ''
  /** Until then, the client receives no further information of the server. */
  private hasPonged = false

  constructor(
    client: number,
    private readonly server: NatsServer,
    readonly socket: ServerTcpSocket,
  ) {
    const { max_payload, ping_interval, write_deadline, users } = server.settings
    this.reader = new CommandReader(max_payload)
    this.process = server.process
    this.pings = this.process.addTimer(() => this.ping(), ping_interval, true)
    this.deadline = new WriteDeadline(this.process, write_deadline, socket, () => this.end())
    const version = { server_id: 'SIMULATED', server_name: 'SIMULATED', version: '2.9.10', proto: 1 }
    const auth = users.length > 0 ? { auth_required: true } : {}
    this.info = { ...version, headers: true, max_payload, client_id: client, ...auth }
    this.sendInfo()
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
    this.deadline.stop()
    this.server.remove(this)
    for (const { subject } of this.subscriptions.values()) this.server.routes.removeInterest(subject)
  }

  /** The servers of the cluster have changed. */
  informOfServers(): void {
    if (this.hasPonged && (this.options?.protocol ?? 0) >= 1) this.sendInfo()
  }

  /** Returns true if a subscription receives the message. */
  deliver(sender: NatsConnection | undefined, message: Publication): boolean {
    if (sender === this && this.options?.echo === false) return false
    let isDelivered = false
    for (const [sid, subscription] of [...this.subscriptions]) {
      if (!isMatch(subscription.subject, message.subject)) continue
      isDelivered = true
      if (++subscription.delivered === subscription.max) this.endSubscription(sid)
      if (this.server.isLost(message)) continue
      this.write(messageOf(this.readable(message), sid), () =>
        this.server.onRead(this.socket.clientProcess, message),
      )
    }
    return isDelivered
  }

  isSubscribed(process: SimulatedProcess, subject: string): boolean {
    if (this.socket.clientProcess !== process) return false
    return [...this.subscriptions.values()].some((each) => isMatch(each.subject, subject))
  }

  /** A client without support for headers receives none. */
  private readable(message: Publication): Publication {
    const { headerBytes, payload } = message
    if (headerBytes === undefined || this.options?.headers === true) return message
    return { ...message, headerBytes: undefined, payload: payload.subarray(headerBytes) }
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
        return this.pong()
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
    if (this.subscriptions.has(sid)) return
    this.subscriptions.set(sid, { subject, max: 0, delivered: 0 })
    this.server.routes.addInterest(subject)
  }

  private unsubscribe(sid: string, max: number): void {
    const subscription = this.subscriptions.get(sid)
    if (subscription === undefined) return
    if (max > subscription.delivered) subscription.max = max
    else this.endSubscription(sid)
  }

  private endSubscription(sid: string): void {
    const subscription = this.subscriptions.get(sid)
    if (subscription === undefined) return
    this.subscriptions.delete(sid)
    this.server.routes.removeInterest(subscription.subject)
  }

  private sendInfo(): void {
    const urls = this.server.connectUrls
    this.knownServers = String(urls)
    const info = urls === undefined ? this.info : { ...this.info, connect_urls: urls }
    this.write(`INFO ${JSON.stringify(info)} \r\n`)
  }

  private pong(): void {
    this.write('PONG\r\n')
    if (this.hasPonged) return
    this.hasPonged = true
    if (this.knownServers !== String(this.server.connectUrls)) this.informOfServers()
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

  /** `onRead`: called in the process of the client before it reads. */
  private write(data: string | Uint8Array, onRead?: () => void): void {
    if (!this.isOpen) return
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    this.socket.write(bytes, onRead)
    if (this.socket.unsentBytes > this.server.settings.max_pending) return this.end()
    this.deadline.onWritten(bytes.length)
  }
}

const mayUse = (allowed: readonly string[] | undefined, subject: string): boolean =>
  allowed === undefined || allowed.some((pattern) => isMatch(pattern, subject))
