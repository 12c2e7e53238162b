import { runEpisode } from './episode.js'
import { scenarioOf, type Shares } from './scenario.js'
import type { Failure } from './shrink.js'

export interface SearchLimits {
  readonly firstSeed: number
  /** Ends when this much time is simulated, in ms. */
  readonly simulatedMs: number
  /** Ends after this much real time, in ms. Default: `Infinity`. */
  readonly realMs?: number
  /** Default: as `scenarioOf`. */
  readonly shares?: Shares
  /** Called after each seed, with the totals so far. */
  readonly onSeed?: (result: SearchResult) => void
}

export interface SearchResult {
  /** The first seed that violates an invariant, if one does. */
  readonly failure: Failure | undefined
  readonly seeds: number
  readonly simulatedMs: number
  readonly events: number
  /** The number of events that subscribers received. */
  readonly delivered: number
  /** Real time, in ms. */
  readonly elapsedMs: number
}

/** Runs the scenarios of consecutive seeds, until one violates an invariant or a limit is reached. */
export const searchSeeds = async ({
  firstSeed,
  simulatedMs: limit,
  realMs = Infinity,
  shares,
  onSeed,
}: SearchLimits): Promise<SearchResult> => {
  const start = performance.now()
  let result: SearchResult = {
    ...{ failure: undefined, seeds: 0, simulatedMs: 0, events: 0, delivered: 0, elapsedMs: 0 },
  }
  while (result.failure === undefined && result.simulatedMs < limit && result.elapsedMs < realMs) {
    const scenario = scenarioOf(firstSeed + result.seeds, shares)
    const { violation, simulatedMs, events, delivered } = await runEpisode(scenario)
    result = {
      failure: violation === undefined ? undefined : { scenario, violation },
      seeds: result.seeds + 1,
      simulatedMs: result.simulatedMs + simulatedMs,
      events: result.events + events,
      delivered: result.delivered + delivered,
      elapsedMs: performance.now() - start,
    }
    onSeed?.(result)
    // A scenario waits for promises alone: here the event loop turns, for signals and for the output.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return result
}
