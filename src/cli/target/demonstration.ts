import { right } from 'fp-ts/lib/Either.js'
import { asyncScheduler, defer, from, map, merge, tap, timer, type Observable } from 'rxjs'
import type { History } from '../../backtest/history/history.js'
import { type Address, addressOf } from '../../base/domain/topic.js'
import { rxClock } from '../../base/time/clock.js'
import {
  combinedMarket,
  randomWalk,
  recordedMarket,
  type Faults,
  type Market,
  type Simulator,
  type TokenOptions,
} from '../../simulator/index.js'
import { walkPrices } from '../../simulator/market/random-walk.js'
import { btc, eth } from '../../simulator/market/token-options.js'

/** Scheduled faults of a simulator, which make the recovery of the client visible. */
export interface Demonstration {
  /** The source of the prices, as a sentence. */
  readonly title: string
  /** More about the prices, for a wide screen. */
  readonly detail: string
  /** The next fault or recovery, with the remaining time at `now`. */
  readonly next: (now: number) => string
  /** Causes the faults and recoveries while it is subscribed to. Emits a sentence for each. */
  readonly step$: Observable<string>
}

/** Each step comes again after this time, in ms. */
const period = 60_000

export const createDemonstration = (
  simulator: Pick<Simulator, 'inject' | 'dropConnections'>,
): Demonstration => {
  /** `first`: time of the first run, in ms from the start. */
  const steps: readonly { readonly first: number; readonly text: string; readonly faults: Faults }[] = [
    { first: 12_000, text: 'drops its connection', faults: { refuseUpgrades: 503 } },
    { first: 14_000, text: 'accepts connections', faults: {} },
    { first: 26_000, text: 'refuses requests for depth', faults: { httpStatus: 503 } },
    { first: 34_000, text: 'answers them', faults: {} },
    { first: 42_000, text: 'hangs', faults: { stall: true } },
    { first: 50_000, text: 'continues', faults: {} },
  ]
  const run = (faults: Faults): void => {
    simulator.inject(faults)
    if (faults.refuseUpgrades !== undefined) simulator.dropConnections(1012)
  }
  const start = asyncScheduler.now()
  return {
    title: 'A simulator plays a recorded market.',
    detail: 'ARB, GMX, LINK and PEPE have random prices.',
    next: (now) => {
      const dueIn = ({ first }: { readonly first: number }): number =>
        (((start + first - now) % period) + period) % period
      const next = steps.reduce((a, b) => (dueIn(b) < dueIn(a) ? b : a))
      return `Next: it ${next.text} in ${Math.ceil(dueIn(next) / 1000)} s.`
    },
    step$: merge(
      ...steps.map(({ first, text, faults }) =>
        timer(first, period).pipe(
          tap(() => run(faults)),
          map(() => `The simulator ${text}.`),
        ),
      ),
    ),
  }
}

const randomTokens = [
  { address: '0x912ce59144191c1204e64559fe8253a0e49e6548', symbol: 'ARB', price: 0.5312 },
  { address: '0xfc5a1a6eb076a2c7ad06ed22c90d7e710e35ad0a', symbol: 'GMX', price: 26.41 },
  { address: '0xf97f4df75117a78c1a5a0dbb814af92458539fb4', symbol: 'LINK', price: 10.37 },
  { address: '0x25d887ce7a35172c62febfd67a1856f20faebb00', symbol: 'PEPE', price: 0.00000892 },
] as const

/** Of the random prices; the tick in ms. */
const [walkSeed, walkTick] = [7, 300]

export const demonstrationMarket = (): Market =>
  combinedMarket(recordedMarket(), randomWalk({ tokens: randomTokens, seed: walkSeed, tick: walkTick }))

/** The length of the past of a simulator, in ms: that of the recording. */
const pastMs = 300_000

/** The five minutes before a simulator begins: random prices, which end where the market begins. */
export const simulatedHistory = (): History => {
  const pastOf = (token: TokenOptions) =>
    [token.address, walkPrices(token, walkSeed + 1, pastMs / walkTick)] as const
  const pasts = new Map<Address, readonly number[]>([eth, btc, ...randomTokens].map(pastOf))
  return {
    // A simulator begins when a page is opened for the first time.
    prices$: (topic, { from: start }) =>
      defer(() => {
        const now = rxClock.wallClock()
        const events = (pasts.get(addressOf(topic)) ?? []).map((price, index) => ({
          ...{ _tag: 'PastPrice' as const, topic, price, at: now - index * walkTick },
        }))
        return from(events.filter(({ at }) => at >= start).reverse()).pipe(map(right))
      }),
    topics: () => () => Promise.resolve(right([])),
  }
}
