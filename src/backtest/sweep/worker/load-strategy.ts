import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { causeOf } from '../../../base/errors/failure-cause.js'
import type { SweepFault } from '../sweep-error.js'
import { oneLine, printable } from '../../../base/errors/text.js'
import type { PaperOptions, PaperStrategy } from '../../paper/index.js'
import type { StrategyClient } from '../../replay/replay-session.js'
import type { Job } from '../messages.js'
import type { SweepStrategy } from '../sweep.js'

/** What a module exports. A strategy of an account also has the options of `paper`. */
export interface StrategyExports {
  readonly strategy: (...args: never) => unknown
  readonly options: unknown
}

/**
 * The exports of the module of a strategy: an ES module, CommonJS, or an ES module that a compiler has written as CommonJS.
 * Left: the module cannot be imported, or its default export is not a function.
 */
export const importStrategy = async (url: string): Promise<Either<SweepFault, StrategyExports>> => {
  try {
    const module = (await import(url)) as Exports
    const inner = module.default
    const isCompiled = typeof inner === 'object' && inner !== null && 'default' in inner
    const { default: strategy, options }: Exports = isCompiled ? inner : module
    return isFunction(strategy) ? right({ strategy, options }) : failed(new Error(expected(url)))
  } catch (thrown) {
    return thrown instanceof SyntaxError ? misspelt(thrown, url) : failed(thrown)
  }
}

interface Exports {
  readonly default?: unknown
  readonly options?: unknown
}

/**
 * Imports a strategy that a worker runs. A strategy of an account emits the events of the account. Left: also if its options are not
 * valid. `costs`: override those of its options. `journal`: the path of a journal that the account continues.
 */
export const loadStrategy = async (
  url: string,
  job: AccountJob,
): Promise<Either<SweepFault, SweepStrategy<unknown, unknown>>> => {
  const imported = await importStrategy(url)
  if (isLeft(imported)) return imported
  const { strategy, options } = imported.right
  if (!isPaperOptions(options)) return right(strategy as SweepStrategy<unknown, unknown>)
  try {
    return right(await withAccount(strategy as AccountStrategy, options, job))
  } catch (thrown) {
    return failed(thrown)
  }
}

interface AccountJob extends Pick<Job, 'costs'> {
  readonly journal?: string
}

type AccountStrategy = (
  ...args: [...Parameters<PaperStrategy<StrategyClient>>, unknown]
) => ReturnType<PaperStrategy<StrategyClient>>

const withAccount = async (
  strategy$: AccountStrategy,
  given: PaperOptions,
  { journal, costs }: AccountJob,
): Promise<SweepStrategy<unknown, unknown>> => {
  // Most strategies have no account.
  const { paper: paper$ } = await import('../../paper/index.js')
  const { settingsOf, withoutJournal } = await import('../../account/options.js')
  const options = { ...withoutJournal(given), ...costs, ...(journal === undefined ? {} : { journal }) }
  settingsOf(options)
  return (client, parameter) =>
    paper$(client, (market, account) => strategy$(market, account, parameter), options)
}

export const isPaperOptions = (options: unknown): options is PaperOptions =>
  typeof options === 'object' && options !== null && ('tokens' in options || 'cash' in options)

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

const isFunction = (value: unknown): value is StrategyExports['strategy'] => typeof value === 'function'

const expected = (url: string): string =>
  `expected a function (client, parameter), or (client, account, parameter) beside an export options, as the default export of ${oneLine(url)}`
