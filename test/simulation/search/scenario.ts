import { seededRandom, type Random } from '../../../src/simulator/market/seeded-random.js'
import type { Strategy, TraderPlan } from '../actors/trader.js'
import type { ClientTimes } from '../invariants/ledger.js'
import {
  descriptorFault,
  faultKinds,
  gatewayFault,
  linkFaultKinds,
  mildFaultKinds,
  natsFaultKinds,
  natsServerFault,
  type Fault,
} from '../actors/faults.js'
import type { ClientPlan } from '../actors/connect.js'
import type { GatewayPlan } from '../actors/gateway.js'

/** What the user of one client does. `trader`: its index. */
export type Act =
  | { readonly do: 'subscribe'; readonly trader: number; readonly topic: number; readonly isUpper: boolean }
  | { readonly do: 'leave'; readonly trader: number; readonly index: number }
  | { readonly do: 'poll' | 'trade'; readonly trader: number; readonly topic: number; readonly ms: number }
  | { readonly do: 'restart'; readonly trader: number; readonly how: 'close' | 'kill' }

/** One entry of a history. `at`: in ms since the start. */
export interface Step {
  readonly at: number
  readonly action: Act | Fault
}

/** All that happens in one simulation, but for the chance of its parts, which the seed decides too. */
export interface Scenario {
  readonly seed: number
  /** True if the library draws 1/2 each time: each wait then has a known length. */
  readonly hasEvenDraws: boolean
  readonly traders: readonly TraderPlan[]
  /** A gateway of another one follows it. */
  readonly gateways: readonly GatewayPlan[]
  /** Gateways of the service over NATS. Without them there is no NATS server. */
  readonly natsGateways: readonly ClientPlan[]
  /** The number of NATS servers: 1, or a cluster of 3. */
  readonly natsServers: number
  /** The mean time between two prices of each topic, in ms. */
  readonly intervals: readonly number[]
  /** In the order of time. */
  readonly steps: readonly Step[]
  /** The last step begins, and each fault ends, before this time, in ms. */
  readonly activeMs: number
}

const strategies: readonly Strategy[] = ['steady', 'steady', 'retry', 'switch', 'impatient', 'mixed', 'slow']

const minutes = 60_000

/** The parts of the seeds that have gateways, from 0 to 1. The remaining ones have none. */
export interface Shares {
  readonly webSocket: number
  readonly nats: number
  /** Of the scenarios with NATS: the part that has a cluster. Default: `usualClusterShare`. */
  readonly cluster?: number
  /** The part of all seeds that has pages. Default: `usualPageShare`. */
  readonly pages?: number
  /** Of the remaining ones with NATS: the part that has mild faults alone. Default: `usualMildShare`. */
  readonly mild?: number
}

const usualClusterShare = 0.35
const usualMildShare = 0.3
const usualPageShare = 0.25

/** Generates the scenario of a seed. */
export const scenarioOf = (seed: number, shares: Shares = { webSocket: 0.4, nats: 0.24 }): Scenario => {
  const scenario = nodeScenario(seed, shares)
  const chance = new Chance(seededRandom(`pages ${seed}`))
  return chance.isTrue(shares.pages ?? usualPageShare) ? withPages(scenario, chance) : scenario
}

/** Most clients over WebSockets are pages. */
const withPages = (scenario: Scenario, chance: Chance): Scenario => ({
  ...scenario,
  traders: scenario.traders.map((plan) =>
    plan.via !== 'nats' && chance.isTrue(0.8) ? { ...plan, isPage: true } : plan,
  ),
})

