import type { Address, Client, Topic } from 'svc-streams'
import type { Simulator, TcpProxy } from 'svc-streams/simulator'
import type { Random } from '../../src/simulator/market/seeded-random.js'
import type { InvariantChecker } from './invariant-checker.js'

/** What an action may act on. */
export interface ChaosContext {
  readonly random: Random
  readonly simulator: Simulator
  /** The network between the client and the price WebSocket. */
  readonly prices: TcpProxy
  /** The network between the client and the relayer. */
  readonly relayer: TcpProxy
  readonly client: Client
  readonly checker: InvariantChecker
}

type Action = (context: ChaosContext) => void

export const addresses = Array.from(
  { length: 12 },
  (_, index): Address => `0x${(0xabc000 + index).toString(16)}`,
)

/** Number of topics that keep a subscriber for the whole run. */
export const permanentTopics = 4

/** Faults, recoveries, and changes of the subscribers. A repeated entry is more likely. */
export const actions: readonly (readonly [name: string, action: Action])[] = [
  ['subscribe', ({ random, client, checker }) => checker.subscribe(client, randomTopic(random))],
  [
    'subscribe to several',
    ({ random, client, checker }) => {
      for (let count = 0; count < 5; count++) checker.subscribe(client, randomTopic(random))
    },
  ],
  [
    'unsubscribe',
    ({ random, checker }) => {
      const temporary = activeTemporary(checker)
      if (temporary.length > 0) checker.unsubscribe(pick(random, temporary))
    },
  ],
  [
    'unsubscribe all',
    ({ checker }) => {
      for (const subscription of activeTemporary(checker)) checker.unsubscribe(subscription)
    },
  ],
  ['cut', ({ prices }) => prices.cut()],
  ['cut polls', ({ relayer }) => relayer.cut()],
  ['reset', ({ prices }) => prices.reset()],
  ['reset polls', ({ relayer }) => relayer.reset()],
  ['freeze', ({ prices }) => prices.freeze()],
  ['freeze polls', ({ relayer }) => relayer.freeze()],
  ['heal', ({ prices, relayer }) => [prices, relayer].forEach((proxy) => proxy.heal())],
  ['heal', ({ prices, relayer }) => [prices, relayer].forEach((proxy) => proxy.heal())],
  ['delay', ({ random, prices }) => prices.delay(Math.floor(random() * 30))],
  ['slow link', ({ random, prices }) => prices.bytesPerSecond(2000 + Math.floor(random() * 100_000))],
  ['corrupt received bytes', ({ prices }) => prices.corrupt('down')],
  ['corrupt sent bytes', ({ prices }) => prices.corrupt('up')],
  [
    'close frame',
    ({ random, simulator }) => simulator.dropConnections(pick(random, [1000, 1001, 1012, 4999])),
  ],
  ['stall', ({ simulator }) => simulator.inject({ stall: true })],
  ['refuse', ({ simulator }) => simulator.inject({ refuseUpgrades: 503, httpStatus: 503 })],
  ['garbage', ({ simulator }) => simulator.inject({ garbage: ['malformed', 'wrong-price', 'binary'] })],
  ['no confirmations', ({ simulator }) => simulator.inject({ confirmations: 'none', echoQuote: true })],
  ['end faults', ({ simulator }) => simulator.inject({})],
  ['end faults', ({ simulator }) => simulator.inject({})],
  ['error text', ({ simulator }) => simulator.send('Error: something internal')],
]

export const pick = <A>(random: Random, from: readonly A[]): A =>
  from[Math.floor(random() * from.length)] as A

/** A random topic, in lower or in upper case. */
const randomTopic = (random: Random): Topic => {
  const address = pick(random, addresses)
  return `svc-0x${random() < 0.5 ? address.slice(2) : address.slice(2).toUpperCase()}`
}

const activeTemporary = ({ subscriptions }: InvariantChecker) =>
  subscriptions.slice(permanentTopics).filter(({ active }) => active)
