/**
 * Runs a strategy with many parameters over a recording, on several cores, and tests the chosen parameters out of sample.
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
export { walkForward$, type WalkForwardResult, type WalkForwardRun } from './walk-forward.js'
export type { SweepOptions, WalkForwardOptions } from './options.js'
export type { SweepError, SweepFault } from './sweep-error.js'
export type { WalkForwardError, WalkForwardFault, WindowRange, WindowRanges } from './sweep-error.js'
export type { CurvePoint, Folded } from '../results/run-fold.js'
