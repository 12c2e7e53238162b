import { isMatch, type Publication } from '../world/nats-protocol.js'
import type { Connection, Link } from '../world/network.js'
import type { SimulatedProcess, Timer } from '../world/process.js'
import type { NatsServer, NatsSettings } from './nats-server.js'
import { WriteDeadline } from './write-deadline.js'

/** Another server of the cluster, and the network between both. */
export interface Peer {
  readonly server: NatsServer
  readonly link: Link
}

/** Receives what the routes bring. */
export interface RoutesListener {
  /** A client of another server has published a message. It is not forwarded again: each server has a route to all others. */
  readonly onMessage: (message: Publication) => void
  readonly onServersChanged: () => void
}

/** The time between two attempts to open a route, and the limit of one attempt, in ms. */
const reconnectTime = 1_000
const dialTime = 1_000

/** The size of a message without its payload, in bytes. */
const headerBytes = 64

/** The routes of one process of a server. If two servers dial each other, the dial of the lower port succeeds. */
export class NatsRoutes {
  private readonly routes = new Set<Route>()
  private readonly dials = new Map<NatsServer, Connection | undefined>()
  /** How many subscriptions of own clients have each subject. */
  private readonly interests = new Map<string, number>()

  constructor(
    private readonly server: NatsServer,
    private readonly process: SimulatedProcess,
    private readonly settings: NatsSettings,
    private readonly peers: readonly Peer[],
    private readonly listener: RoutesListener,
  ) {
    for (const peer of peers) process.run(() => this.dial(peer))
  }

  /** The servers to which there is a route. */
  get servers(): readonly NatsServer[] {
    return [...new Set([...this.routes].map(({ peer }) => peer))]
  }

  addInterest(subject: string): void {
    const count = this.interests.get(subject) ?? 0
    this.interests.set(subject, count + 1)
    if (count === 0) for (const route of this.routes) route.sendInterest([subject])
  }

  removeInterest(subject: string): void {
    const count = this.interests.get(subject) ?? 0
    if (count > 1) return void this.interests.set(subject, count - 1)
    this.interests.delete(subject)
    for (const route of this.routes) route.sendDisinterest(subject)
  }

  /** Returns true if the message is sent to another server. */
  forward(message: Publication): boolean {
    const routes = [...this.routes].filter((route) => route.isInterestedIn(message.subject))
    for (const route of routes) route.sendMessage(message)
    return routes.length > 0
  }

  /** The process dies; its kernel ends the connections. */
  endAll(): void {
    for (const route of this.routes) route.endConnection()
    for (const connection of this.dials.values()) connection?.end('client')
  }

  /** `server`: the one that has dialled. `other`: its end of the route. */
  accept(server: NatsServer, connection: Connection, other: Route): void {
    const isKnown = [...this.routes].some(({ process }) => process === connection.client)
    // Both have dialled.
    const isWorse = this.dials.has(server) && this.server.port < server.port
    if (isKnown || isWorse) return connection.end('server')
    const route = this.createRoute(server, connection, 'server')
    connection.onEnd.server = () => this.remove(route)
    Route.join(route, other)
    this.add(route)
    route.sendAccepted()
  }

  /** The route is open. */
  add(route: Route): void {
    this.dials.delete(route.peer)
    this.routes.add(route)
    route.start()
    route.sendInterest([...this.interests.keys()])
    this.listener.onServersChanged()
  }

  remove(route: Route): void {
    if (!this.routes.delete(route)) return
    route.stop()
    this.listener.onServersChanged()
    this.dialLater(route.peer)
  }

  onMessage(message: Publication): void {
    this.listener.onMessage(message)
  }

  private dial(peer: Peer): void {
    const { server, link } = peer
    if (this.dials.has(server) || this.servers.includes(server)) return
    let connection: Connection | undefined
    const fail = (): void => {
      this.process.clear(timer)
      if (this.dials.get(server) !== connection || !this.dials.delete(server)) return
      connection?.end('client')
      this.dialLater(server)
    }
    const timer = this.process.addTimer(fail, dialTime, false)
    this.dials.set(server, undefined)
    link.connect(this.process, server.host, (result) => {
      if (typeof result === 'string') return fail()
      if (!timer.isPending) return result.end('client')
      connection = result
      this.dials.set(server, result)
      const route = this.createRoute(server, result, 'client')
      result.onEnd.client = () => (this.routes.has(route) ? this.remove(route) : fail())
      result.up.send(headerBytes, () => server.routes.accept(this.server, result, route))
    })
  }

  private dialLater(server: NatsServer): void {
    const peer = this.peers.find((each) => each.server === server)!
    this.process.addTimer(() => this.dial(peer), reconnectTime, false)
  }

  private createRoute(peer: NatsServer, connection: Connection, end: 'client' | 'server'): Route {
    return new Route(this, peer, connection, end, this.process, this.settings)
  }
}

/** One server's end of a route. */
class Route {
  /** The process of the other server. */
  readonly process: SimulatedProcess
  /** What clients of the other server are subscribed to. */
  private readonly subjects = new Set<string>()
  private other: Route | undefined
  private unansweredPings = 0
  private pings: Timer | undefined
  private readonly deadline: WriteDeadline

  constructor(
    private readonly owner: NatsRoutes,
    readonly peer: NatsServer,
    private readonly connection: Connection,
    private readonly end: 'client' | 'server',
    private readonly ownProcess: SimulatedProcess,
    private readonly settings: NatsSettings,
  ) {
    this.process = end === 'client' ? connection.server : connection.client
    this.deadline = new WriteDeadline(ownProcess, settings.write_deadline, this.pipe, () => this.close())
  }

  /** Both ends of one route. */
  static join(one: Route, other: Route): void {
    one.other = other
    other.other = one
  }

  isInterestedIn(subject: string): boolean {
    for (const pattern of this.subjects) if (isMatch(pattern, subject)) return true
    return false
  }

  start(): void {
    this.pings = this.ownProcess.addTimer(() => this.ping(), this.settings.ping_interval, true)
  }

  stop(): void {
    this.ownProcess.clear(this.pings)
    this.deadline.stop()
  }

  sendAccepted(): void {
    this.send(0, (other) => other.owner.add(other))
  }

  sendInterest(subjects: readonly string[]): void {
    this.send(subjects.length * headerBytes, ({ subjects: known }) =>
      subjects.forEach((each) => known.add(each)),
    )
  }

  sendDisinterest(subject: string): void {
    this.send(0, (other) => other.subjects.delete(subject))
  }

  sendMessage(message: Publication): void {
    this.send(message.payload.length, ({ owner }) => owner.onMessage(message))
  }

  endConnection(): void {
    this.connection.end(this.end)
  }

  private get pipe(): Connection['up'] {
    return this.end === 'client' ? this.connection.up : this.connection.down
  }

  /** `read`: called in the process of the other server, with its end. */
  private send(bytes: number, read: (other: Route) => void): void {
    const { other } = this
    if (other === undefined) return
    this.pipe.send(headerBytes + bytes, () => read(other))
    this.deadline.onWritten(headerBytes + bytes)
  }

  private ping(): void {
    if (++this.unansweredPings > this.settings.ping_max) return this.close()
    this.send(0, (other) => other.send(0, (own) => (own.unansweredPings = 0)))
  }

  private close(): void {
    this.endConnection()
    this.owner.remove(this)
  }
}
