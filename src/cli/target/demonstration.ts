import {
  asyncScheduler,
  filter,
  map,
  merge,
  repeat,
  share,
  switchMap,
  take,
  tap,
  timer,
  type Observable,
} from 'rxjs'
import type { Client, PriceClient } from '../../client/client.js'
import type { Address } from '../../base/domain/address.js'
import { addressOf } from '../../base/domain/topic.js'
import { toStream$ } from '../../base/time/stream.js'
import {
  combinedMarket,
  randomWalk,
  recordedMarket,
  type Faults,
  type Market,
  type Simulator,
  type TokenOptions,
} from '../../simulator/index.js'

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
  /** Emits when the simulator accepts the token that it rejects at first. */
  readonly accepted$: Observable<unknown>
}

export const createDemonstration = (simulator: Simulator): Demonstration => {
  const every = 60_000
  const inject = (text: string, first: number, faults: Faults): Step => ({
    text,
    first,
    every,
    run: () => simulator.inject(faults),
  })
  const drop: Step = {
    text: 'drops its connection',
    first: 12_000,
    every,
    run: () => {
      simulator.inject({ refuseUpgrades: 503 })
      simulator.dropConnections(1012)
    },
  }
  const accept: Step = {
    text: `accepts ${rejectedToken.symbol}`,
    first: 20_000,
    run: () => simulator.list(rejectedToken),
  }
  const { next, step$ } = createTimetable([
    drop,
    inject('accepts connections', 14_000, {}),
    accept,
    inject('refuses requests for depth', 26_000, { httpStatus: 503 }),
    inject('answers them', 34_000, {}),
    inject('hangs', 42_000, { stall: true }),
    inject('continues', 50_000, {}),
  ])
  return {
    title: 'A simulator plays a recorded market.',
    detail: 'ARB, GMX, LINK and PEPE have random prices.',
    next: (now) => `Next: it ${next(now)}.`,
    step$: step$.pipe(map(({ text }) => `The simulator ${text}.`)),
    accepted$: step$.pipe(filter((step) => step === accept)),
  }
}

/** A token that the simulator of a demonstration rejects until it lists it. */
export const rejectedToken = {
  address: '0x25d887ce7a35172c62febfd67a1856f20faebb00',
  symbol: 'PEPE',
  decimals: 18,
  price: 0.00000892,
} as const

export const randomTokens = [
  { address: '0x912ce59144191c1204e64559fe8253a0e49e6548', symbol: 'ARB', price: 0.5312 },
  { address: '0xfc5a1a6eb076a2c7ad06ed22c90d7e710e35ad0a', symbol: 'GMX', price: 26.41 },
  { address: '0xf97f4df75117a78c1a5a0dbb814af92458539fb4', symbol: 'LINK', price: 10.37 },
  rejectedToken,
] as const

/** Of the random prices; the tick in ms. */
export const [walkSeed, walkTick] = [7, 300]

/** The recorded market, and tokens with random prices. `isDemo`: without the token that is rejected at first. */
export const demonstrationMarket = (isDemo: boolean): Market => {
  const tokens: readonly TokenOptions[] = randomTokens.filter((token) => !isDemo || token !== rejectedToken)
  return combinedMarket(recordedMarket(), randomWalk({ tokens, seed: walkSeed, tick: walkTick }))
}

interface Clients {
  readonly client: PriceClient
  readonly depthClient: Client | undefined
}

/** Clients that subscribe to the price of one token again, and request its depth, after `accepted$` emits. */
export const resubscribe = (
  { client, depthClient }: Clients,
  token: Address,
  accepted$: Observable<unknown>,
): Clients => ({
  client: {
    ...client,
    price$: (topic) => {
      const price$ = client.price$(topic)
      return addressOf(topic) === token ? toStream$(price$.pipe(repeat({ delay: () => accepted$ }))) : price$
    },
  },
  depthClient: depthClient && {
    ...depthClient,
    depth$: (mint, interval) => {
      const depth$ = depthClient.depth$(mint, interval)
      return mint === token
        ? toStream$(
            accepted$.pipe(
              take(1),
              switchMap(() => depth$),
            ),
          )
        : depth$
    },
  },
})

export interface Step {
  /** What happens, such as `drops its connection`. */
  readonly text: string
  /** Time until the first run, in ms. */
  readonly first: number
  /** Time between two runs, in ms. Absent: the step runs once. */
  readonly every?: number
  readonly run: () => void
}

export interface Timetable {
  /** The next step, and the remaining time at `now`: `drops its connection in 12 s`. */
  readonly next: (now: number) => string
  /** Runs the steps while it is subscribed to. Emits each step after its run. */
  readonly step$: Observable<Step>
}

/** Runs steps at their times. At least one step must repeat, so that there is always a next one. */
export const createTimetable = (steps: readonly Step[]): Timetable => {
  const start = asyncScheduler.now()
  const dueTimes = new Map(steps.map((step) => [step, start + step.first]))
  const run = (step: Step): void => {
    dueTimes.set(step, asyncScheduler.now() + (step.every ?? Infinity))
    step.run()
  }
  return {
    next: (now) => {
      const [step, due] = [...dueTimes].reduce((a, b) => (b[1] < a[1] ? b : a))
      return `${step.text} in ${Math.ceil(Math.max(0, due - now) / 1000)} s`
    },
    step$: merge(
      ...steps.map((step) =>
        // RxJS emits once if the interval is negative.
        timer(step.first, step.every ?? -1).pipe(
          tap(() => run(step)),
          map(() => step),
        ),
      ),
    ).pipe(share()),
  }
}
