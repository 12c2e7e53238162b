import { maxTimerMs } from '../domain/valid-numbers.js'
import { integer, type Check } from './check.js'
import { checkedOption, type CheckedOption, type Described } from './option.js'

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

export interface NumberOption extends CheckedOption<number>, Bounds {
  readonly kind: 'number' | 'integer'
  readonly unit?: Unit
}

interface DescribedNumber extends Described<number>, Bounds {
  readonly unit?: Unit
}

interface DescribedInteger extends DescribedNumber {
  readonly min: number
  readonly max: number
  /** For the error message. Default: `a whole number`, with the unit. */
  readonly noun?: string
}

export const numberOption = <S extends DescribedNumber>(described: S): NumberOption & S => ({
  ...checkedOption<number, S>('number', numberWithin(described), described),
  kind: 'number',
})

export const integerOption = <S extends DescribedInteger>(described: S): NumberOption & S => {
  const {
    min,
    max,
    unit,
    noun = unit === undefined ? 'a whole number' : `a whole number of ${unit}`,
  } = described
  return { ...checkedOption<number, S>('integer', integer(min, max, noun), described), kind: 'integer' }
}

interface DescribedCount extends Described<number> {
  readonly unit?: Unit
  readonly default: number
}

/** A number of things, at least 1. `Infinity` is accepted only as the default. */
export const countOption = <S extends DescribedCount>(described: S): NumberOption & S => ({
  ...checkedOption<number, S>('integer', countUpTo(described.default), described),
  kind: 'integer',
  min: 1,
})

/** A timer's delay in ms. */
export const timerOption = <S extends Described<number>>(described: S) =>
  integerOption({ ...described, unit: 'ms', min: 1, max: maxTimerMs })

/** A TCP port to listen on. */
export const portOption = <S extends Described<number>>(described: S) =>
  integerOption({ ...described, min: 0, max: 65_535, noun: 'a port' })

const countUpTo = (fallback: number): Check => ({
  expected: `a whole number of at least 1${fallback === Infinity ? ', or Infinity' : ''}`,
  holds: (value) =>
    typeof value === 'number' && value >= 1 && (Number.isSafeInteger(value) || value === fallback),
})

const numberWithin = ({ default: fallback, ...bounds }: DescribedNumber): Check => {
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
