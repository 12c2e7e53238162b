import { setTimeout as wait } from 'node:timers/promises'
import { isRight, type Either } from 'fp-ts/lib/Either.js'
import { createClient, type Address, type Client, type Topic } from 'svc-streams'
import { startSimulator, startTcpProxy, type Simulator, type TcpProxy } from 'svc-streams/simulator'
import { seededRandom, type Random } from '../../src/simulator/market/seeded-random.js'
import { baseOf, Witness, type Figures, type Findings } from './witness.js'

// A client, a bad network and a bad service, over real sockets. A seed decides what happens in which order.

/** Waits and limits some fifty times shorter than the defaults, so that a second is worth a minute. */
const patience = {
  ...{ linger: 20, staleAfter: 300, confirmTimeout: 200, connectTimeout: 200 },
  ...{ pingInterval: 100, pongTimeout: 100, requestTimeout: 200 },
  reconnect: { initialDelay: 5, maxDelay: 100, stableAfter: 100 },
}

const addresses = Array.from({ length: 12 }, (_, index): Address => `0x${(0xabc000 + index).toString(16)}`)

/** Who is there from the beginning to the end. */
const permanent = 4

export interface ChaosOptions {
  readonly seed: number
  /** How many faults are made. */
  readonly faults: number
}

export interface Report {
  readonly findings: Findings
  readonly figures: Figures
  /** The faults that were made, by kind. */
  readonly faults: ReadonlyMap<string, number>
  /** What was wrong once all was well again. */
  readonly aftermath: readonly string[]
}

interface Stage {
  readonly random: Random
  readonly simulator: Simulator
  readonly prices: TcpProxy
  readonly relayer: TcpProxy
  readonly client: Client
  readonly witness: Witness
}

export const chaos = async ({ seed, faults }: ChaosOptions): Promise<Report> => {
  const random = seededRandom(`chaos ${seed}`)
  await using simulator = await startSimulator({ tokens: addresses, tick: 5, seed })
  await using prices = await startTcpProxy({ target: simulator.priceWsUrl, seed })
  await using relayer = await startTcpProxy({ target: simulator.baseUrl, seed })
  const witness = new Witness()
  const client = createClient({
    environment: 'mainnet',
    ...simulator,
    ...patience,
    baseUrl: relayer.url,
    priceWsUrl: prices.url,
    webSocket: witness.transport,
    ...(seed % 2 === 0 ? { maxTopicsPerConnection: 5 } : {}),
    ...(seed % 3 === 0 ? { maxFramesPerSecond: 100 } : {}),
  })
  const stage: Stage = { random, simulator, prices, relayer, client, witness }

  const bases = addresses.slice(0, permanent)
  for (const base of bases) witness.join(client, `svc-${base}`)
  const polls = addresses.slice(0, 3).map((mint) => watchPoll(client, mint))
  const made = new Map<string, number>()
  for (let count = 0; count < faults; count++) {
    const [name, make] = pick(random, moves)
    make(stage)
    made.set(name, (made.get(name) ?? 0) + 1)
    // Whoever the service refused, because what went there was corrupted, is there again.
    for (const base of bases) if (!witness.wanted.includes(base)) witness.join(client, `svc-${base}`)
    await witness.happenings(Math.floor(random() * 60))
  }

  becomesWell(stage)
  const aftermath = await untilWell(stage, polls)
  await witness.close(client)
  if (await remains(() => prices.connections + relayer.connections > 0)) aftermath.push('sockets were left')
  const { findings, figures } = witness
  return { findings, figures, faults: made, aftermath }
}

type Move = (stage: Stage) => void

const someTopic = (random: Random): Topic => {
  const address = pick(random, addresses)
  return `svc-0x${random() < 0.5 ? address.slice(2) : address.slice(2).toUpperCase()}`
}

