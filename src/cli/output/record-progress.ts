import { timer } from 'rxjs'
import { createRedraw } from '../board/redraw.js'
import { fit } from './display-width.js'
import { formatAge, formatBytes, formatDuration } from './format.js'

/** The progress of a recording. */
export interface Progress {
  readonly rows: number
  readonly bytes: number
  /** In ms. */
  readonly duration: number
  /** Time since the last price of any token, in ms; undefined before the first. */
  readonly priceAge: number | undefined
}

/** Interval between two redraws, in ms. */
const redrawInterval = 250

/** Redraws one line with the progress, until the returned function is called. That function removes the line. */
export const showProgress = (output: NodeJS.WriteStream, progress: () => Progress): (() => void) => {
  const redraw = createRedraw(output)
  const subscription = timer(0, redrawInterval).subscribe(() =>
    redraw.draw([fit(progressLine(progress()), output.columns - 1)]),
  )
  return () => {
    subscription.unsubscribe()
    redraw.draw([])
    redraw.done()
  }
}

export const progressLine = ({ rows, bytes, duration, priceAge }: Progress): string =>
  [
    `${rows} rows`,
    formatBytes(bytes),
    formatDuration(duration),
    priceAge === undefined ? 'no price yet' : `last price ${formatAge(priceAge)} ago`,
  ].join('  ')
