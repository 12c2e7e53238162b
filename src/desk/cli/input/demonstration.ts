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
import type { Client, PriceClient } from '../../../client/client.js'
import type { Address } from '../../../base/domain/address.js'
import { addressOf } from '../../../base/domain/topic.js'
import {
  combinedMarket,
  randomWalk,
  recordedMarket,
  type Market,
  type Simulator,
} from '../../../simulator/index.js'

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
  const drop: Step = {
    text: 'drops its connection',
    first: 12_000,
    every: 20_000,
    run: () => {
      simulator.inject({ refuseUpgrades: 503 })
      simulator.dropConnections(1012)
    },
  }
  const recover: Step = {
    text: 'accepts connections',
    first: 14_000,
    every: 20_000,
    run: () => simulator.inject({}),
  }
  const accept: Step = {
    text: `accepts ${rejectedToken.symbol}`,
    first: 20_000,
    run: () => simulator.list(rejectedToken),
  }
  const { next, step$ } = createTimetable([drop, recover, accept])
  return {
    title: 'A simulator plays a recorded market.',
    detail: 'ARB, GMX, LINK and PEPE have random prices.',
    next: (now) => `Next: it ${next(now)}.`,
    step$: step$.pipe(map(({ text }) => `The simulator ${text}.`)),
    accepted$: step$.pipe(filter((step) => step === accept)),
  }
}

const randomTokens = [
  { address: '0x912ce59144191c1204e64559fe8253a0e49e6548', symbol: 'ARB', price: 0.5312 },
  { address: '0xfc5a1a6eb076a2c7ad06ed22c90d7e710e35ad0a', symbol: 'GMX', price: 26.41 },
  { address: '0xf97f4df75117a78c1a5a0dbb814af92458539fb4', symbol: 'LINK', price: 10.37 },
] as const

export const demonstrationMarket = (): Market =>
  combinedMarket(recordedMarket(), randomWalk({ tokens: randomTokens, seed: 7, tick: 300 }))

/** A token that the simulator rejects until the demonstration lists it. */
export const rejectedToken = {
  address: '0x25d887ce7a35172c62febfd67a1856f20faebb00',
  symbol: 'PEPE',
  decimals: 18,
  price: 0.4821,
} as const

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
      return addressOf(topic) === token ? price$.pipe(repeat({ delay: () => accepted$ })) : price$
    },
  },
  depthClient: depthClient && {
    ...depthClient,
    depth$: (mint, interval) => {
      const depth$ = depthClient.depth$(mint, interval)
      return mint === token
        ? accepted$.pipe(
            take(1),
            switchMap(() => depth$),
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
