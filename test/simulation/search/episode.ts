import { nuid } from '@nats-io/transport-node'
import type { Address } from 'svc-streams'
import { connectOverNats, connectTo, type ClientPlan } from '../actors/connect.js'
import { startFault, type Fault, type FaultTarget } from '../actors/faults.js'
import { Gateway, type GatewayPlan, type GatewaySurroundings } from '../actors/gateway.js'
import { NatsGatewayMachine, type NatsSurroundings } from '../actors/nats-gateway.js'
import { NatsCluster } from '../actors/nats-cluster.js'
import { usualSettings } from '../actors/nats-server.js'
import { Service, type Server } from '../actors/service.js'
import { Trader, type Surroundings, type TraderPlan } from '../actors/trader.js'
import { keptMs } from '../invariants/consumers.js'
import { NatsPrices } from '../invariants/nats-prices.js'
import { natsRecoveryBound, problemOfRecovery, recoveryBound } from '../invariants/recovery.js'
import { Link } from '../world/network.js'
import { onSimulatedPlatform } from '../world/platform.js'
import { PriceLog } from '../world/price-log.js'
import { World, formatTime } from '../world/world.js'
import type { Scenario, Step } from './scenario.js'

/** The first violation of an invariant. */
export interface Violation {
  /** In ms since the start. */
  readonly at: number
  readonly who: string
  readonly problem: string
}

export interface Episode {
  readonly violation: Violation | undefined
  readonly simulatedMs: number
  readonly events: number
  /** The number of events that subscribers received. */
  readonly delivered: number
  /** One line per event; empty unless a trace was asked for. */
  readonly trace: readonly string[]
}

/** The interval of the checks that need no event, in ms. */
const checkInterval = 1_000

/** Runs a scenario until its first violation, or to its end. The same scenario has the same trace, byte for byte. */
export const runEpisode = async (scenario: Scenario, hasTrace = false): Promise<Episode> => {
  const trace: string[] = []
  const world = new World(`world ${scenario.seed}`, hasTrace ? trace : undefined, scenario.hasEvenDraws)
  // Also the clients are created on the simulated platform, which they keep.
  const result = await onSimulatedPlatform(
    () => world.draw(),
    () => {
      // The identifiers of the NATS client take their chance from that of the process, which is another one now.
      nuid.reset()
      return new Simulation(world, scenario).run()
    },
  )
  return { ...result, trace }
}

class Simulation {
  private violation: Violation | undefined
  private readonly surroundings: Surroundings & GatewaySurroundings
  private readonly links: readonly Link[]
  private readonly service: Service
  private readonly gateways: Gateway[] = []
  private readonly nats: NatsCluster
  private readonly natsPrices: NatsPrices
  private readonly natsGateways: readonly NatsGatewayMachine[]
  private readonly traders: Trader[]
  private readonly target: FaultTarget
  private runningFaults = 0
  /** The only fault, if it is that of one server of a cluster or of its routes: then clients recover by means of the other servers. */
  private outage: Fault | undefined
  private delivered = 0

  constructor(
    private readonly world: World,
    private readonly scenario: Scenario,
  ) {
    const { traders, gateways, natsGateways, natsServers, intervals } = scenario
    const topics = intervals.map((_, index): Address => `0xabc${index}`)
    const prices = new PriceLog()
    this.service = new Service(
      world,
      prices,
      new Map(topics.map((topic, index) => [topic, intervals[index]!])),
    )
    this.surroundings = {
      world,
      prices,
      topics,
      report: (who, problem) => this.report(who, problem),
      isRecovered: () => this.isRecovered,
    }
    this.nats = new NatsCluster(world, natsServers, usualSettings)
    this.natsPrices = new NatsPrices(prices)
    const links = [...traders, ...gateways, ...natsGateways, ...natsGateways].map(() => new Link(world))
    this.links = [...links, ...this.nats.links]
    gateways.forEach((plan, index) => {
      const link = this.links[traders.length + index]!
      const upstream = this.serverOf(plan.upstream)
      this.gateways.push(new Gateway(index, plan, link, upstream, this.surroundings))
    })
    const { service, nats, natsPrices } = this
    const natsSurroundings: NatsSurroundings = {
      ...{ ...this.surroundings, service, nats, natsPrices },
      consumers: traders.filter(isOverNats).length,
    }
    this.natsGateways = natsGateways.map((plan, index) => {
      const first = traders.length + gateways.length + 2 * index
      const links = { service: this.links[first]!, nats: this.links[first + 1]! }
      return new NatsGatewayMachine(index, plan, links, natsSurroundings)
    })
    nats.onRead = (reader, message) => this.natsGateways.forEach((each) => each.onMessage(reader, message))
    this.traders = traders.map((_, index) => this.createTrader(index, 0))
    const trader = (index: number): Trader | undefined => this.traders[index]
    const allGateways = [...this.gateways, ...this.natsGateways]
    this.target = { world, service, nats, links: this.links, gateways: allGateways, trader, topics }
  }

