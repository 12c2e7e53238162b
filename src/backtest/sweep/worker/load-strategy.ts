import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { causeOf } from '../../../base/errors/failure-cause.js'
import { oneLine, printable } from '../../../base/errors/text.js'
import { settingsOf } from '../../account/options.js'
import { paper as paper$, type PaperOptions, type PaperStrategy } from '../../paper/index.js'
import type { StrategyClient } from '../../replay/strategy-client.js'
import type { Job } from '../messages.js'
import type { SweepFault } from '../sweep-error.js'
import type { SweepStrategy } from '../sweep.js'

/** What a module exports. A strategy of an account also has the options of `paper`. */
export interface StrategyExports {
  readonly strategy: (...args: never) => unknown
  readonly options: unknown
}

/** A compiler may have written an ES module as CommonJS. Left: the module cannot be imported, or its default export is not a function. */
export const importStrategy = async (url: string): Promise<Either<SweepFault, StrategyExports>> => {
  try {
    const module = (await import(url)) as Exports
    const inner = module.default
    const isCompiled = typeof inner === 'object' && inner !== null && 'default' in inner
    const { default: strategy, options }: Exports = isCompiled ? inner : module
    return typeof strategy === 'function'
      ? right({ strategy: strategy as StrategyExports['strategy'], options })
      : failed(new Error(expected(url)))
  } catch (thrown) {
    return failed(thrown instanceof SyntaxError ? placed(thrown, url) : thrown)
  }
}

interface Exports {
  readonly default?: unknown
  readonly options?: unknown
}

type AccountStrategy = (
  ...args: [...Parameters<PaperStrategy<StrategyClient>>, unknown]
) => ReturnType<PaperStrategy<StrategyClient>>

/** `warmUp`: of the options of its account, in ms; undefined without them. */
interface LoadedStrategy {
  readonly strategy$: SweepStrategy<unknown, unknown>
  readonly warmUp: number | undefined
}

/** A strategy of an account emits the events of the account. Left: also if its options are not valid. `costs`: override those of its options. */
export const loadStrategy = async (
  url: string,
  costs?: Job['costs'],
): Promise<Either<SweepFault, LoadedStrategy>> => {
  const imported = await importStrategy(url)
  if (isLeft(imported)) return imported
  const { strategy, options: given } = imported.right
  if (!isPaperOptions(given))
    return right({ strategy$: strategy as SweepStrategy<unknown, unknown>, warmUp: undefined })
  const order$ = strategy as AccountStrategy
  const options = { ...given, ...costs }
  try {
    const { warmUp } = settingsOf(options)
    const strategy$: SweepStrategy<unknown, unknown> = (client, parameter) =>
      paper$(client, (market, account) => order$(market, account, parameter), options)
    return right({ strategy$, warmUp })
  } catch (thrown) {
    return failed(thrown)
  }
}

export const isPaperOptions = (options: unknown): options is PaperOptions =>
  typeof options === 'object' && options !== null && ('tokens' in options || 'cash' in options)

const failed = (thrown: unknown): Either<SweepFault, never> => left({ why: 'module', cause: causeOf(thrown) })

/** Adds the file of a syntax error: its message names none, and its stack only for some errors. It may be in an import of the module. */
const placed = (thrown: SyntaxError, url: string): Error => {
  if (thrown.message.includes('file:')) return thrown
  const place = /file:[^\s)]+?:\d+(?=[:)\s]|$)/.exec(thrown.stack ?? '')?.[0]
  const where = place ?? `${url.replace(/#.*/, '')} or one of its imports`
  return new SyntaxError(`${oneLine(thrown.message)}, in ${printable(where)}`)
}

const expected = (url: string): string =>
  `expected a function (client, parameter), or (client, account, parameter) beside an export options, as the default export of ${oneLine(url)}`
