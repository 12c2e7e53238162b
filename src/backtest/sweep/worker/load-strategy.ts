import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { causeOf } from '../../../base/errors/failure-cause.js'
import type { SweepFault } from '../../../base/errors/sweep-error.js'
import { oneLine, printable } from '../../../base/errors/text.js'
import type { PaperEvent, PaperOptions, PaperStrategy } from '../../paper/index.js'
import type { StrategyClient } from '../../recording/replay/replay-session.js'
import type { SweepStrategy } from '../sweep.js'

/** A strategy, and the values of its result. */
export interface LoadedStrategy {
  readonly strategy$: SweepStrategy<unknown, unknown>
  readonly resultOf: (values: readonly unknown[]) => readonly unknown[]
}

/** What a module exports. A strategy of an account also has the options of `paper`. */
interface StrategyExports {
  readonly default?: unknown
  readonly options?: unknown
}

/**
 * Imports the module of a strategy. A strategy of an account emits the events of the account; its result is their summary.
 * Left: the module cannot be imported, its default export is not a function, or its options are not valid. `journal`: the
 * path of a journal that the account continues.
 */
export const loadStrategy = async (
  url: string,
  journal?: string,
): Promise<Either<SweepFault, LoadedStrategy>> => {
  try {
    const module = exportsOf((await import(url)) as StrategyExports)
    const { default: strategy, options } = module
    if (!isFunction(strategy)) return failed(new Error(expected(url)))
    return right(
      isPaperOptions(options)
        ? await withAccount(strategy as unknown as AccountStrategy, options, journal)
        : { strategy$: strategy, resultOf: (values) => values },
    )
  } catch (thrown) {
    return thrown instanceof SyntaxError ? misspelt(thrown, url) : failed(thrown)
  }
}

type AccountStrategy = (
  ...args: [...Parameters<PaperStrategy<StrategyClient>>, unknown]
) => ReturnType<PaperStrategy<StrategyClient>>

const withAccount = async (
  strategy$: AccountStrategy,
  given: PaperOptions,
  journal: string | undefined,
): Promise<LoadedStrategy> => {
  // Most strategies have no account.
  const { paper: paper$, summaryOf } = await import('../../paper/index.js')
  const { settingsOf, withoutJournal } = await import('../../paper/options.js')
  const options = { ...withoutJournal(given), ...(journal === undefined ? {} : { journal }) }
  settingsOf(options)
  return {
    strategy$: (client, parameter) =>
      paper$(client, (market, account) => strategy$(market, account, parameter), options),
    resultOf: (events) => [summaryOf(events as readonly PaperEvent[])],
  }
}

const isPaperOptions = (options: unknown): options is PaperOptions =>
  typeof options === 'object' && options !== null && ('tokens' in options || 'cash' in options)

/** Those of an ES module, also of one that a compiler has written as CommonJS. */
const exportsOf = (module: StrategyExports): StrategyExports => {
  const { default: exported } = module
  return typeof exported === 'object' && exported !== null && 'default' in exported ? exported : module
}

const failed = (thrown: unknown): Either<SweepFault, never> => left({ why: 'module', cause: causeOf(thrown) })

/**
 * A syntax error with its file. Its message names none, and its stack does so only for some errors: then also the line. The
 * module itself may be correct, and one of its imports is not.
 */
const misspelt = (thrown: SyntaxError, url: string): Either<SweepFault, never> => {
  const cause = causeOf(thrown)
  if (cause.message.includes('file:')) return left({ why: 'module', cause })
  const place = /file:[^\s)]+?:\d+(?=[:)\s]|$)/.exec(thrown.stack ?? '')?.[0]
  const where = place ?? `${url.replace(/#.*/, '')} or one of its imports`
  return left({ why: 'module', cause: { ...cause, message: `${cause.message}, in ${printable(where)}` } })
}

const isFunction = (value: unknown): value is SweepStrategy<unknown, unknown> => typeof value === 'function'

const expected = (url: string): string =>
  `expected (client, parameter) => Observable as the default export of ${oneLine(url)}`
