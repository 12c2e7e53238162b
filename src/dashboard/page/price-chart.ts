import type { ChartSamples } from '../model/chart-samples.js'
import { chartLabel } from '../model/chart-scale.js'
import { drawChart, type ChartColours } from './draw-chart.js'

/** Time between two drawings of a chart, in ms. More of them would move the line by less than a pixel. */
const drawInterval = 500

export class PriceChart {
  readonly element = document.createElement('div')
  readonly #canvas = document.createElement('canvas')
  readonly #context = this.#canvas.getContext('2d')
  readonly #samples: ChartSamples
  #colours: ChartColours | undefined
  #isCurrent = false
  #width = 0
  #height = 0
  #drawnAt = 0

  constructor(samples: ChartSamples) {
    this.#samples = samples
    this.element.className = 'chart'
    this.element.setAttribute('role', 'img')
    this.element.append(this.#canvas)
    new ResizeObserver(() => this.#resize()).observe(this.element)
    onThemeChange(() => (this.#colours = undefined))
  }

  /** Draws the prices until `now`, in ms since the Unix epoch, unless they have just been drawn. */
  draw(now: number, isCurrent: boolean): void {
    if (isCurrent === this.#isCurrent && Math.abs(now - this.#drawnAt) < drawInterval) return
    if (isCurrent !== this.#isCurrent) this.#colours = undefined
    this.#isCurrent = isCurrent
    this.#drawnAt = now
    this.#draw()
  }

  #draw(): void {
    const [context, now, samples] = [this.#context, this.#drawnAt, this.#samples]
    if (context === null || this.#width === 0) return
    context.clearRect(0, 0, this.#width, this.#height)
    const data = samples.data(now)
    const range = samples.range()
    this.element.setAttribute('aria-label', chartLabel(range))
    if (range === undefined) return
    const colours = (this.#colours ??= readColours(this.element))
    drawChart(
      context,
      [this.#width, this.#height],
      { data, range, now, spanMs: samples.spanMs(now) },
      colours,
    )
  }

  /** The canvas has as many pixels as the screen. Setting its size clears it. */
  #resize(): void {
    this.#width = this.element.clientWidth
    this.#height = this.element.clientHeight
    this.#canvas.width = Math.round(this.#width * devicePixelRatio)
    this.#canvas.height = Math.round(this.#height * devicePixelRatio)
    this.#context?.scale(devicePixelRatio, devicePixelRatio)
    this.#draw()
  }
}

const readColours = (element: Element): ChartColours => {
  const style = getComputedStyle(element)
  const colour = (name: string): string => style.getPropertyValue(`--chart-${name}`).trim()
  return {
    line: colour('line'),
    fill: colour('fill'),
    text: colour('text'),
    grid: colour('grid'),
    gap: colour('gap'),
  }
}

/** Calls back when the system changes between dark and light. */
export const onThemeChange = (callback: () => void): void =>
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', callback)
