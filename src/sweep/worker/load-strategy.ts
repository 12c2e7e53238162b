import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { causeOf } from '../../errors/failure-cause.js'
import type { SweepFault } from '../../errors/sweep-error.js'
import { oneLine } from '../../errors/text.js'
import type { SweepStrategy } from '../result.js'

type Loaded = Either<SweepFault, SweepStrategy<unknown, unknown>>

/** Imports the module of a strategy. Left: it cannot be imported, or its default export is not a function. */
export const loadStrategy = async (url: string): Promise<Loaded> => {
  try {
    const module = (await import(url)) as { readonly default?: unknown }
    const strategy = isFunction(module.default) ? module.default : interopDefault(module.default)
    return isFunction(strategy) ? right(strategy) : failed(new Error(expected(url)))
  } catch (thrown) {
    return failed(thrown)
  }
}

const failed = (thrown: unknown): Loaded => left({ why: 'module', cause: causeOf(thrown) })

const isFunction = (value: unknown): value is SweepStrategy<unknown, unknown> => typeof value === 'function'

/** The default export of an ES module that a compiler has written as CommonJS. */
const interopDefault = (exported: unknown): unknown =>
  typeof exported === 'object' && exported !== null && 'default' in exported ? exported.default : undefined

const expected = (url: string): string =>
  `expected (client, parameter) => Observable as the default export of ${oneLine(url)}`