  private get result(): Omit<Episode, 'trace'> {
    const { violation, world } = this
    const delivered = this.traders.reduce((sum, { ledger }) => sum + ledger.eventCount, this.delivered)
    return { violation, simulatedMs: world.now, events: world.events, delivered }
  }

  async run(): Promise<Omit<Episode, 'trace'>> {
    const { world, scenario } = this
    for (const step of scenario.steps) world.at(step.at, () => this.perform(step))
    this.checkEachSecond()
    const recoveredAt = scenario.activeMs + Math.max(...scenario.traders.map((plan) => this.recoveryMs(plan)))
    await world.runUntil(recoveredAt + checkInterval)
    await this.endAll()
    return this.result
  }

  /** Without subscribers, a client keeps no socket and no timer; nor does a closed one. */
  private async endAll(): Promise<void> {
    const { world, scenario, traders, gateways, natsGateways } = this
    for (const trader of traders) trader.leaveAll()
    const idleMs = Math.max(...scenario.traders.map(idleTime)) + sum(scenario.gateways.map(idleTime))
    // A program leaves when its handlers are done with what has arrived before. After a violation, the time stands still.
    const isLeaving = ({ ledger }: Trader): boolean => !ledger.process.isDead && ledger.subscribers.size > 0
    while (this.violation === undefined && traders.some(isLeaving))
      await world.runUntil(world.now + checkInterval)
    const leftAt = Math.max(world.now, ...traders.map(({ process }) => process.now))
    await world.runUntil(leftAt + idleMs + 2 * checkInterval)
    for (const client of [...traders, ...gateways])
      if (!client.isIdle)
        this.report(client.name, `${idleMs} ms after the last subscriber has left, ${client.remains()}`)
    for (const trader of traders) trader.close()
    for (const gateway of [...gateways, ...natsGateways]) gateway.close()
    await world.runUntil(world.now + 10_000)
    for (const gateway of [...gateways, ...natsGateways])
      if (!gateway.isIdle) this.report(gateway.name, `after close(), ${gateway.remains()}`)
  }

  private perform({ action }: Step): void {
    // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- all others are faults
    switch (action.do) {
      case 'subscribe':
        return this.traders[action.trader]?.subscribe(action.topic, action.isUpper)
      case 'leave':
        return this.traders[action.trader]?.leave(action.index)
      case 'poll':
        return this.traders[action.trader]?.poll(action.topic, action.ms)
      case 'trade':
        return this.traders[action.trader]?.trade(action.topic, action.ms)
      case 'restart':
        return this.restart(action.trader, action.how)
      default:
        return this.perturb(action)
    }
  }

  private perturb(fault: Fault): void {
    const { world } = this
    world.trace('fault', () => JSON.stringify(fault))
    const isOfOneServer = fault.do === 'nats' || fault.do === 'isolate'
    const isOutage = isOfOneServer && this.nats.servers.length > 1 && this.isRecovered
    this.outage = isOutage ? fault : undefined
    if (isOutage) this.startRecovery()
    this.runningFaults++
    const end = startFault(fault, this.target)
    world.at(world.now + fault.ms, () => {
      end()
      world.trace('fault', () => `the end of ${fault.do}`)
      this.runningFaults--
      if (this.outage === fault) this.outage = undefined
      this.startRecovery()
    })
  }

  /** Each client has again all the time that a recovery may take. */
  private startRecovery(): void {
    for (const { ledger } of this.clients) ledger.healthySince = ledger.process.activeMs
  }

  /** A program ends and is started again. It subscribes to its first topic. */
  private restart(index: number, how: 'close' | 'kill'): void {
    const trader = this.traders[index]!
    this.world.trace(trader.name, () => `is started again after ${how}`)
    if (how === 'close') trader.close()
    else trader.kill()
    this.delivered += trader.ledger.eventCount
    const next = this.createTrader(index, this.world.now)
    this.traders[index] = next
    next.ledger.healthySince = next.ledger.process.activeMs
    // It may have the address of the failed server alone.
    this.outage = undefined
    next.subscribe(0, false)
  }

