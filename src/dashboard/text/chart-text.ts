import type { ChartRange } from '../model/chart-samples.js'
import { digitGroups, withNarrowSpaces, withoutSeparators } from '../../number-format/digit-groups.js'
import { priceDigits } from './price.js'

/** Text of the price axis, with the decimals of its steps. */
export const priceTickText = (price: number, step: number): string => {
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9))
  return Math.abs(price) < 1e9 && decimals <= 9
    ? withNarrowSpaces(digitGroups(price.toFixed(decimals)))
    : price.toExponential(2)
}

/** Describes a chart to a screen reader. */
export const chartLabel = (range: ChartRange | undefined): string =>
  range === undefined
    ? 'Chart without prices'
    : `Chart: lowest ${withoutSeparators(priceDigits(range.low))}, highest ${withoutSeparators(priceDigits(range.high))} USD`
