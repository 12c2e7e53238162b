import { timer } from 'rxjs'
import { createRedraw } from '../board/redraw.js'
import { fit } from './display-width.js'

/** Interval between two redraws, in ms. */
const redrawInterval = 250

/** Redraws one line, until the returned function is called. That function removes the line. */
export const showProgressLine = (output: NodeJS.WriteStream, line: () => string): (() => void) => {
  const redraw = createRedraw(output)
  const subscription = timer(0, redrawInterval).subscribe(() =>
    redraw.draw([fit(line(), output.columns - 1)]),
  )
  return () => {
    subscription.unsubscribe()
    redraw.draw([])
    redraw.done()
  }
}
