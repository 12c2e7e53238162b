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
  | 'close'
  | 'drain'
  | ClientFault
  | keyof typeof behaviours

/** The process of the client is stopped, or one of its callbacks blocks the event loop. */
type ClientFault = 'pause' | 'busy'

/** What a service does differently from a correct one. */
export interface LineBehaviour {
  readonly sendsPrices: boolean
  readonly sendsPongs: boolean
  /** `new`: only the topic of the frame. */
  readonly confirmations: 'all' | 'new' | 'none'
  readonly ignoresUnsubscribe: boolean
  readonly answersUnsubscribe: boolean
  readonly appendsQuote: boolean
  /** Each price is followed by a frame of its topic without one. */
  readonly sendsGarbage: boolean
  /** Topics with an even number are rejected. */
  readonly rejects: 'none' | 'named' | 'unnamed'
  readonly refuses: boolean
  /** The time that each message takes, in ms. */
  readonly msPerMessage: number
}

export const behaviours = {
  silent: { sendsPrices: false },
  'no pongs': { sendsPongs: false },
  'confirms new topics only': { confirmations: 'new' },
  'confirms nothing': { confirmations: 'none' },
  'keeps topics': { ignoresUnsubscribe: true },
  'answers no unsubscribe': { answersUnsubscribe: false },
  'appends quotes': { appendsQuote: true },
  garbage: { sendsGarbage: true },
  'rejects by name': { rejects: 'named' },
  'rejects without a name': { rejects: 'unnamed' },
  refuses: { refuses: true },
  'slow service': { msPerMessage: 200 },
} as const satisfies Record<string, Partial<LineBehaviour>>

/** A fault of a host, or what the program does with a topic. In ms since the start. */
export type LineStep =
  | { readonly at: number; readonly fault: LineFault; readonly host: number; readonly ms: number }
  | {
      readonly at: number
      readonly topic: number
      readonly isSubscribed: boolean
      readonly subscriber?: number
    }

/**
 * `rotation`: nothing fails, and lines are replaced. `one`: one host at a time fails, and all have recovered before the next
 * fault. `any`: hosts fail at the same time. `varied`: also, services misbehave, the client is paused, topics have several
 * subscribers and spread over connections, and prices repeat.
 */
export type LineKind = 'rotation' | 'one' | 'any' | 'varied'

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
  readonly variety: LineVariety
}

/** What a subscriber does with some of the prices: nothing, or within `next` it blocks, throws, leaves, or leaves and joins again. */
export type LineHandler = 'steady' | 'slow' | 'throws' | 'leaves' | 'joins again'

export interface LineVariety {
  readonly options: { readonly maxTopicsPerConnection?: number; readonly maxFramesPerSecond?: number }
  readonly isPage: boolean
  readonly linger: number
  readonly subscribers: number
  /** The part of the prices that repeat the previous one. */
  readonly repeats: number
  readonly handler: LineHandler
  /** What each service does all the time. */
  readonly behaviours: readonly Partial<LineBehaviour>[]
}

const usual: LineVariety = {
  options: {},
  ...{ isPage: false, linger: 200, subscribers: 1, repeats: 0, handler: 'steady', behaviours: [] },
}

/** The time within which all lines are open and have prices again, in ms. */
export const recoveryMs = 60_000

const faults: readonly LineFault[] = [
  ...(['block up', 'block down', 'block both', 'cut', 'slow link', 'latency'] as const),
  ...(['stop', 'kill', 'switch off', 'close', 'drain'] as const),
]

export const lineScenarioOf = (seed: number, kind: LineKind): LineScenario =>
  kind === 'varied' ? variedScenario(seed) : usualScenario(seed, kind)