const nodeScenario = (seed: number, shares: Shares): Scenario => {
  const direct = directScenario(seed)
  // A chance of its own: the rest of the scenario is the same without gateways.
  const chance = new Chance(seededRandom(`gateways ${seed}`))
  if (chance.isTrue(shares.webSocket)) return withGateways(direct, chance)
  const natsChance = new Chance(seededRandom(`nats ${seed}`))
  const natsShare = shares.nats / (1 - shares.webSocket)
  if (!natsChance.isTrue(natsShare)) return direct
  const scenario = withNats(direct, natsChance)
  const clusterChance = new Chance(seededRandom(`cluster ${seed}`))
  if (clusterChance.isTrue(shares.cluster ?? usualClusterShare)) return withCluster(scenario, clusterChance)
  const mildChance = new Chance(seededRandom(`mild ${seed}`))
  return mildChance.isTrue(shares.mild ?? usualMildShare) ? withMildFaults(scenario, mildChance) : scenario
}

/** A scenario without gateways. Each seed switches off a random part of the faults: others then happen more often. */
const directScenario = (seed: number): Scenario => {
  const chance = new Chance(seededRandom(`scenario ${seed}`))
  // A chance of its own: the other scenarios are the same without crowds.
  const crowd = new Chance(seededRandom(`crowd ${seed}`))
  const isCrowd = crowd.isTrue(0.05)
  const activeMs = isCrowd ? crowd.between(3, 5) * minutes : chance.between(3, 20) * minutes
  const topics = chance.between(1, 5)
  const mostTraders = isCrowd ? 20 : chance.pick([1, 2, 5])
  const traders = Array.from({ length: chance.between(1, mostTraders) }, () => traderPlan(chance))
  const faults = faultKinds.filter(() => chance.isTrue(0.4))
  const meanGap = chance.pick([1_000, 5_000, 20_000, 60_000])
  const hasFaults = faults.length > 0
  const steps: Step[] = traders.flatMap((_, trader) => [
    { at: chance.between(0, 2_000), action: subscribe(chance, trader, topics) },
  ])
  for (let at = chance.between(1, meanGap); at < activeMs; at += chance.between(1, 2 * meanGap)) {
    const trader = chance.between(0, traders.length - 1)
    const isFault = hasFaults && chance.isTrue(0.5)
    const latest = activeMs - at
    const action = isFault ? chance.pick(faults)(chance, trader, latest) : act(chance, trader, topics)
    // Actions at one time, or close to each other, find what those that are far apart do not.
    const burst = chance.isTrue(0.2) ? chance.between(1, 4) : 0
    steps.push({ at, action })
    for (let extra = 0; extra < burst; extra++)
      steps.push({
        at: at + chance.between(0, chance.pick([0, 10, 1_500])),
        action: act(chance, trader, topics),
      })
  }
  steps.push(...faultSteps(crowd, [descriptorFault], traders.length, activeMs))
  return {
    seed,
    hasEvenDraws: chance.isTrue(0.4),
    traders,
    gateways: [],
    natsGateways: [],
    natsServers: 1,
    intervals: Array.from({ length: topics }, () => chance.pick([400, 1_000, 3_000, 9_000])),
    steps: steps.sort((a, b) => a.at - b.at),
    activeMs,
  }
}

/** One to three gateways, of the service or of another one; most traders are their consumers. */
const withGateways = (scenario: Scenario, chance: Chance): Scenario => {
  const { traders, activeMs, steps } = scenario
  const gateways = Array.from({ length: chance.pick([1, 1, 2, 3]) }, (_, index) => gatewayPlan(chance, index))
  const kinds = [...linkFaultKinds.map(ofLinksFrom(traders.length)), gatewayFault]
  const added = faultSteps(chance, kinds, gateways.length, activeMs)
  return {
    ...scenario,
    traders: traders.map((trader) => {
      const via = chance.isTrue(0.8) ? chance.between(0, gateways.length - 1) : undefined
      return { ...trader, via }
    }),
    gateways,
    steps: [...steps, ...added].sort((a, b) => a.at - b.at),
  }
}