  private createTrader(index: number, now: number): Trader {
    const name = now === 0 ? `client ${index}` : `client ${index} of ${formatTime(now)}`
    const plan = this.scenario.traders[index]!
    const connect = isOverNats(plan)
      ? connectOverNats(this.nats, this.natsPrices)
      : connectTo(this.serverOf(plan.via))
    return new Trader(name, plan, this.links[index]!, connect, this.surroundings)
  }

  private get clients(): readonly (Trader | Gateway | NatsGatewayMachine)[] {
    return [...this.traders, ...this.gateways, ...this.natsGateways]
  }

  /** `gateway`: the index of one, or none. */
  private serverOf(gateway: number | 'service' | 'nats' | undefined): Server {
    return typeof gateway === 'number' ? this.gateways[gateway]! : this.service
  }

  /** The time in which a client recovers: that of its gateways, then its own. In ms. */
  private recoveryMs({ times, ...plan }: ClientPlan & Partial<TraderPlan & GatewayPlan>): number {
    const server = plan.upstream ?? plan.via
    const { maxInterval, scenario } = this
    if (server === 'nats') {
      // The gateways have lost at most their connections to NATS.
      if (this.outage !== undefined) return natsRecoveryBound(maxInterval) + otherServersMs
      const gateways = scenario.natsGateways.map((gateway) => this.recoveryMs(gateway))
      return natsRecoveryBound(maxInterval) + Math.max(...gateways)
    }
    const own = recoveryBound(times, maxInterval)
    return typeof server === 'number' ? own + this.recoveryMs(scenario.gateways[server]!) : own
  }

  private checkEachSecond(): void {
    const { world, scenario, traders, gateways, natsGateways, runningFaults, outage } = this
    world.at(world.now + checkInterval, () => this.checkEachSecond())
    for (const client of this.clients) client.check()
    if (runningFaults > (outage === undefined ? 0 : 1)) return
    traders.forEach((trader, index) => this.checkRecovery(trader, scenario.traders[index]!))
    gateways.forEach((gateway, index) => this.checkRecovery(gateway, scenario.gateways[index]!))
    natsGateways.forEach((gateway, index) => {
      this.checkRecovery(gateway, scenario.natsGateways[index]!)
      const { name, ledger, isOffNats } = gateway
      const healthyMs = ledger.process.activeMs - ledger.healthySince
      // During an outage, it may have the address of the failed server alone.
      if (outage === undefined && isOffNats && healthyMs > natsReturnMs)
        this.report(name, `is not connected to NATS ${healthyMs} ms after the last fault`)
    })
  }

  private checkRecovery({ name, ledger }: Trader | Gateway | NatsGatewayMachine, plan: ClientPlan): void {
    const { outage } = this
    // It has one address, and has never been connected, or only to a server that now knows no other: nor does it.
    const mayKnowOne = outage?.do === 'isolate' || !ledger.isProbed
    if (outage !== undefined && plan.natsServers?.length === 1 && mayKnowOne) return
    const problem = problemOfRecovery(ledger, this.recoveryMs(plan))
    if (problem !== undefined) this.report(name, problem)
  }

  /** True if the time has passed in which everything recovers after the last fault. */
  private get isRecovered(): boolean {
    const { scenario, clients, runningFaults } = this
    const { traders, gateways, natsGateways } = scenario
    const plans = [...traders, ...gateways, ...natsGateways]
    const isHealthy = ({ ledger }: (typeof clients)[number], index: number): boolean =>
      ledger.process.activeMs - ledger.healthySince > this.recoveryMs(plans[index]!)
    return runningFaults === 0 && clients.every(isHealthy)
  }

  private get maxInterval(): number {
    return Math.max(...this.scenario.intervals)
  }

  private report(who: string, problem: string): void {
    if (this.violation !== undefined) return
    this.violation = { at: this.world.now, who, problem }
    this.world.trace(who, () => `VIOLATION ${problem}`)
    this.world.stop()
  }
}

/** The time in which a client without subscribers releases all that it has, in ms. */
const idleTime = ({ times, ...plan }: TraderPlan | GatewayPlan): number =>
  times.linger +
  2 * times.confirmTimeout +
  ('upstream' in plan ? keptMs : 0) +
  (isOverNats(plan) ? natsIdleMs : 0)

/** The time in which a client searches for gateways at two servers in vain, before it connects to a third one, in ms. */
const otherServersMs = 12_000

/** The time for which a connection to NATS without users stays open, and may send its last messages, in ms. */
const natsIdleMs = 5_000

/** The time within which a gateway notices that its connection to NATS is lost, and has another one, in ms. */
const natsReturnMs = 5_000

const isOverNats = ({ via }: Partial<TraderPlan>): boolean => via === 'nats'

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
