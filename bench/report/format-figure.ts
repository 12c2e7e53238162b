import type { Spread } from '../measure/statistics.js'

/** Three significant digits, without an exponent. */
export const formatFigure = (value: number): string => {
  const size = Math.abs(value)
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3)
}

/** The median, with the quartiles in brackets. */
export const formatSpread = ({ median, lower, upper }: Spread): string =>
  `${formatFigure(median)} (${formatFigure(lower)}–${formatFigure(upper)})`
