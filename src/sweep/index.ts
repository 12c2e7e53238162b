/**
 * Runs a strategy with many parameters over a recording, on several cores.
 *
 * @module
 */

export { sweep } from './sweep.js'
export type { SweepOptions } from './options.js'
export type { SweepResult, SweepRun, SweepStrategy, SweepSummary } from './result.js'
export type { SweepPart, SweepSource } from './source.js'
export type { SweepError, SweepFault } from '../errors/sweep-error.js'
