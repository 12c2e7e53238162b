import type { Chance } from '../search/scenario.js'
import type { Link } from '../world/network.js'
import type { World } from '../world/world.js'
import type { Gateway } from './gateway.js'
import type { NatsGatewayMachine } from './nats-gateway.js'
import type { NatsCluster } from './nats-cluster.js'
import type { MessageLoss, NatsServer } from './nats-server.js'
import { correct, type Behaviour, type Service } from './service.js'
import type { Trader } from './trader.js'

/** How a server fails: SIGSTOP, SIGKILL, or a machine without power. */
type How = (typeof hows)[number]

const hows = ['stop', 'kill', 'switch off'] as const

/** Also SIGTERM. */
const gatewayHows = [...hows, 'terminate'] as const

/**
 * A fault of the network, the service or a gateway, or a pause of a client. It ends by itself after `ms`. `link`: an index of
 * `FaultTarget.links`.
 */
export type Fault =
  | {
      readonly do: 'block'
      readonly link: number
      readonly direction: 'up' | 'down' | 'both'
      readonly ms: number
    }
  | { readonly do: 'cut'; readonly link: number; readonly ms: number }
  | { readonly do: 'slow link'; readonly link: number; readonly bytesPerMs: number; readonly ms: number }
  | {
      readonly do: 'latency'
      readonly link: number
      readonly latency: number
      readonly jitter: number
      readonly ms: number
    }
  | { readonly do: 'no descriptors'; readonly link: number; readonly ms: number }
  | { readonly do: 'pause client'; readonly trader: number; readonly ms: number }
  | { readonly do: 'service'; readonly how: How; readonly ms: number }
  | { readonly do: 'nats'; readonly server: number; readonly how: How; readonly ms: number }
  /** A NATS server loses its routes to the others of its cluster. */
  | { readonly do: 'isolate'; readonly server: number; readonly ms: number }
  | ({ readonly do: 'lose messages'; readonly ms: number } & MessageLoss)
  | {
      readonly do: 'gateway'
      readonly gateway: number
      readonly how: (typeof gatewayHows)[number]
      readonly ms: number
    }
  | { readonly do: 'behave'; readonly change: Partial<Behaviour>; readonly ms: number }
  | { readonly do: 'close all'; readonly code: number; readonly ms: number }
  | { readonly do: 'burst'; readonly topic: number; readonly count: number; readonly ms: number }

/** What faults act on. */
export interface FaultTarget {
  readonly world: World
  readonly service: Service
  /**
   * Those of the traders, then those of the gateways to what they are a gateway of, then those of each gateway over NATS: to the
   * service, and to NATS, then those of the routes.
   */
  readonly links: readonly Link[]
  readonly gateways: readonly (Gateway | NatsGatewayMachine)[]
  readonly nats: NatsCluster
  readonly trader: (index: number) => Trader | undefined
  readonly topics: readonly string[]
}

/** `index`: of a trader, whose link has the same one. */
type Generate = (chance: Chance, index: number, latest: number) => Fault

/** The duration of a fault, in ms: mostly short, and sometimes longer than every timeout. */
const duration = (chance: Chance, latest: number): number =>
  Math.min(latest, chance.between(1, chance.pick([100, 3_000, 15_000, 90_000])))

const behave =
  (change: (chance: Chance) => Partial<Behaviour>): Generate =>
  (chance, _trader, latest) => ({ do: 'behave', change: change(chance), ms: duration(chance, latest) })

const unavailable = { status: 503, headers: {} }
const retryLater = { status: 503, headers: { 'retry-after': '7' } }

/** One generator per kind of fault of a link. */
export const linkFaultKinds: readonly Generate[] = [
  (chance, link, latest) => {
    const direction = chance.pick(['up', 'down', 'both'] as const)
    return { do: 'block', link, direction, ms: duration(chance, latest) }
  },
  (chance, link, latest) => ({ do: 'cut', link, ms: duration(chance, latest) }),
  (chance, link, latest) => {
    const bytesPerMs = chance.pick([0.02, 0.1, 0.5])
    return { do: 'slow link', link, bytesPerMs, ms: duration(chance, latest) }
  },
  (chance, link, latest) => {
    const [latency, jitter] = chance.pick([
      [50, 200],
      [800, 50],
      [3_000, 0],
    ] as const)
    return { do: 'latency', link, latency, jitter, ms: duration(chance, latest) }
  },
]

/** One generator per kind of fault without gateways. */
export const faultKinds: readonly Generate[] = [
  ...linkFaultKinds,
  (chance, trader, latest) => {
    const ms = chance.isTrue(0.2) ? chance.between(60_000, 90_000) : duration(chance, latest)
    return { do: 'pause client', trader, ms: Math.min(latest, ms) }
  },
  (chance, _trader, latest) => {
    return { do: 'service', how: chance.pick(hows), ms: duration(chance, latest) }
  },
  (chance) => ({ do: 'close all', code: chance.pick([1000, 1001, 1012, 4999]), ms: 0 }),
  (chance) => ({ do: 'burst', topic: chance.between(0, 9), count: chance.pick([3, 50, 2_000]), ms: 0 }),
  behave((chance) => ({ msPerMessage: chance.pick([5, 300, 2_000]) })),
  behave((chance) => ({ confirmations: chance.pick(['new', 'foreign', 'none'] as const) })),
  behave((chance) => ({ sendsErrorTexts: true, msPerMessage: chance.pick([0, 300]) })),
  // It answers nothing but pings.
  behave((chance) => ({ confirmations: 'none', sendsPrices: false, sendsErrorTexts: chance.isTrue(0.3) })),
  behave(() => ({ rejects: true })),
  behave(() => ({ sendsPongs: false })),
  behave(() => ({ sendsPrices: false })),
  behave(() => ({ ignoresUnsubscribe: true })),
  behave(() => ({ sendsGarbage: true })),
  behave(() => ({ appendsQuote: true })),
  behave((chance) => ({ refusal: chance.pick([unavailable, retryLater, 'none'] as const) })),
  behave((chance) => ({ depthFailure: chance.pick([unavailable, retryLater, 'none'] as const) })),
]

