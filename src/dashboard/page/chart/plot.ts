import type { Scale } from '../../model/chart-scale.js'

/** The area of the prices, in CSS pixels, with its scales. */
export interface Plot {
  readonly context: CanvasRenderingContext2D
  readonly width: number
  readonly top: number
  readonly bottom: number
  readonly times: Scale
  readonly prices: Scale
}

const [topMargin, bottomAxis] = [8, 20]

/** Width of the price axis, in CSS pixels. */
const priceAxisWidth = 70

export const plotOf = (
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  times: Scale,
  prices: Scale,
): Plot => ({
  context,
  width: width - priceAxisWidth,
  top: topMargin,
  bottom: height - bottomAxis,
  times,
  prices,
})

/** The position of a time. */
export const xOf = ({ times: { from, to }, width }: Plot, time: number): number =>
  ((time - from) / (to - from)) * width

/** The position of a price. */
export const yOf = ({ prices: { from, to }, top, bottom }: Plot, price: number): number =>
  bottom - ((price - from) / (to - from)) * (bottom - top)

/** The middle of the pixel, where a line of one pixel is sharp. */
export const sharp = (position: number): number => Math.round(position) + 0.5