/** One to three gateways over NATS, and a NATS server; most traders are their consumers. */
const withNats = (scenario: Scenario, chance: Chance): Scenario => {
  const { traders, activeMs, steps } = scenario
  const natsGateways = Array.from({ length: chance.pick([1, 2, 2, 3]) }, () => clientPlan(chance))
  // Each gateway has a link to the service and one to NATS.
  const links = linkFaultKinds.map(
    (generate) => (chance_: Chance, index: number, latest: number) =>
      generate(chance_, traders.length + 2 * index + chance_.between(0, 1), latest),
  )
  const added = faultSteps(chance, [...links, gatewayFault, ...natsFaultKinds], natsGateways.length, activeMs)
  return {
    ...scenario,
    // The NATS client draws its identifiers.
    hasEvenDraws: false,
    traders: traders.map((trader) =>
      chance.isTrue(0.9) ? { ...trader, via: 'nats', times: natsTimes(chance, trader.times) } : trader,
    ),
    natsGateways,
    steps: [...steps, ...added].sort((a, b) => a.at - b.at),
  }
}

const clusterSize = 3

/** A cluster instead of one NATS server. Clients and gateways have the addresses of all servers, or of one. */
const withCluster = (scenario: Scenario, chance: Chance): Scenario => {
  const { traders, natsGateways, activeMs, steps } = scenario
  const isQuiet = chance.isTrue(0.33)
  const all = Array.from({ length: clusterSize }, (_, server) => server)
  const place = <A extends ClientPlan>(plan: A): A => ({
    ...plan,
    natsServers: chance.isTrue(isQuiet ? 0.2 : 0.6) ? all : [isQuiet ? firstServer : chance.pick(all)],
  })
  const firstRoute = traders.length + 2 * natsGateways.length
  // A cluster of three has three routes.
  const kinds = [...linkFaultKinds.map(ofLinksFrom(firstRoute)), natsServerFault, natsServerFault]
  const added = isQuiet ? outages(chance, activeMs) : faultSteps(chance, kinds, clusterSize, activeMs)
  const others = isQuiet ? steps.filter(({ action }) => quietActs.has(action.do)) : steps
  return {
    ...scenario,
    traders: traders.map(place).map((plan) => (isQuiet ? withoutSlowness(plan) : plan)),
    natsGateways: natsGateways.map(place),
    natsServers: clusterSize,
    steps: [...others, ...added].sort((a, b) => a.at - b.at),
  }
}

/** A client whose handlers are slow is sometimes behind though nothing fails. */
const withoutSlowness = (plan: TraderPlan): TraderPlan =>
  plan.strategy === 'slow' ? { ...plan, strategy: 'steady' } : plan

const quietActs: ReadonlySet<Step['action']['do']> = new Set(['subscribe', 'leave', 'poll', 'trade'])

/** In a quiet cluster, this server starts before the others. Clients with one address have that of this server. */
const firstServer = 0

/** Two servers start late. Then one server at a time fails or is cut off, seldom enough for a recovery in between. */
const outages = (chance: Chance, activeMs: number): readonly Step[] => {
  const late = Array.from({ length: clusterSize }, (_, server) => server).filter(
    (server) => server !== firstServer,
  )
  const steps: Step[] = late.map((server) => ({
    at: 1,
    action: { do: 'nats', server, how: 'kill', ms: 20_000 },
  }))
  for (let at = chance.between(100_000, 180_000); at < activeMs;) {
    const server = chance.between(0, clusterSize - 1)
    const ms = Math.min(activeMs - at, chance.between(5_000, 90_000))
    const fault = natsServerFault(chance, server, ms)
    steps.push({ at, action: chance.isTrue(0.5) ? { do: 'isolate', server, ms } : { ...fault, ms } })
    at += ms + chance.between(100_000, 180_000)
  }
  return steps
}