const usualScenario = (seed: number, kind: LineKind): LineScenario => {
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
    ...{ seed, kind, hosts, lines, activeMs, variety: usual },
    rotateAfter: kind === 'rotation' || chance.isTrue(0.3) ? chance.between(5_000, 40_000) : undefined,
    maxLag: chance.pick([1_000, 2_000, 5_000]),
    // Lines that are late by more than the time between two prices never have the same ones at the same time.
    latencies: Array.from({ length: hosts }, () => chance.pick(kind === 'rotation' ? [5, 15] : [5, 50, 200])),
    intervals: Array.from({ length: topics }, () => chance.pick([300, 1_000, 3_000])),
    steps: steps.sort((a, b) => a.at - b.at),
  }
}

const clientFaults: readonly ClientFault[] = ['pause', 'busy']

const variedScenario = (seed: number): LineScenario => {
  const chance = new Chance(seededRandom(`lines varied ${seed}`))
  const hosts = chance.pick([1, 2, 2, 3])
  const lines = chance.between(1, 4)
  const topics = chance.pick([1, 2, 4, 7])
  const activeMs = chance.between(3, 6) * 60_000
  const subscribers = chance.pick([1, 1, 2, 3])
  const steps: LineStep[] = Array.from({ length: topics }, (_, topic) => ({
    at: chance.between(0, 1_000),
    topic,
    isSubscribed: true,
  }))
  const meanGap = chance.pick([200, 3_000, 20_000])
  for (let at = chance.between(2_000, 10_000); at < activeMs; at += chance.between(1, 2 * meanGap))
    steps.push({
      at,
      topic: chance.between(0, topics - 1),
      isSubscribed: chance.isTrue(0.6),
      subscriber: chance.between(0, subscribers - 1),
    })
  const names = Object.keys(behaviours) as (keyof typeof behaviours)[]
  // A service that leaves out prices has older ones than the others.
  const kinds = [...faults, ...clientFaults, ...names].filter(
    (name) => name !== 'silent' && chance.isTrue(0.3),
  )
  const faultGap = chance.pick([1_000, 5_000, 20_000])
  if (kinds.length > 0)
    for (let at = chance.between(1, 30_000); at < activeMs; at += chance.between(1, 2 * faultGap)) {
      const ms = Math.min(activeMs - at, chance.between(1, chance.pick([300, 3_000, 20_000])))
      steps.push({ at, fault: chance.pick(kinds), host: chance.between(0, hosts - 1), ms })
    }
  const isPage = chance.isTrue(0.25)
  return {
    ...{ seed, kind: 'varied', hosts, lines, activeMs },
    rotateAfter: chance.isTrue(0.4) ? chance.between(2_000, 40_000) : undefined,
    maxLag: chance.pick([500, 1_000, 2_000, 5_000]),
    latencies: Array.from({ length: hosts }, () => chance.pick([1, 5, 50, 200])),
    intervals: Array.from({ length: topics }, () => chance.pick([50, 300, 1_000, 3_000, 8_000])),
    steps: steps.sort((a, b) => a.at - b.at),
    variety: {
      options: {
        ...(chance.isTrue(0.3) ? { maxTopicsPerConnection: chance.pick([1, 2, 3]) } : {}),
        // The probes of a page are frames.
        ...(chance.isTrue(0.2) && !isPage ? { maxFramesPerSecond: chance.pick([2, 10]) } : {}),
      },
      isPage,
      linger: chance.pick([0, 200, 1_000]),
      subscribers,
      repeats: chance.pick([0, 0, 0.3, 0.8]),
      handler: chance.pick(['steady', 'steady', 'slow', 'throws', 'leaves', 'joins again']),
      behaviours: Array.from({ length: hosts }, () =>
        chance.isTrue(0.3)
          ? behaviours[
              chance.pick([
                ...(['confirms new topics only', 'answers no unsubscribe', 'appends quotes'] as const),
                // A page would take a service for one that no longer answers, once it had answered during another fault.
                ...(isPage ? [] : (['confirms nothing'] as const)),
              ])
            ]
          : {},
      ),
    },
  }
}
