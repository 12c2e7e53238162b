import type { Price } from '../../domain/price.js'

export type Direction = 'up' | 'down' | 'flat'

/** The change of a price over the time of the chart. */
export interface Change {
  readonly direction: Direction
  /** In percent, with a sign: `+0.12 %`, `−0.12 %`, `0.00 %`. */
  readonly text: string
}

/** `from`: an earlier price in USD. */
export const changeOf = ({ price }: Pick<Price, 'price'>, from: number): Change => {
  const percent = (price / from - 1) * 100
  const size = Math.abs(percent) < 1e4 ? Math.abs(percent).toFixed(2) : Math.abs(percent).toExponential(1)
  if (!/[1-9]/.test(size.split('e')[0] ?? '')) return { direction: 'flat', text: `${size} %` }
  return percent > 0
    ? { direction: 'up', text: `+${size} %` }
    : { direction: 'down', text: `\u2212${size} %` }
}

/** The time of a change, rounded down to minutes. `ms`: its duration. */
export const spanText = (ms: number): string => {
  const minutes = Math.floor(ms / 60_000)
  return minutes === 0 ? 'in 1 min' : `in ${minutes} min`
}
