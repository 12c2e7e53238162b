import { isRight } from 'fp-ts/lib/Either.js'
import { behindMsOf, isDown } from '../../../src/base/domain/snapshot.js'
import { startNatsGatewayOver, type NatsGateway } from '../../../src/nats/publisher/start-nats-gateway.js'
import { endsLive } from '../invariants/consumers.js'
import { Ledger } from '../invariants/ledger.js'
import { problemOfTcp } from '../invariants/nats-client.js'
import { NatsDemand } from '../invariants/nats-demand.js'
import type { NatsPrices } from '../invariants/nats-prices.js'
import { problemOfState } from '../invariants/state-rules.js'
import type { Publication } from '../world/nats-protocol.js'
import type { Link } from '../world/network.js'
import { SimulatedProcess } from '../world/process.js'
import { SimulatedTcp } from '../world/tcp.js'
import { connectTo, natsAddresses, type ClientPlan, type ConnectedClient } from './connect.js'
import type { GatewaySurroundings } from './gateway.js'
import { GatewayMachine, type GatewayProgram } from './machine.js'
import type { NatsCluster } from './nats-cluster.js'
import { observePrices } from './observe-prices.js'
import type { Server } from './service.js'

/** What all gateways over NATS of a simulation share. */
export interface NatsSurroundings extends GatewaySurroundings {
  readonly service: Server
  readonly nats: NatsCluster
  readonly natsPrices: NatsPrices
  /** The number of clients over NATS. */
  readonly consumers: number
}

/** The links of a machine. */
export interface NatsGatewayLinks {
  readonly service: Link
  readonly nats: Link
}

/** A machine with a gateway of the service over NATS. */
export class NatsGatewayMachine extends GatewayMachine<NatsGatewayProcess> {
  private readonly nats: NatsCluster

  constructor(
    index: number,
    plan: ClientPlan,
    private readonly links: NatsGatewayLinks,
    surroundings: NatsSurroundings,
  ) {
    const create = (name: string): NatsGatewayProcess =>
      new NatsGatewayProcess(name, plan, links, surroundings)
    super(index, surroundings.world, create, surroundings.report)
    this.nats = surroundings.nats
  }

  /** A process reads a message of NATS. */
  onMessage(reader: SimulatedProcess, message: Publication): void {
    if (reader === this.current.process) this.current.onMessage(message)
  }

  /** True if the gateway is not closed, and does not receive the searches of consumers. */
  get isOffNats(): boolean {
    const { process, isClosing } = this.current
    return !isClosing && !this.nats.isSubscribed(process, 'svc.gateways')
  }

  /** The process dies; its kernel ends the connections. */
  kill(): void {
    this.current.process.kill()
    const { service, nats } = this.links
    for (const connection of [...service.connections, ...nats.connections]) connection.end('client')
  }
}

/**
 * A gateway answers each search for a gateway after a short wait. When it was stopped or cut off for 90 s, the searches of
 * all consumers arrive at once, two per second and consumer.
 */
const baseTimers = 1_000

/** One process: a client of the service, and `startNatsGateway`. */
class NatsGatewayProcess implements GatewayProgram {
  readonly process: SimulatedProcess
  readonly ledger: Ledger
  private readonly connected: ConnectedClient
  private readonly tcp: SimulatedTcp
  private readonly demand: NatsDemand
  private gateway: NatsGateway | undefined
  /** Called when the gateway is closed; `undefined` until it closes. */
  private onClosed: (() => void) | undefined

  constructor(
    readonly name: string,
    plan: ClientPlan,
    links: NatsGatewayLinks,
    private readonly surroundings: NatsSurroundings,
  ) {
    const { world, prices, service, nats, natsPrices, consumers } = surroundings
    const onException = (thrown: unknown): void => this.report(`an exception: ${String(thrown)}`)
    this.process = new SimulatedProcess(name, world, plan.clockError, onException, () => this.check())
    this.ledger = new Ledger(name, world, this.process, plan.times, prices)
    this.ledger.programs = Math.max(1, consumers)
    this.ledger.baseTimers = baseTimers
    this.demand = new NatsDemand(this.ledger)
    this.connected = connectTo(service)(plan, this.process, links.service, this.ledger)
    this.tcp = new SimulatedTcp(this.process, links.nats, nats.serverAt)
    const { client } = this.connected
    client.status$.subscribe((status) => {
      this.demand.onStatus(isDown(status) || behindMsOf(status) !== undefined)
    })
    observePrices(client, this.ledger, {
      report: (problem) => this.report(problem),
      onEvent: (base, event) => {
        this.demand.onSourceEvent(base, event)
        if (isRight(event)) natsPrices.onDelivered(this.ledger, event.right.price)
        else if (endsLive.has(event.left._tag)) natsPrices.onNotLive(this.ledger, base)
      },
    })
    this.process.run(() => {
      const options = { servers: natsAddresses(nats, plan) }
      startNatsGatewayOver(client, options, this.tcp.open).then(
        (gateway) => this.onStarted(gateway),
        (error: unknown) => this.report(`the gateway does not start: ${String(error)}`),
      )
    })
  }

  get isIdle(): boolean {
    const { process, connected, tcp } = this
    return process.pendingTimers + connected.sockets() + connected.requests() + tcp.size === 0
  }

  remains(): string {
    const { process, connected, tcp } = this
    const upstream = `${connected.sockets()} sockets, ${connected.requests()} requests`
    return `there are ${process.pendingTimers} timers, ${upstream}, ${tcp.size} sockets to NATS`
  }

  get isClosing(): boolean {
    return this.onClosed !== undefined
  }

  /** The process reads a message of NATS. */
  onMessage(message: Publication): void {
    this.demand.onMessage(message)
  }

  close(onClosed: () => void): void {
    this.process.run(() => {
      if (this.onClosed !== undefined) return
      this.onClosed = onClosed
      if (this.gateway !== undefined) this.closeStarted(this.gateway)
    })
  }

  /** The invariants, as they must hold after each turn of the process and each second. */
  check(): void {
    if (this.process.isDead || this.process.isStopped) return
    const ofDemand = this.isClosing ? undefined : this.demand.problem()
    const problem = problemOfState(this.ledger) ?? ofDemand ?? problemOfTcp(this.tcp)
    if (problem !== undefined) this.report(problem)
  }

  private onStarted(gateway: NatsGateway): void {
    this.gateway = gateway
    if (this.onClosed !== undefined) this.closeStarted(gateway)
  }

  private closeStarted(gateway: NatsGateway): void {
    void gateway
      .close()
      .then(() => this.connected.client.close())
      .then(() => this.onClosed?.())
  }

  private report(problem: string): void {
    this.surroundings.report(this.name, problem)
  }
}