/** Messages are lost, and gateways stop for a short time. Whatever else fails would end the sessions. */
const withMildFaults = (scenario: Scenario, chance: Chance): Scenario => {
  const { natsGateways, activeMs, steps } = scenario
  const added = faultSteps(chance, mildFaultKinds, natsGateways.length, activeMs)
  const acts = steps.filter(({ action }) => quietActs.has(action.do))
  return { ...scenario, steps: [...acts, ...added].sort((a, b) => a.at - b.at) }
}

/** Over NATS, every client limits the age of its prices, and dials often. */
const natsTimes = (chance: Chance, times: ClientTimes): ClientTimes => ({
  ...times,
  maxLag: chance.pick([1_000, 1_000, 5_000]),
  maxDelay: 1_000,
})

/** `count`: the number of gateways, or of what else fails. */
const faultSteps = (
  chance: Chance,
  kinds: readonly (typeof gatewayFault)[],
  count: number,
  activeMs: number,
): readonly Step[] => {
  const faults = kinds.filter(() => chance.isTrue(0.4))
  const meanGap = chance.pick([5_000, 20_000, 60_000])
  const added: Step[] = []
  if (faults.length > 0)
    for (let at = chance.between(1, meanGap); at < activeMs; at += chance.between(1, 2 * meanGap)) {
      const index = chance.between(0, count - 1)
      added.push({ at, action: chance.pick(faults)(chance, index, activeMs - at) })
    }
  return added
}

/** Faults of the links with the index `first` and above. */
const ofLinksFrom =
  (first: number) =>
  (generate: typeof gatewayFault): typeof gatewayFault =>
  (chance, index, latest) =>
    generate(chance, first + index, latest)

/** Random choices. */
export class Chance {
  constructor(private readonly random: Random) {}

  isTrue(probability: number): boolean {
    return this.random() < probability
  }

  /** An integer from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.random() * (max - min + 1))
  }

  pick<A>(from: readonly A[]): A {
    return from[this.between(0, from.length - 1)]!
  }
}

const traderPlan = (chance: Chance): TraderPlan => ({
  strategy: chance.pick(strategies),
  ...clientPlan(chance),
  via: undefined,
})

const gatewayPlan = (chance: Chance, index: number): GatewayPlan => ({
  upstream: index > 0 && chance.isTrue(0.5) ? index - 1 : 'service',
  ...clientPlan(chance),
  maxBufferedBytes: chance.pick([16_384, 4_194_304]),
  maxTopicsPerConnection: chance.pick([2, 100, 100]),
})

const clientPlan = (chance: Chance): ClientPlan => ({
  clockError: chance.pick([0, 0, -3_600_000, 86_400_000]),
  times: {
    initialDelay: chance.pick([50, 250]),
    linger: chance.pick([0, 200, 1_000, 5_000]),
    staleAfter: chance.pick([15_000, 30_000]),
    confirmTimeout: chance.pick([2_000, 10_000]),
    connectTimeout: chance.pick([2_000, 10_000]),
    maxLag: chance.pick([1_000, 5_000, 5_000, Infinity]),
    pingInterval: chance.pick([5_000, 15_000]),
    pongTimeout: chance.pick([2_000, 5_000]),
    maxDelay: chance.pick([2_000, 30_000]),
  },
})

const subscribe = (chance: Chance, trader: number, topics: number): Act => ({
  ...{ do: 'subscribe', trader, topic: chance.between(0, topics - 1), isUpper: chance.isTrue(0.2) },
})

const act = (chance: Chance, trader: number, topics: number): Act => {
  const kind = chance.between(1, 20)
  if (kind <= 10) return subscribe(chance, trader, topics)
  if (kind <= 17) return { do: 'leave', trader, index: chance.between(0, 9) }
  if (kind <= 19) {
    const topic = chance.between(0, topics - 1)
    return { do: kind === 18 ? 'poll' : 'trade', trader, topic, ms: chance.between(1, 30_000) }
  }
  return { do: 'restart', trader, how: chance.pick(['close', 'kill']) }
}
