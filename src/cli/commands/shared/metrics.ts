import type { KeptFold } from '../../../backtest/results/run-fold.js'
import { printable } from '../../../base/errors/text.js'

// The numbers in the last value of a strategy, by which parameters are compared.

/** The last value; of an account, its figures. */
export const resultOf = (values: readonly unknown[]): unknown => {
  const value = values.at(-1)
  return isFolded(value) ? value.summary : value
}

export const isFolded = (value: unknown): value is KeptFold =>
  typeof value === 'object' && value !== null && '_tag' in value && value._tag === 'Folded'

/** Throws if the value has no such number. The message contains no value, because it may be of a training range. */
export const metricOf = (value: unknown, metric: string | undefined): number => {
  const numbers = numbersOf(value)
  const found = metric === undefined ? value : numbers.get(metric)
  if (isNumber(found)) return Number(found)
  const names = numbersText([...numbers.keys()])
  throw new Error(
    metric === undefined
      ? `the last value is no number; name one by --metric: ${names}`
      : `the last value has no number ${printable(metric)}; ${names}`,
  )
}

export const numbersText = (names: readonly string[]): string =>
  names.length === 0 ? 'it has none' : `its numbers are ${names.map(printable).join(', ')}`

export const numberOf = (value: unknown, name: string): number | undefined => {
  const found = numbersOf(value).get(name)
  return found === undefined ? undefined : Number(found)
}

/**
 * The numbers in a value by their names, as `--metric` takes them: `a.b` for a number inside of another field. At most 5 levels,
 * because a value may contain itself.
 */
export const numbersOf = (value: unknown, levels = 5): ReadonlyMap<string, number | bigint> => {
  const isOpen = typeof value === 'object' && value !== null && levels > 0
  const fields: readonly [string, unknown][] = isOpen ? Object.entries(value) : []
  return new Map(
    fields.flatMap(([field, inner]) =>
      isNumber(inner)
        ? [[field, inner] as const]
        : [...numbersOf(inner, levels - 1)].map(([name, number]) => [`${field}.${name}`, number] as const),
    ),
  )
}

/** False for `NaN`, which has no place in an order. */
export const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' || (typeof value === 'number' && !Number.isNaN(value))
