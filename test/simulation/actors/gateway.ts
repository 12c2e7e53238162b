import type { Connection } from '../../../src/gateway/websocket/connection.js'
import { WebSocketFront } from '../../../src/gateway/websocket/web-socket-front.js'
import { createRelays, type Relays } from '../../../src/gateway/coalescing/relays.js'
import { resourceOf, withoutQuery } from '../../../src/gateway/server/request.js'
import { currentClock } from '../../../src/base/time/clock.js'
import type { ConsumerRecord } from '../invariants/consumer-record.js'
import { ConsumerLedger } from '../invariants/consumers.js'
import { Ledger } from '../invariants/ledger.js'
import { problemOfState } from '../invariants/state-rules.js'
import { GatewaySocket } from '../world/gateway-socket.js'
import type { Respond } from '../world/http-transport.js'
import type { Link } from '../world/network.js'
import type { PriceLog } from '../world/price-log.js'
import { SimulatedProcess } from '../world/process.js'
import type { ServerHandler, ServerSocket, Upgrade } from '../world/web-socket-transport.js'
import type { World } from '../world/world.js'
import { connectTo, type ClientPlan, type ConnectedClient } from './connect.js'
import { GatewayMachine, type GatewayProgram } from './machine.js'
import { observePrices } from './observe-prices.js'
import type { Server } from './service.js'

export interface GatewayPlan extends ClientPlan {
  /** What it is a gateway of: the service, or the gateway with this index. */
  readonly upstream: 'service' | number
  readonly maxBufferedBytes: number
  readonly maxTopicsPerConnection: number
}

/** What all gateways of a simulation share. */
export interface GatewaySurroundings {
  readonly world: World
  readonly prices: PriceLog
  /** Called with each violation. */
  readonly report: (who: string, problem: string) => void
  /** True if nothing has failed for so long that everything has recovered. */
  readonly isRecovered: () => boolean
}

/** A machine with a gateway for clients over WebSockets. */
export class Gateway extends GatewayMachine<GatewayProcess> implements Server {
  constructor(
    index: number,
    plan: GatewayPlan,
    private readonly link: Link,
    upstream: Server,
    surroundings: GatewaySurroundings,
  ) {
    const create = (name: string): GatewayProcess =>
      new GatewayProcess(name, plan, link, upstream, surroundings)
    super(index, surroundings.world, create, surroundings.report)
  }

  /** The process dies; its kernel ends the connections. */
  kill(): void {
    this.current.process.kill()
    this.current.abandonConsumers()
    for (const connection of [...this.link.connections]) connection.end('client')
  }

  readonly onUpgrade = (upgrade: Upgrade): void => this.current.onUpgrade(upgrade)

  readonly onDepthRequest = (path: string, respond: Respond): void =>
    this.current.onDepthRequest(path, respond)
}

/** One process of a gateway: the library's own client, and what `startGateway` makes of it but for `node:http` and `ws`. */
class GatewayProcess implements GatewayProgram {
  readonly process: SimulatedProcess
  readonly ledger: Ledger
  private readonly consumers: ConsumerLedger
  private readonly sockets = new Set<ServerSocket>()
  private readonly connected: ConnectedClient
  private readonly front: WebSocketFront
  private readonly relays: Relays
  private isClosing = false

  constructor(
    readonly name: string,
    plan: GatewayPlan,
    link: Link,
    upstream: Server,
    private readonly surroundings: GatewaySurroundings,
  ) {
    const { world, prices, isRecovered } = surroundings
    const onException = (thrown: unknown): void => this.report(`an exception: ${String(thrown)}`)
    this.process = new SimulatedProcess(name, world, plan.clockError, onException, () => this.check())
    this.ledger = new Ledger(name, world, this.process, plan.times, prices)
    this.consumers = new ConsumerLedger(this.ledger, plan, (problem) => this.report(problem), isRecovered)
    this.connected = connectTo(upstream)(plan, this.process, link, this.ledger)
    const { client } = this.connected
    observePrices(client, this.ledger, {
      report: (problem) => this.report(problem),
      onEvent: (base, event) => this.consumers.onSourceEvent(base, event),
    })
    const { front, relays } = this.process.enter(() => {
      const config = {
        ...{ clock: currentClock(), service: 'svc', report: () => undefined },
        ...{ maxConnections: 100, depthEvery: 250 },
        ...{ maxTopicsPerConnection: plan.maxTopicsPerConnection, maxBufferedBytes: plan.maxBufferedBytes },
      }
      return { front: new WebSocketFront(client, config), relays: createRelays(client, config) }
    })
    this.front = front
    this.relays = relays
  }

  get isIdle(): boolean {
    const { process, connected, sockets } = this
    return process.pendingTimers + connected.sockets() + connected.requests() + sockets.size === 0
  }

  /** What a gateway without consumers still has. */
  remains(): string {
    const { process, connected, sockets } = this
    const upstream = `${connected.sockets()} sockets, ${connected.requests()} requests`
    return `there are ${process.pendingTimers} timers, ${upstream}, ${sockets.size} consumers`
  }

  onUpgrade(upgrade: Upgrade): void {
    // Its port is closed.
    if (this.isClosing) return
    const reason = this.front.refusal()
    if (reason === undefined) return upgrade.accept((server) => this.accept(server))
    upgrade.refuse({ status: 503, headers: {} })
  }

  onDepthRequest(path: string, respond: Respond): void {
    const resource = resourceOf(withoutQuery(path))
    if (resource === undefined) throw new Error(`no resource: ${path}`)
    const task = this.relays.respond(resource, { consumer: respond, group: 'consumers' })
    task(({ status, body }) => respond({ status, headers: {}, body }))
  }

  abandonConsumers(): void {
    for (const socket of this.sockets) socket.abandon()
  }

  close(onClosed: () => void): void {
    this.process.run(() => {
      this.isClosing = this.consumers.isClosing = true
      const closed = this.front.close()
      this.relays.close()
      void closed.then(() => this.connected.client.close()).then(onClosed)
    })
  }

  /** The invariants, as they must hold after each turn of the process and each second. */
  check(): void {
    if (this.process.isDead || this.process.isStopped) return
    const problem = problemOfState(this.ledger) ?? this.consumers.problem()
    if (problem !== undefined) this.report(problem)
  }

  private accept(server: ServerSocket): ServerHandler {
    const record = this.consumers.open(server)
    this.sockets.add(server)
    this.ledger.programs = Math.max(this.ledger.programs, this.sockets.size)
    const socket = new GatewaySocket(this.process, server, observerOf(record), () => {
      record.onEnd()
      this.consumers.close(record)
      this.sockets.delete(server)
      this.front.onClosed(connection)
    })
    const connection = this.front.accept(socket, socket)
    return handlerOf(record, socket, connection)
  }

  private report(problem: string): void {
    this.surroundings.report(this.name, problem)
  }
}

const observerOf = (record: ConsumerRecord) => ({
  onText: (frame: string) => record.onFrame(frame),
  onPing: (payload: string) => record.onPing(payload),
  onClose: (code: number, reason: string) => record.onClose(code, reason),
  onEnd: () => record.onEnd(),
})

const handlerOf = (record: ConsumerRecord, socket: GatewaySocket, connection: Connection): ServerHandler => ({
  onText: (frame) => {
    socket.framesRead++
    record.onMessage(frame)
    connection.onText(frame)
  },
  onPing: (payload) => connection.onPing(Buffer.from(payload)),
  onPong: (payload) => {
    record.onPong(payload)
    connection.onPong(payload)
  },
  onClosed: () => socket.closed(),
})
