import { clockTime, shortPrice } from '../../display/texts.js'
import { chartLabel, indexAt, type ChartData } from '../model/chart.js'
import type { WatchedToken } from '../model/watched-token.js'
import { drawChart, timeAt, type ChartColours, type Plot } from './draw-chart.js'
import { fromHtml, part, setAttribute, setDigits, setText } from './html.js'

/** Number of samples that Page Up and Page Down move the crosshair by. */
const pageStep = 20

/** The chart of a token, and its crosshair, which the pointer and the keyboard move. Draws while it is on the screen. */
export class PriceChart {
  readonly element = fromHtml(
    '<div class="plot"><div class="chart" role="img"><canvas></canvas></div>' +
      '<div class="cursor" role="slider" tabindex="0" aria-valuemin="0" aria-valuemax="0" aria-valuenow="0"></div>' +
      '<p class="readout" hidden><span class="clock"></span> · <span class="value"></span></p></div>',
  )
  readonly #chart = part(this.element, '.chart')
  readonly #canvas = part(this.element, 'canvas') as HTMLCanvasElement
  readonly #slider = part(this.element, '.cursor')
  readonly #readout = part(this.element, '.readout')
  readonly #clock = part(this.element, '.clock')
  readonly #value = part(this.element, '.value')
  readonly #context = this.#canvas.getContext('2d')
  readonly #token: WatchedToken
  #colours: ChartColours | undefined
  #colouredState = ''
  #isVisible = false
  /** In CSS pixels. Reading it from the element would lay out the page for each chart. */
  #size: readonly [width: number, height: number] = [0, 0]
  #now = 0
  #data: ChartData = { times: [], prices: [] }
  #plot: Plot | undefined
  /** The time of the crosshair, in ms since the Unix epoch. `Infinity`: the last price. */
  #cursor: number | undefined

  constructor(token: WatchedToken) {
    this.#token = token
    this.#slider.setAttribute('aria-label', `Time on the chart of ${token.state.token.symbol}`)
    new ResizeObserver(() => this.#resize()).observe(this.#chart)
    new IntersectionObserver(([entry]) => {
      this.#isVisible = entry?.isIntersecting ?? false
      this.#draw()
    }).observe(this.element)
    onThemeChange(() => (this.#colouredState = ''))
    for (const type of ['pointerdown', 'pointermove'] as const) {
      this.#slider.addEventListener(type, ({ offsetX }) => {
        if (this.#plot !== undefined) this.#setCursor(timeAt(this.#plot, offsetX))
      })
    }
    this.#slider.addEventListener('pointerleave', () => this.#setCursor(undefined))
    this.#slider.addEventListener('focus', () => {
      if (this.#slider.matches(':focus-visible')) this.#setCursor(Infinity)
    })
    this.#slider.addEventListener('blur', () => this.#setCursor(undefined))
    this.#slider.addEventListener('keydown', (event) => this.#onKey(event))
  }

  /** Draws the prices until `now`, in ms since the Unix epoch. */
  draw(now: number): void {
    this.#now = now
    // A screen reader gets the description also while the chart is not on the screen.
    setAttribute(this.#chart, 'aria-label', chartLabel(this.#token.samples.range()))
    this.#draw()
  }

  #draw(): void {
    const { samples, state, threshold } = this.#token
    const [width, height] = this.#size
    if (this.#context === null || !this.#isVisible || width === 0 || this.#now === 0) return
    this.#context.clearRect(0, 0, width, height)
    this.#data = samples.data(this.#now)
    const range = samples.range()
    if (range === undefined) return
    if (state.state !== this.#colouredState) this.#colours = readColours(this.element)
    this.#colouredState = state.state
    const levels = [threshold.above, threshold.below].filter((level) => level !== undefined)
    this.#plot = drawChart(
      this.#context,
      this.#size,
      {
        data: this.#data,
        range,
        now: this.#now,
        spanMs: samples.spanMs(this.#now),
        levels,
        cursor: this.#cursor,
      },
      (this.#colours ??= readColours(this.element)),
    )
    this.#showReadout()
  }

  /** The canvas has as many pixels as the screen. Setting its size clears it. */
  #resize(): void {
    const { clientWidth, clientHeight } = this.#chart
    this.#size = [clientWidth, clientHeight]
    this.#canvas.width = Math.round(clientWidth * devicePixelRatio)
    this.#canvas.height = Math.round(clientHeight * devicePixelRatio)
    this.#context?.scale(devicePixelRatio, devicePixelRatio)
    this.#draw()
  }

  #setCursor(time: number | undefined): void {
    this.#cursor = time
    this.#draw()
    if (time === undefined) this.#readout.hidden = true
    else this.#describeCursor()
  }

  #onKey(event: KeyboardEvent): void {
    const last = this.#data.times.length - 2
    const index = indexAt(this.#data, this.#cursor ?? Infinity)
    const next: Partial<Record<string, number>> = {
      ArrowLeft: index - 1,
      ArrowRight: index + 1,
      PageDown: index - pageStep,
      PageUp: index + pageStep,
      Home: 0,
      End: last,
    }
    const chosen = next[event.key]
    if (event.key === 'Escape') this.#setCursor(undefined)
    if (chosen === undefined || last < 0) return
    event.preventDefault()
    this.#setCursor(chosen >= last ? Infinity : this.#data.times[Math.max(0, chosen)])
  }

  /** The exact time and price of the crosshair, in the half of the chart that it is not in. */
  #showReadout(): void {
    if (this.#cursor === undefined || this.#plot === undefined) return
    const index = indexAt(this.#data, this.#cursor)
    const [time = 0, price = null] = [this.#data.times[index], this.#data.prices[index]]
    setText(this.#clock, `${clockTime(time)}.${String(Math.floor(time) % 1000).padStart(3, '0')}`)
    if (price === null) setText(this.#value, 'no current price')
    else {
      const digits = shortPrice(price)
      setDigits(this.#value, { ...digits, fraction: `${digits.fraction} USD` })
    }
    const { from, to } = this.#plot.times
    this.#readout.dataset['side'] = time > (from + to) / 2 ? 'left' : 'right'
    this.#readout.hidden = false
  }

  /** A screen reader announces each change of a slider: its value changes with the crosshair, not with each price. */
  #describeCursor(): void {
    setAttribute(this.#slider, 'aria-valuemax', String(this.#data.times.length - 2))
    setAttribute(this.#slider, 'aria-valuenow', String(indexAt(this.#data, this.#cursor ?? Infinity)))
    setAttribute(this.#slider, 'aria-valuetext', this.#readout.textContent)
  }
}

const readColours = (element: Element): ChartColours => {
  const style = getComputedStyle(element)
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  return {
    line: colour('chart-line'),
    fill: colour('chart-fill'),
    text: colour('chart-text'),
    grid: colour('chart-grid'),
    gap: colour('chart-gap'),
    card: colour('card'),
    level: colour('warn'),
  }
}

/** Calls back when the system changes between dark and light. */
export const onThemeChange = (callback: () => void): void =>
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', callback)
