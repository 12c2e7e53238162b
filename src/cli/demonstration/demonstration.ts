import { filter, map, type Observable } from 'rxjs'
import type { Simulator } from '../../simulator/index.js'
import { rejectedToken } from './market.js'
import { createTimetable, type Step } from './timetable.js'

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
