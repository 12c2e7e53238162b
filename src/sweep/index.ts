/**
 * Runs a strategy with many parameters over a recording, on several cores.
 *
 * @module
 */

export {
  sweep,
  type SweepPart,
  type SweepResult,
  type SweepRun,
  type SweepSource,
  type SweepStrategy,
  type SweepSummary,
} from './sweep.js'
export type { SweepOptions } from './options.js'
export type { SweepError, SweepFault } from '../errors/sweep-error.js'
