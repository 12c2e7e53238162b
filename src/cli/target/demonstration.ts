import { asyncScheduler, map, merge, share, tap, timer, type Observable } from 'rxjs'
import {
  combinedMarket,
  randomWalk,
  recordedMarket,
  type Faults,
  type Market,
  type Simulator,
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
  const { next, step$ } = createTimetable([
    drop,
    inject('accepts connections', 14_000, {}),
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
  }
}

export const randomTokens = [
  { address: '0x912ce59144191c1204e64559fe8253a0e49e6548', symbol: 'ARB', price: 0.5312 },
  { address: '0xfc5a1a6eb076a2c7ad06ed22c90d7e710e35ad0a', symbol: 'GMX', price: 26.41 },
  { address: '0xf97f4df75117a78c1a5a0dbb814af92458539fb4', symbol: 'LINK', price: 10.37 },
  { address: '0x25d887ce7a35172c62febfd67a1856f20faebb00', symbol: 'PEPE', price: 0.00000892 },
] as const

/** Of the random prices; the tick in ms. */
export const [walkSeed, walkTick] = [7, 300]

/** The recorded market, and tokens with random prices. */
export const demonstrationMarket = (): Market =>
  combinedMarket(recordedMarket(), randomWalk({ tokens: randomTokens, seed: walkSeed, tick: walkTick }))

export interface Step {
  /** What happens, such as `drops its connection`. */
  readonly text: string
  /** Time until the first run, in ms. */
  readonly first: number
  /** Time between two runs, in ms. */
  readonly every: number
  readonly run: () => void
}

export interface Timetable {
  /** The next step, and the remaining time at `now`: `drops its connection in 12 s`. */
  readonly next: (now: number) => string
  /** Runs the steps while it is subscribed to. Emits each step after its run. */
  readonly step$: Observable<Step>
}

/** Runs steps at their times. */
export const createTimetable = (steps: readonly Step[]): Timetable => {
  const start = asyncScheduler.now()
  const dueTimes = new Map(steps.map((step) => [step, start + step.first]))
  const run = (step: Step): void => {
    dueTimes.set(step, asyncScheduler.now() + step.every)
    step.run()
  }
  return {
    next: (now) => {
      const [step, due] = [...dueTimes].reduce((a, b) => (b[1] < a[1] ? b : a))
      return `${step.text} in ${Math.ceil(Math.max(0, due - now) / 1000)} s`
    },
    step$: merge(
      ...steps.map((step) =>
        timer(step.first, step.every).pipe(
          tap(() => run(step)),
          map(() => step),
        ),
      ),
    ).pipe(share()),
  }
}
