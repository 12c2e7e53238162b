import { setTimeout as sleep } from 'node:timers/promises'
import { isRight } from 'fp-ts/lib/Either.js'
import { createClient } from 'svc-streams'
import { seededRandom, type Random } from '../../../src/simulator/market/seeded-random.js'
import { blockEventLoop } from '../../support/time/event-loop.js'
import { pick } from '../actions.js'
import { remaining } from '../recovery.js'
import { startRandomService, type RandomService } from './random-service.js'
import { measureWaitingTimes, type WaitingTimes } from './waiting-times.js'
import { WantedTopics } from './wanted-topics.js'

export const timeouts = { linger: 50, confirmTimeout: 200 }

/** The liveness bounds, in ms. */
export const bounds: WaitingTimes = {
  wanted: 3 * timeouts.confirmTimeout,
  unwanted: timeouts.linger + 2 * timeouts.confirmTimeout,
}

/** The number of topics that keep a subscriber for the whole run. */
const permanentTopics = 6

export interface ProgressReport {
  readonly longest: WaitingTimes
  /** The number of subscribe and unsubscribe frames that the service received. */
  readonly frames: number
  readonly rejections: number
  readonly timeouts: number
  /** Violations of the bounds, and what was not in order at the end. */
  readonly problems: readonly string[]
}

type Action = (context: {
  readonly random: Random
  readonly wanted: WantedTopics
  readonly service: RandomService
  readonly mayDrop: boolean
}) => unknown

const subscribe: Action = ({ random, wanted }) => wanted.subscribe(pick(random, wanted.temporary))
const unsubscribe: Action = ({ random, wanted }) => wanted.unsubscribe(pick(random, wanted.temporary))

/** A repeated entry is more likely. */
const actions: readonly Action[] = [
  ...Array.from({ length: 6 }, () => subscribe),
  ...Array.from({ length: 4 }, () => unsubscribe),
  ({ wanted }) => wanted.temporary.forEach((base) => wanted.unsubscribe(base)),
  ({ wanted }) => wanted.temporary.slice(0, 10).forEach((base) => wanted.subscribe(base)),
  ({ random, wanted }) => {
    const base = pick(random, wanted.bases)
    wanted.unsubscribe(base)
    wanted.subscribe(base)
  },
  ({ random }) => random() < 0.3 && blockEventLoop(random() * timeouts.confirmTimeout),
  ({ random, service, mayDrop }) => mayDrop && random() < 0.2 && service.run('drop'),
]

/**
 * Runs a client with a random service over real sockets, then with a reliable one. Odd seeds use several connections,
 * even seeds drop the connection.
 */
export const runProgressChaos = async (seed: number, actionCount: number): Promise<ProgressReport> => {
  const random = seededRandom(`progress ${seed}`)
  const usesSeveralConnections = seed % 2 === 1
  await using service = await startRandomService(seed, timeouts.confirmTimeout)
  const client = createClient({
    environment: 'testnet',
    priceBaseUrl: 'http://127.0.0.1:1',
    priceWsUrl: service.url,
    ...timeouts,
    staleAfter: 1_000,
    reconnect: { initialDelay: 5, maxDelay: 50, stableAfter: 100 },
    ...(usesSeveralConnections ? { maxTopicsPerConnection: 5 } : {}),
  })
  using wanted = new WantedTopics(client, permanentTopics)
  const context = { random, wanted, service, mayDrop: !usesSeveralConnections }
  for (let count = 0; count < actionCount; count++) {
    wanted.renewPermanent()
    await pick(random, actions)(context)
    await sleep((random() * timeouts.confirmTimeout) / 8)
  }
  await service.run('becomeReliable')
  const problems = [...(await remaining(() => unsettled(service, wanted)))]
  const { log } = await service.run('report')
  await client.close()
  const longest = measureWaitingTimes([...log, ...wanted.log], wanted.blocked)
  if (longest.wanted > bounds.wanted)
    problems.push(
      `a wanted topic was neither live nor requested for ${exceeded(longest.wanted, bounds.wanted)}`,
    )
  if (longest.unwanted > bounds.unwanted)
    problems.push(
      `a topic without subscribers stayed subscribed for ${exceeded(longest.unwanted, bounds.unwanted)}`,
    )
  const frames = log.filter(({ kind }) => kind === 'subscribe' || kind === 'unsubscribe').length
  const { rejections, timeouts: timeoutCount } = wanted
  return {
    longest,
    frames,
    rejections,
    timeouts: timeoutCount,
    problems: [...problems, ...wanted.violations],
  }
}

const exceeded = (ms: number, bound: number): string => `${Math.round(ms)} ms; the bound is ${bound} ms`

/** What is not in order while the service is reliable. */
const unsettled = async (service: RandomService, wanted: WantedTopics): Promise<readonly string[]> => {
  wanted.renewPermanent()
  const { subscribed, delayed } = await service.run('report')
  const active = wanted.active
  const [at, by] = [[...subscribed].sort().join(), [...active.keys()].sort().join()]
  const withoutPrice = [...active].filter(([, event]) => event === undefined || !isRight(event))
  return [
    ...(delayed === 0 ? [] : [`the service has ${delayed} delayed answers`]),
    ...(at === by ? [] : [`the service has subscribed ${at}; wanted are ${by}`]),
    ...withoutPrice.map(([base]) => `${base} has no price`),
  ]
}
