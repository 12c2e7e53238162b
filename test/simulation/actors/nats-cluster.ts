import { Link } from '../world/network.js'
import type { ServerAt } from '../world/tcp.js'
import type { SimulatedProcess } from '../world/process.js'
import type { World } from '../world/world.js'
import type { Peer } from './nats-routes.js'
import { NatsServer, usualSettings, type MessageLoss, type NatsSettings } from './nats-server.js'

/** The port of the first server. */
const firstPort = 4222

/** NATS servers with a route between each two, or a single one. */
export class NatsCluster {
  readonly servers: readonly NatsServer[]
  /** The networks of the routes: between the servers 0 and 1, 0 and 2, 1 and 2. */
  readonly links: readonly Link[]
  private readonly peers: readonly (readonly Peer[])[]

  constructor(world: World, size: number, settings: NatsSettings = usualSettings) {
    const peers: Peer[][] = Array.from({ length: size }, () => [])
    this.servers = peers.map((each, index) => new NatsServer(world, firstPort + index, settings, each))
    const pairs = this.servers.flatMap((one, index) =>
      this.servers.slice(index + 1).map((other) => [one, other] as const),
    )
    this.links = pairs.map(([one, other]) => {
      const link = new Link(world)
      peers[this.servers.indexOf(one)]!.push({ server: other, link })
      peers[this.servers.indexOf(other)]!.push({ server: one, link })
      return link
    })
    this.peers = peers
    for (const server of this.servers) server.start()
  }

  /** The networks of the routes of a server. */
  linksOf(index: number): readonly Link[] {
    return this.peers[index]!.map(({ link }) => link)
  }

  get isLossy(): boolean {
    return this.servers.some(({ loss }) => loss.share > 0)
  }

  set loss(loss: MessageLoss) {
    for (const server of this.servers) server.loss = loss
  }

  /** Called in the process of a client with each message that it reads. */
  set onRead(onRead: NatsServer['onRead']) {
    for (const server of this.servers) server.onRead = onRead
  }

  /** True if a client in this process receives messages of a subject. */
  isSubscribed(process: SimulatedProcess, subject: string): boolean {
    return this.servers.some((server) => server.isSubscribed(process, subject))
  }

  readonly serverAt: ServerAt = (port) => this.servers[port - firstPort]!

  /** The address of a server, for the option `servers`. */
  addressOf(index: number): string {
    return `nats://127.0.0.1:${this.servers[index]!.port}`
  }
}
