import { Subscription } from 'rxjs'
import { counted } from '../../../view/texts.js'
import { oneLine, printable } from '../../../base/errors/text.js'
import type { Costs } from '../../../backtest/account/options.js'
import type { PaperOptions } from '../../../backtest/paper/index.js'
import { isPaperOptions } from '../../../backtest/sweep/worker/load-strategy.js'
import type { SweepOptions } from '../../../backtest/sweep/options.js'
import { allTimes, type TimeRange } from '../../../backtest/recording/codec/timeline.js'
import { nodePlatform } from '../../../backtest/recording/read/node-platform.js'
import { readSet } from '../../../backtest/recording/read/merge.js'
import { openableSources } from '../../../backtest/recording/read/source.js'
import { outputJson } from '../../render/terminal.js'
import { orFail, seeGuide } from '../../render/error-text.js'
import { usageError } from '../../target/parse-flags.js'
import { noRowText } from '../../target/range.js'
import { exportsOf, runnableModule, withCosts, type RunnableModule } from './strategy-module.js'

/** The arguments of a command: recordings, and last the module of the strategy. */
export interface BacktestFiles {
  readonly recordings: readonly string[]
  readonly module: string
}

/** What `sweep` runs, with and without `--walk-forward`. */
export interface StrategyRun extends BacktestFiles {
  /** The module, as a worker imports it. */
  readonly strategy: URL
  readonly parameters: readonly unknown[]
  readonly played: SweepOptions
  readonly costs: Costs
  /** The options of the account whose orders the module returns; undefined if it exports none. */
  readonly account: PaperOptions | undefined
  /** The command that gives the results again. */
  readonly commandText: string
}

export const backtestFiles = (files: readonly string[]): BacktestFiles => {
  const module = files.length < 2 ? undefined : files.at(-1)
  if (module === undefined) return usageError('give a recording, and after it the module of the strategy')
  if (files.includes('-'))
    return usageError('-: each worker thread reads the recording; give a file, not standard input')
  if (/\.(?:ndjson|json|parquet|gz)$/i.test(module))
    return usageError(
      `${printable(module)}: expected the module of the strategy, such as strategy.js; give the recordings first, and the module last`,
    )
  return { recordings: files.slice(0, -1), module }
}

/** Throws if the module does not exist or the range has no row: each run would fail for the same reason. */
export const checkedStrategy = async (
  { recordings, module }: BacktestFiles,
  range: Partial<TimeRange> = {},
): Promise<RunnableModule> => {
  const strategy = await runnableModule(module)
  try {
    await checkRows(recordings, range)
    return strategy
  } catch (thrown) {
    strategy[Symbol.dispose]()
    throw thrown
  }
}

const checkRows = async (recordings: readonly string[], range: Partial<TimeRange>): Promise<void> => {
  const closing = new Subscription()
  const reading = { closing, range: { ...allTimes, ...range } }
  let startAt = Infinity
  try {
    for await (const entries of readSet(openableSources(nodePlatform, recordings), reading)) {
      for (const { line } of orFail(entries)) {
        if (line._tag !== 'Recording') return
        startAt = Math.min(startAt, line.at)
      }
    }
  } finally {
    closing.unsubscribe()
  }
  throw new Error(noRowText(startAt, range))
}

/** The failure of a command some of whose runs have no result. `one`: what has a run of its own. */
export const withoutResult = (
  failed: number,
  all: number,
  one: string,
  error: { readonly _tag: string },
): Error =>
  new Error(
    `${failed} of ${counted(all, one)} ${failed === 1 ? 'has' : 'have'} no result; ${seeGuide(error)}`,
  )

/** A value of a strategy as JSON on one line of limited length. */
export const jsonText = (value: unknown): string => {
  try {
    return oneLine(outputJson(value))
  } catch {
    return 'a value without JSON'
  }
}

/** The options that a module exports for an account, with the costs of the flags. Throws if they are not valid. */
export const accountOptions = async (
  module: string,
  runnable: RunnableModule,
  costs: Costs,
): Promise<PaperOptions | undefined> => {
  const { options } = await exportsOf(runnable)
  return isPaperOptions(options) ? withCosts(module, options, costs) : undefined
}
