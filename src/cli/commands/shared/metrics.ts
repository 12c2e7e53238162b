import type { Folded } from '../../../backtest/results/run-fold.js'
import { printable } from '../../../base/errors/text.js'

// The numbers in the last value of a strategy, by which parameters are compared.

/** The last value; of an account, its figures. */
export const resultOf = (values: readonly unknown[]): unknown => {
  const value = values.at(-1)
  return isFolded(value) ? value.summary : value
}

export const isFolded = (value: unknown): value is Folded => fieldOf(value, '_tag') === 'Folded'

/** Throws if the value has no such number. The message contains no value, because it may be of a training range. */
export const metricOf = (value: unknown, metric: string | undefined): number => {
  const found = metric === undefined ? asNumber(value) : numberOf(value, metric)
  if (found !== undefined) return found
  if (metric !== undefined)
    throw new Error(`the last value has no number ${printable(metric)}; ${numbersText(numberNames(value))}`)
  throw new Error(`the last value is no number; name one by --metric: ${numbersText(numberNames(value))}`)
}

export const numbersText = (names: readonly string[]): string =>
  names.length === 0 ? 'it has none' : `its numbers are ${names.map(printable).join(', ')}`

/** The names of the numbers in a value, as `--metric` takes them. At most 5 levels, because a value may contain itself. */
export const numberNames = (value: unknown, parent = '', levels = 5): readonly string[] =>
  typeof value !== 'object' || value === null || levels === 0
    ? []
    : Object.entries(value).flatMap(([field, inner]: [string, unknown]) =>
        asNumber(inner) !== undefined
          ? [`${parent}${field}`]
          : numberNames(inner, `${parent}${field}.`, levels - 1),
      )

export const numberOf = (value: unknown, path: string): number | undefined => asNumber(fieldOf(value, path))

const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined

export const fieldOf = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (object, name) =>
        typeof object === 'object' && object !== null && Object.hasOwn(object, name)
          ? (object as Readonly<Record<string, unknown>>)[name]
          : undefined,
      value,
    )
