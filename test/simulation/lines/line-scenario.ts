import { seededRandom } from '../../../src/simulator/market/seeded-random.js'
import { Chance } from '../search/scenario.js'

/** What fails at one host, and its link to the client. */
export type LineFault =
  | 'block up'
  | 'block down'
  | 'block both'
  | 'cut'
  | 'slow link'
  | 'latency'
  | 'stop'
  | 'kill'
  | 'switch off'
  | 'silent'
  | 'close'
  | 'drain'

/** A fault of a host, or what the program does with a topic. In ms since the start. */
export type LineStep =
  | { readonly at: number; readonly fault: LineFault; readonly host: number; readonly ms: number }
  | { readonly at: number; readonly topic: number; readonly isSubscribed: boolean }

/**
 * `rotation`: nothing fails, and lines are replaced. `one`: one host at a time fails, and all have recovered before the next
 * fault. `any`: hosts fail at the same time.
 */
export type LineKind = 'rotation' | 'one' | 'any'

export interface LineScenario {
  readonly seed: number
  readonly kind: LineKind
  readonly hosts: number
  readonly lines: number
  /** In ms; `undefined`: none. */
  readonly rotateAfter: number | undefined
  readonly maxLag: number
  /** The time for a message from the client to each host, in ms. */
  readonly latencies: readonly number[]
  /** The mean time between two prices of each topic, in ms. */
  readonly intervals: readonly number[]
  readonly steps: readonly LineStep[]
  /** Each fault ends before this time, in ms. */
  readonly activeMs: number
}

/** The time within which all lines are open and have prices again, in ms. */
export const recoveryMs = 60_000

const faults: readonly LineFault[] = [
  ...(['block up', 'block down', 'block both', 'cut', 'slow link', 'latency'] as const),
  ...(['stop', 'kill', 'switch off', 'close', 'drain'] as const),
]

export const lineScenarioOf = (seed: number, kind: LineKind): LineScenario => {
  const chance = new Chance(seededRandom(`lines ${kind} ${seed}`))
  const hosts = kind === 'one' ? chance.pick([2, 2, 3]) : chance.pick([1, 2, 3])
  // One line has no other one that takes over; more lines than hosts lose two at a time.
  const lines = kind === 'one' ? chance.between(2, hosts) : chance.between(1, 3)
  const topics = chance.between(1, 4)
  const activeMs = chance.between(3, 8) * 60_000
  const steps: LineStep[] = Array.from({ length: topics }, (_, topic) => ({
    at: chance.between(0, 1_000),
    topic,
    isSubscribed: true,
  }))
  if (kind === 'any')
    for (let at = chance.between(2_000, 10_000); at < activeMs; at += chance.between(1, 20_000))
      steps.push({ at, topic: chance.between(0, topics - 1), isSubscribed: chance.isTrue(0.7) })
  for (let at = recoveryMs; kind !== 'rotation' && at < activeMs;) {
    const ms = Math.min(activeMs - at, chance.between(1, chance.pick([300, 3_000, 20_000])))
    // A service that leaves out prices has older ones than the others: it may come to the front if those fail too.
    const fault = chance.pick(kind === 'one' ? [...faults, 'silent' as const] : faults)
    steps.push({ at, fault, host: chance.between(0, hosts - 1), ms })
    at += kind === 'one' ? ms + recoveryMs : chance.between(1, chance.pick([1_000, 20_000]))
  }
  return {
    ...{ seed, kind, hosts, lines, activeMs },
    rotateAfter: kind === 'rotation' || chance.isTrue(0.3) ? chance.between(5_000, 40_000) : undefined,
    maxLag: chance.pick([1_000, 2_000, 5_000]),
    // Lines that are late by more than the time between two prices never have the same ones at the same time.
    latencies: Array.from({ length: hosts }, () => chance.pick(kind === 'rotation' ? [5, 15] : [5, 50, 200])),
    intervals: Array.from({ length: topics }, () => chance.pick([300, 1_000, 3_000])),
    steps: steps.sort((a, b) => a.at - b.at),
  }
}
