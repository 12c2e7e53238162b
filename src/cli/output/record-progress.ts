import { formatAge, formatDuration } from '../../display/texts.js'
import { formatBytes } from './format.js'

/** The progress of a recording. */
export interface Progress {
  readonly rows: number
  readonly bytes: number
  /** In ms. */
  readonly duration: number
  /** Time since the last price of any token, in ms; undefined before the first. */
  readonly priceAge: number | undefined
}

export const progressLine = ({ rows, bytes, duration, priceAge }: Progress): string =>
  [
    `${rows} rows`,
    formatBytes(bytes),
    formatDuration(duration),
    priceAge === undefined ? 'no price yet' : `last price ${formatAge(priceAge)} ago`,
  ].join('  ')