const moves: readonly (readonly [name: string, move: Move])[] = [
  ['join', ({ random, client, witness }) => void witness.join(client, someTopic(random))],
  [
    'join several',
    ({ random, client, witness }) => {
      for (let count = 0; count < 5; count++) witness.join(client, someTopic(random))
    },
  ],
  [
    'leave',
    ({ random, witness }) => {
      const others = witness.listeners.slice(permanent).filter(({ active }) => active)
      if (others.length > 0) witness.leave(pick(random, others))
    },
  ],
  [
    'leave all',
    ({ witness }) => {
      for (const listener of witness.listeners.slice(permanent)) if (listener.active) witness.leave(listener)
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
  ['corrupt what comes', ({ prices }) => prices.corrupt('down')],
  ['corrupt what goes', ({ prices }) => prices.corrupt('up')],
  [
    'close frame',
    ({ random, simulator }) => simulator.dropConnections(pick(random, [1000, 1001, 1012, 4999])),
  ],
  ['stall', ({ simulator }) => simulator.inject({ stall: true })],
  ['refuse', ({ simulator }) => simulator.inject({ refuseUpgrades: 503, httpStatus: 503 })],
  ['garbage', ({ simulator }) => simulator.inject({ garbage: ['malformed', 'wrong-price', 'binary'] })],
  ['no confirmations', ({ simulator }) => simulator.inject({ confirmations: 'none', echoQuote: true })],
  ['mend', ({ simulator }) => simulator.inject({})],
  ['mend', ({ simulator }) => simulator.inject({})],
  ['error text', ({ simulator }) => simulator.send('Error: something internal')],
]

const pick = <A>(random: Random, from: readonly A[]): A => from[Math.floor(random() * from.length)] as A

/** All is well from now on. A last reset lets what was corrupted on its way to the service be forgotten there. */
const becomesWell = ({ simulator, prices, relayer }: Stage): void => {
  simulator.inject({})
  prices.heal()
  relayer.heal()
  prices.reset()
}

/** Returns what is still wrong when there has been more than enough time. */
const untilWell = async (stage: Stage, polls: readonly Poll[]): Promise<string[]> => {
  await remains(() => complaints(stage, polls).length > 0)
  return complaints(stage, polls)
}

const complaints = ({ simulator, client, witness }: Stage, polls: readonly Poll[]): string[] => {
  const { wanted } = witness
  const active = simulator.connections.flatMap(({ topics }) => topics.map(baseOf)).sort()
  const { status } = client.inspect()
  const sad = witness.listeners.filter((listener) => listener.active && !isPrice(listener.last))
  return [
    ...(active.join() === wanted.join() ? [] : [`wanted ${wanted.join()}; active ${active.join()}`]),
    ...(status._tag === 'Open' ? [] : [`the status is ${status._tag}`]),
    ...sad.map(({ topic }) => `${topic} has no price`),
    ...polls.filter(({ isWell }) => !isWell).map(({ mint }) => `the poll of ${mint} has no depth`),
    ...polls.flatMap(({ mint, ended }) => (ended === undefined ? [] : [`the poll of ${mint} ${ended}`])),
  ]
}

const isPrice = (event: Either<unknown, unknown> | undefined): boolean =>
  event !== undefined && isRight(event)

interface Poll {
  readonly mint: Address
  isWell: boolean
  /** How it ended, which it must not. */
  ended: string | undefined
}

const watchPoll = (client: Client, mint: Address): Poll => {
  const poll: Poll = { mint, isWell: false, ended: undefined }
  client.depth$(mint, 20).subscribe({
    next: (event) => (poll.isWell = isRight(event)),
    error: () => (poll.ended = 'failed'),
    complete: () => (poll.ended ??= 'completed'),
  })
  return poll
}

/** Whether something still holds when there has been more than enough time for it to end. */
const remains = async (condition: () => boolean): Promise<boolean> => {
  const end = performance.now() + 10_000
  while (condition() && performance.now() < end) await wait(10)
  return condition()
}
