import { maxTimerMs } from '../domain/valid-numbers.js'
import type { Check, Option } from './option.js'

/** A number within bounds, which are inclusive, except `above`. */
interface Described {
  /** A count has none. */
  readonly unit?: 'ms' | 'bytes'
  readonly min?: number
  readonly above?: number
  readonly max?: number
  /** `Infinity` disables a limit. Without `max` it is accepted as the default, or with `orInfinity`. */
  readonly default: number
  readonly orInfinity?: boolean
}

export type NumberOption = Option<number> & Described

export const numberOption = (described: Described): NumberOption => ({
  kind: 'number',
  ...described,
  ...numberWithin({ orInfinity: described.default === Infinity, ...described }),
})

/** A whole number within bounds. `noun`: for the error message. */
export const integerOption = (
  described: Described & { readonly min: number; readonly max: number },
  noun = described.unit === undefined ? 'a whole number' : `a whole number of ${described.unit}`,
): NumberOption => ({ kind: 'integer', ...described, ...integer(described.min, described.max, noun) })

/** A number of things, at least 1. `Infinity` is accepted only as the default. */
export const countOption = (described: Pick<Described, 'default' | 'unit'>): NumberOption => ({
  kind: 'integer',
  ...described,
  min: 1,
  ...(described.default === Infinity ? countOrInfinity : positiveCount),
})

export const timerOption = (described: Pick<Described, 'default'>): NumberOption =>
  integerOption({ ...described, unit: 'ms', min: 1, max: maxTimerMs })

/** A TCP port to listen on. The default, 0, is any free port. */
export const portOption = (): NumberOption => integerOption({ min: 0, max: 65_535, default: 0 }, 'a port')

export const integer = (min: number, max: number, noun = 'an integer'): Check => ({
  expected: `${noun} from ${min} to ${max}`,
  holds: (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
})

export const milliseconds = integer(1, maxTimerMs, 'a whole number of ms')

/** A time of at least `min` ms, which may have a fraction. */
export const msFrom = (min: number): Check => numberWithin({ min })

/** A delay of a timer of at least `min` ms, which may have a fraction. */
export const timerMsFrom = (min: number): Check => numberWithin({ min, max: maxTimerMs })

export const positiveCount: Check = {
  expected: 'a whole number of at least 1',
  holds: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
}

const countOrInfinity: Check = {
  expected: `${positiveCount.expected}, or Infinity`,
  holds: (value) => value === Infinity || positiveCount.holds(value),
}

const numberWithin = (bounds: Omit<Described, 'default'>): Check => {
  const { min = -Infinity, above = -Infinity, max = Infinity, orInfinity = false } = bounds
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

const boundsText = ({ min, above, max }: Partial<Described>): string =>
  [
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(min === undefined ? [] : [`of at least ${min}`]),
    ...(max === undefined ? [] : [`at most ${max}`]),
  ].join(' and ')
