import { createClient } from 'svc-streams'
import { startSimulator, startTcpProxy } from 'svc-streams/simulator'
import { seededRandom } from '../../src/simulator/market/seeded-random.js'
import { actions, addresses, permanentTopics, pick, type ChaosContext } from './actions.js'
import type { Figures, Findings } from './findings.js'
import { InvariantChecker } from './invariant-checker.js'
import { startSendTimes } from './send-times.js'
import { awaitRecovery, endFaults, observePoll, remaining } from './recovery.js'

/** About a fiftieth of the defaults, so that one second shows as much as one minute. */
const shortTimeouts = {
  ...{ linger: 20, staleAfter: 300, confirmTimeout: 200, connectTimeout: 200 },
  ...{ maxLag: 150, pingInterval: 100, pongTimeout: 100, requestTimeout: 200 },
  reconnect: { initialDelay: 5, maxDelay: 100, stableAfter: 100 },
}

export interface ChaosOptions {
  /** Determines the actions and their order. */
  readonly seed: number
  /** Number of actions. */
  readonly actionCount: number
  /** Actions continue until the client has delivered this many prices: a busy machine delivers fewer between two. */
  readonly minDelivered?: number
}

export interface ChaosReport {
  readonly findings: Findings
  readonly figures: Figures
  /** Number of actions by name. */
  readonly actionCounts: ReadonlyMap<string, number>
  /** What had not recovered after the end of all faults. */
  readonly unrecovered: readonly string[]
}

/** Runs a client with a faulty network and a faulty service, over real sockets, and then lets it recover. */
export const runChaos = async ({
  seed,
  actionCount,
  minDelivered = 0,
}: ChaosOptions): Promise<ChaosReport> => {
  const random = seededRandom(`chaos ${seed}`)
  await using simulator = await startSimulator({ tokens: addresses, tick: 5, seed })
  await using sendTimes = await startSendTimes(simulator.priceWsUrl)
  await using prices = await startTcpProxy({ target: sendTimes.url, seed })
  await using relayer = await startTcpProxy({ target: simulator.baseUrl, seed })
  const checker = new InvariantChecker(sendTimes, shortTimeouts.maxLag)
  const client = createClient({
    environment: 'mainnet',
    ...simulator,
    ...shortTimeouts,
    baseUrl: relayer.url,
    priceWsUrl: prices.url,
    webSocket: checker.transport,
    ...(seed % 2 === 0 ? { maxTopicsPerConnection: 5 } : {}),
    ...(seed % 3 === 0 ? { maxFramesPerSecond: 100 } : {}),
  })
  const context: ChaosContext = { random, simulator, prices, relayer, client, checker }

  const permanent = addresses.slice(0, permanentTopics)
  for (const address of permanent) checker.subscribe(client, `svc-${address}`)
  const polls = addresses.slice(0, 3).map((mint) => observePoll(client, mint))
  const actionCounts = new Map<string, number>()
  for (let count = 0; count < actionCount || checker.figures.delivered < minDelivered; count++) {
    const [name, act] = pick(random, actions)
    act(context)
    actionCounts.set(name, (actionCounts.get(name) ?? 0) + 1)
    // The service rejects a topic if its subscribe frame was corrupted. That completes the stream: subscribe again.
    for (const address of permanent) {
      if (!checker.wantedTopics.includes(address)) checker.subscribe(client, `svc-${address}`)
    }
    await checker.waitForEvents(Math.floor(random() * 60))
  }

  endFaults(context)
  const unrecovered = await awaitRecovery(context, polls)
  await checker.close(client)
  const openSockets = await remaining(() =>
    prices.connections + relayer.connections > 0 ? ['sockets are open after close()'] : [],
  )
  const { findings, figures } = checker
  return { findings, figures, actionCounts, unrecovered: [...unrecovered, ...openSockets] }
}
