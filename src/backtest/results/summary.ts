import { numberOption } from '../../base/option-kinds/number-option.js'
import type { OptionTable } from '../../base/option-kinds/option.js'
import { parseOptions } from '../../base/option-kinds/parse-options.js'
import type { PaperEvent } from '../account/events.js'
import { timeOption } from '../replay/replay-options.js'
import type { Summary } from './figures.js'
import { RunFold } from './run-fold.js'

export interface SummaryOptions {
  /** The distance of two samples, in ms. Default: 60000. */
  readonly sampleMs?: number
  /** Earlier events do not count, in ms since the Unix epoch. Default: all count. */
  readonly from?: number
}

export const summaryTable = {
  sampleMs: numberOption({ unit: 'ms', min: 1, max: 1e12, default: 60_000 }),
  from: timeOption,
} satisfies OptionTable<SummaryOptions>

/** Computes the figures of a run event by event, in constant memory. */
export interface SummaryFold {
  readonly add: (event: PaperEvent) => void
  /** Those of the events so far. */
  readonly result: () => Summary
}

/**
 * The figures of the events of one run, or of all runs of one journal. Throws a `ConfigurationError` for an invalid
 * option, and a misspelt option name.
 *
 * @example
 * import type { PaperEvent } from 'svc-streams/paper'
 * const print = (events: readonly PaperEvent[]) => console.log(summaryOf(events))
 */
export const summaryOf = (events: readonly PaperEvent[], options: SummaryOptions = {}): Summary => {
  const { add, result } = summary(options)
  for (const event of events) add(event)
  return result()
}

/** `summaryOf` as a fold: `add` each event, then read `result`. */
export const summary = (options: SummaryOptions = {}): SummaryFold => {
  const { sampleMs, from } = parseOptions(summaryTable, options, { allowsUndefined: true })
  const run = new RunFold(false, sampleMs, from)
  return { add: (event) => run.add(event), result: () => run.summary }
}