/** The process of a client, which has no other sockets than those of its link, can open no further one. */
export const descriptorFault: Generate = (chance, link, latest) => {
  return { do: 'no descriptors', link, ms: duration(chance, latest) }
}

/** A fault of the NATS server with this index. */
export const natsServerFault: Generate = (chance, server, latest) => ({
  ...{ do: 'nats', server, how: chance.pick(hows), ms: duration(chance, latest) },
})

const lossFaultKinds = (['all', 'changes', 'requests', 'replies', 'prices'] as const).map(
  (of): Generate =>
    (chance, _gateway, latest) => {
      return { do: 'lose messages', of, share: chance.pick([0.02, 0.1, 0.5]), ms: duration(chance, latest) }
    },
)

/** One generator per kind of fault of the first NATS server, or of all. */
export const natsFaultKinds: readonly Generate[] = [
  (chance, _gateway, latest) => natsServerFault(chance, 0, latest),
  ...lossFaultKinds,
]

/** Faults that leave sessions open: a gateway that is stopped for a longer time is lost. */
export const mildFaultKinds: readonly Generate[] = [
  ...lossFaultKinds,
  (chance, gateway, latest) => {
    return { do: 'gateway', gateway, how: 'stop', ms: Math.min(latest, chance.between(300, 1_500)) }
  },
]

/** A fault of the gateway with this index. */
export const gatewayFault: Generate = (chance, gateway, latest) => ({
  ...{ do: 'gateway', gateway, how: chance.pick(gatewayHows), ms: duration(chance, latest) },
})

/** Starts a fault. Returns what ends it. */
export const startFault = (
  fault: Fault,
  { service, nats, links, trader, gateways, topics }: FaultTarget,
): (() => void) => {
  switch (fault.do) {
    case 'block': {
      const link = links[fault.link]!
      const directions = fault.direction === 'both' ? (['up', 'down'] as const) : [fault.direction]
      directions.forEach((direction) => link.block(direction))
      return () => directions.forEach((direction) => link.unblock(direction))
    }
    case 'cut': {
      const link = links[fault.link]!
      link.cut()
      return () => link.restore()
    }
    case 'slow link': {
      const link = links[fault.link]!
      link.setSpeed(fault.bytesPerMs)
      return () => link.setSpeed(Infinity)
    }
    case 'latency': {
      const link = links[fault.link]!
      Object.assign(link, { latency: fault.latency, jitter: fault.jitter })
      return () => Object.assign(link, { latency: 5, jitter: 0 })
    }
    case 'no descriptors': {
      const link = links[fault.link]!
      link.hasNoDescriptors = true
      return () => (link.hasNoDescriptors = false)
    }
    case 'pause client':
      trader(fault.trader)?.pause(fault.ms)
      return () => undefined
    case 'service':
      return startServerFault(service, fault.how)
    case 'nats':
      return startServerFault(nats.servers[fault.server]!, fault.how)
    case 'isolate': {
      const routes = nats.linksOf(fault.server)
      routes.forEach((link) => link.cut())
      return () => routes.forEach((link) => link.restore())
    }
    case 'lose messages':
      nats.loss = fault
      return () => (nats.loss = { share: 0, of: 'all' })
    case 'gateway':
      return startGatewayFault(gateways[fault.gateway]!, fault.how)
    case 'behave':
      Object.assign(service.behaviour, fault.change)
      return () => Object.assign(service.behaviour, pick(correct, Object.keys(fault.change)))
    case 'close all':
      service.closeAll(fault.code)
      return () => undefined
    case 'burst':
      service.sendPrice(topics[fault.topic % topics.length]!, fault.count)
      return () => undefined
  }
}

type AnyGateway = FaultTarget['gateways'][number]

/** A process that has not ended when the next one starts is killed. */
const startGatewayFault = (gateway: AnyGateway, how: (typeof gatewayHows)[number]): (() => void) => {
  if (how !== 'terminate') return startServerFault(gateway, how)
  gateway.terminate()
  return whileItRuns(gateway, () => {
    gateway.kill()
    void gateway.start()
  })
}

const startServerFault = (server: Service | NatsServer | AnyGateway, how: How): (() => void) => {
  const endsLater = (end: () => void) => whileItRuns(server, end)
  switch (how) {
    case 'stop':
      server.stop()
      return endsLater(() => server.continue())
    case 'kill':
      server.kill()
      return endsLater(() => void server.start())
    case 'switch off':
      server.switchOff()
      return endsLater(() => void server.start())
  }
}

/** Another fault may have started the server again meanwhile. */
const whileItRuns = ({ host }: Pick<Service, 'host'>, end: () => void): (() => void) => {
  const { process } = host
  return () => {
    if (host.process === process) end()
  }
}

const pick = (from: Readonly<Behaviour>, names: readonly string[]): Partial<Behaviour> =>
  Object.fromEntries(names.map((name) => [name, from[name as keyof Behaviour]]))
