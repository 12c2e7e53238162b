import { maxTimerMs } from '../domain/valid-numbers.js'
import type { Check, CheckedOption } from './option.js'

/** The unit of a number. A count has none. */
export type Unit = 'ms' | 'bytes'

/**
 * Inclusive, except `above`. Without `max`, `Infinity` is accepted only as the default, or with `orInfinity`: it disables a
 * limit.
 */
export interface Bounds {
  readonly min?: number
  readonly above?: number
  readonly max?: number
  readonly orInfinity?: boolean
}

interface Described extends Bounds {
  readonly unit?: Unit
  readonly default: number
}

export interface NumberOption extends CheckedOption<number>, Described {
  readonly kind: 'number' | 'integer'
  readonly default: number
}

export const numberOption = (described: Described): NumberOption =>
  optionOf('number', described, numberWithin(described))

/** A whole number within bounds. `noun`: for the error message. */
export const integerOption = (
  described: Described & { readonly min: number; readonly max: number },
  noun = described.unit === undefined ? 'a whole number' : `a whole number of ${described.unit}`,
): NumberOption => optionOf('integer', described, integer(described.min, described.max, noun))

/** A number of things, at least 1. `Infinity` is accepted only as the default. */
export const countOption = (described: Omit<Described, keyof Bounds>): NumberOption =>
  optionOf('integer', { ...described, min: 1 }, countUpTo(described.default))

/** A timer's delay in ms. */
export const timerOption = (described: Pick<Described, 'default'>): NumberOption =>
  integerOption({ ...described, unit: 'ms', min: 1, max: maxTimerMs })

/** A TCP port to listen on. The default, 0, is any free port. */
export const portOption = (): NumberOption => integerOption({ min: 0, max: 65_535, default: 0 }, 'a port')

const optionOf = (kind: NumberOption['kind'], described: Described, check: Check): NumberOption => ({
  ...described,
  ...check,
  kind,
})

/** A whole number within bounds, both inclusive. */
export const integer = (min: number, max: number, noun = 'an integer'): Check => ({
  expected: `${noun} from ${min} to ${max}`,
  holds: (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
})

export const milliseconds = integer(1, maxTimerMs, 'a whole number of ms')

const countUpTo = (fallback: number): Check => ({
  expected: `a whole number of at least 1${fallback === Infinity ? ', or Infinity' : ''}`,
  holds: (value) =>
    typeof value === 'number' && value >= 1 && (Number.isSafeInteger(value) || value === fallback),
})

const numberWithin = ({ default: fallback, ...bounds }: Described): Check => {
  const { min = -Infinity, above = -Infinity, max = Infinity, orInfinity = fallback === Infinity } = bounds
  const finite = max < Infinity || orInfinity ? '' : 'finite '
  return {
    expected: `a ${finite}number ${boundsText(bounds)}`,
    holds: (value) =>
      typeof value === 'number' &&
      value >= min &&
      value > above &&
      value <= max &&
      (value < Infinity || orInfinity),
  }
}

const boundsText = ({ min, above, max }: Bounds): string =>
  [
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(min === undefined ? [] : [`of at least ${min}`]),
    ...(max === undefined ? [] : [`at most ${max}`]),
  ].join(' and ')
