import type { Chance } from '../search/scenario.js'
import type { Link } from '../world/network.js'
import type { World } from '../world/world.js'
import { correct, type Behaviour, type Service } from './service.js'
import type { Trader } from './trader.js'

/** A fault of the network or the service, or a pause of a client. It ends by itself after `ms`. */
export type Fault =
  | {
      readonly do: 'block'
      readonly trader: number
      readonly direction: 'up' | 'down' | 'both'
      readonly ms: number
    }
  | { readonly do: 'cut'; readonly trader: number; readonly ms: number }
  | { readonly do: 'slow link'; readonly trader: number; readonly bytesPerMs: number; readonly ms: number }
  | {
      readonly do: 'latency'
      readonly trader: number
      readonly latency: number
      readonly jitter: number
      readonly ms: number
    }
  | { readonly do: 'pause client'; readonly trader: number; readonly ms: number }
  | { readonly do: 'service'; readonly how: 'stop' | 'kill' | 'switch off'; readonly ms: number }
  | { readonly do: 'behave'; readonly change: Partial<Behaviour>; readonly ms: number }
  | { readonly do: 'close all'; readonly code: number; readonly ms: number }
  | { readonly do: 'burst'; readonly topic: number; readonly count: number; readonly ms: number }

/** What faults act on. */
export interface FaultTarget {
  readonly world: World
  readonly service: Service
  readonly links: readonly Link[]
  readonly trader: (index: number) => Trader | undefined
  readonly topics: readonly string[]
}

type Generate = (chance: Chance, trader: number, latest: number) => Fault

/** The duration of a fault, in ms: mostly short, and sometimes longer than every timeout. */
const duration = (chance: Chance, latest: number): number =>
  Math.min(latest, chance.between(1, chance.pick([100, 3_000, 15_000, 90_000])))

const behave =
  (change: (chance: Chance) => Partial<Behaviour>): Generate =>
  (chance, _trader, latest) => ({ do: 'behave', change: change(chance), ms: duration(chance, latest) })

const unavailable = { status: 503, headers: {} }
const retryLater = { status: 503, headers: { 'retry-after': '7' } }

/** One generator per kind of fault. */
export const faultKinds: readonly Generate[] = [
  (chance, trader, latest) => {
    const direction = chance.pick(['up', 'down', 'both'] as const)
    return { do: 'block', trader, direction, ms: duration(chance, latest) }
  },
  (chance, trader, latest) => ({ do: 'cut', trader, ms: duration(chance, latest) }),
  (chance, trader, latest) => {
    const bytesPerMs = chance.pick([0.02, 0.1, 0.5])
    return { do: 'slow link', trader, bytesPerMs, ms: duration(chance, latest) }
  },
  (chance, trader, latest) => {
    const [latency, jitter] = chance.pick([
      [50, 200],
      [800, 50],
      [3_000, 0],
    ] as const)
    return { do: 'latency', trader, latency, jitter, ms: duration(chance, latest) }
  },
  (chance, trader, latest) => ({ do: 'pause client', trader, ms: duration(chance, latest) }),
  (chance, _trader, latest) => {
    const how = chance.pick(['stop', 'kill', 'switch off'] as const)
    return { do: 'service', how, ms: duration(chance, latest) }
  },
  (chance) => ({ do: 'close all', code: chance.pick([1000, 1001, 1012, 4999]), ms: 0 }),
  (chance) => ({ do: 'burst', topic: chance.between(0, 9), count: chance.pick([3, 50, 2_000]), ms: 0 }),
  behave((chance) => ({ msPerMessage: chance.pick([5, 300, 2_000]) })),
  behave((chance) => ({ confirmations: chance.pick(['new', 'foreign', 'none'] as const) })),
  behave(() => ({ sendsErrorTexts: true })),
  behave(() => ({ rejects: true })),
  behave(() => ({ sendsPongs: false })),
  behave(() => ({ sendsPrices: false })),
  behave(() => ({ ignoresUnsubscribe: true })),
  behave(() => ({ sendsGarbage: true })),
  behave(() => ({ appendsQuote: true })),
  behave((chance) => ({ refusal: chance.pick([unavailable, retryLater, 'none'] as const) })),
  behave((chance) => ({ depthFailure: chance.pick([unavailable, retryLater, 'none'] as const) })),
]

/** Starts a fault. Returns what ends it. */
export const startFault = (fault: Fault, { service, links, trader, topics }: FaultTarget): (() => void) => {
  switch (fault.do) {
    case 'block': {
      const link = links[fault.trader]!
      const directions = fault.direction === 'both' ? (['up', 'down'] as const) : [fault.direction]
      directions.forEach((direction) => link.block(direction))
      return () => directions.forEach((direction) => link.unblock(direction))
    }
    case 'cut': {
      const link = links[fault.trader]!
      link.cut()
      return () => link.restore()
    }
    case 'slow link': {
      const link = links[fault.trader]!
      link.bytesPerMs = fault.bytesPerMs
      return () => (link.bytesPerMs = Infinity)
    }
    case 'latency': {
      const link = links[fault.trader]!
      Object.assign(link, { latency: fault.latency, jitter: fault.jitter })
      return () => Object.assign(link, { latency: 5, jitter: 0 })
    }
    case 'pause client':
      trader(fault.trader)?.pause(fault.ms)
      return () => undefined
    case 'service':
      return startServiceFault(service, fault.how)
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

const startServiceFault = (service: Service, how: 'stop' | 'kill' | 'switch off'): (() => void) => {
  const { process } = service.host
  if (how === 'stop') {
    process?.stop()
    return () => process?.continue()
  }
  if (how === 'kill') service.kill()
  else service.switchOff()
  return () => {
    // Another fault may have started it again.
    if (service.host.process === process) service.start()
  }
}

const pick = (from: Readonly<Behaviour>, names: readonly string[]): Partial<Behaviour> =>
  Object.fromEntries(names.map((name) => [name, from[name as keyof Behaviour]]))
