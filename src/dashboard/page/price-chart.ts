import { clockTime, shortPrice } from '../../view/texts.js'
import { chartLabel, indexAt, partOf, rangeOf } from '../../view/chart.js'
import { recentWindow, timesOf, type ChartData, type Scale } from '../../view/samples.js'
import type { FillEntry } from '../../view/served.js'
import type { WatchedToken } from '../../view/watched-token.js'
import { colourNames, drawChart, fillAt, timeAt, type ChartColours, type Plot } from './draw-chart.js'
import { fromHtml, partsOf, setAttribute, setDigits, setText } from './html.js'
import { currentTheme } from './theme.js'

/** Number of samples that Page Up and Page Down move the crosshair by. */
const pageStep = 20

/** The least time that a chart shows, in ms, and the least width of a selection, in CSS pixels. */
const [minSpan, minSelection] = [10_000, 8]

/**
 * The chart of a token, and its crosshair, which the pointer and the keyboard move. A selected time fills the chart. A click
 * or Enter enlarges its card to the page, until Escape. Draws while it is on the screen.
 */
export class PriceChart {
  readonly element = fromHtml(
    '<div class="plot"><div class="chart" role="img"><canvas></canvas></div>' +
      '<div class="cursor" role="slider" tabindex="0" aria-valuemin="0" aria-valuemax="0" aria-valuenow="0"></div>' +
      '<p class="readout" hidden><span class="clock"></span> · <span class="value"></span><span class="filled"></span></p><button class="whole" hidden>Whole range</button></div>',
  )
  readonly #part = partsOf(this.element)
  readonly #chart = this.#part('.chart')
  readonly #canvas = this.#part('canvas') as HTMLCanvasElement
  readonly #slider = this.#part('.cursor')
  readonly #readout = this.#part('.readout')
  readonly #context = this.#canvas.getContext('2d')
  readonly #token: WatchedToken
  #colours: ChartColours | undefined
  /** What the colours depend on. The token may have a newer state, whose style the card has not yet. */
  #look = ''
  #isVisible = false
  /** In CSS pixels. Reading it from the element would lay out the page for each chart. */
  #size: readonly [width: number, height: number] = [0, 0]
  #now = 0
  #rangeMs = recentWindow
  /** The part of the time that fills the chart; `undefined`: the range, until now. */
  #zoom: Scale | undefined
  /** The time at which a selection has begun, and where, in CSS pixels. */
  #start: { readonly time: number; readonly x: number } | undefined
  #selection: Scale | undefined
  #data: ChartData = { times: [], prices: [] }
  #fills: readonly FillEntry[] = []
  #plot: Plot | undefined
  /** The time of the crosshair, in ms since the Unix epoch. `Infinity`: the last price. */
  #cursor: number | undefined

  constructor(token: WatchedToken) {
    this.#token = token
    this.#slider.setAttribute('aria-label', `Time on the chart of ${token.state.token.symbol}`)
    new ResizeObserver(() => this.#resize()).observe(this.#chart)
    new IntersectionObserver((entries) => {
      // A busy page gets several at once, the newest last.
      this.#isVisible = entries.at(-1)?.isIntersecting ?? false
      this.#draw()
    }).observe(this.element)
    for (const type of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel'] as const)
      this.#slider.addEventListener(type, (event) => this.#onPointer(event))
    this.#slider.addEventListener('pointerleave', () => this.#setCursor(undefined))
    this.#part('.whole').addEventListener('click', () => this.#setZoom(undefined))
    this.#slider.addEventListener('focus', () => {
      if (this.#slider.matches(':focus-visible')) this.#setCursor(Infinity)
    })
    this.#slider.addEventListener('blur', () => this.#setCursor(undefined))
    this.#slider.addEventListener('keydown', (event) => this.#onKey(event))
  }

  /** Draws the prices of the range until `now`, in ms. The card has the style of the state. */
  draw(now: number, rangeMs: number): void {
    const look = `${this.#token.state.state} ${currentTheme()}`
    if (look !== this.#look) this.#colours = undefined
    this.#look = look
    if (rangeMs !== this.#rangeMs) this.#zoom = undefined
    this.#now = now
    this.#rangeMs = rangeMs
    // A screen reader gets the description also while the chart is not on the screen.
    const fills = this.#token.fills.filter(({ at }) => at >= now - rangeMs)
    setAttribute(this.#chart, 'aria-label', chartLabel(this.#token.shown(now, rangeMs).range, fills.length))
    this.#draw()
  }

  #draw(): void {
    const { samples, fills, threshold } = this.#token
    const [width, height] = this.#size
    this.#part('.whole').hidden = this.#zoom === undefined
    if (this.#context === null || !this.#isVisible || width === 0 || this.#now === 0) return
    this.#context.clearRect(0, 0, width, height)
    const all = samples.data(this.#now, this.#zoom ? this.#now - this.#zoom.from : this.#rangeMs)
    const times = this.#zoom ?? timesOf(all, this.#now, this.#rangeMs)
    this.#data = partOf(all, times)
    this.#fills = fills.filter(({ at }) => at >= times.from && at <= times.to)
    const { prices } = this.#data
    const filled = this.#fills.map(({ mark }) => mark?.price ?? null)
    const range = rangeOf(filled.length === 0 ? prices : [...prices, ...filled])
    if (range === undefined) return
    const levels = [threshold.above, threshold.below].filter((level) => level !== undefined)
    this.#plot = drawChart(
      this.#context,
      this.#size,
      {
        data: this.#data,
        range,
        times,
        isLive: this.#zoom === undefined,
        isCandles: times.to - times.from > recentWindow,
        selection: this.#selection,
        levels,
        cursor: this.#cursor,
        fills: this.#fills,
      },
      (this.#colours ??= readColours(this.element)),
    )
    this.#showReadout()
  }

  #setZoom(zoom: Scale | undefined): void {
    this.#zoom = zoom
    this.#selection = undefined
    this.#draw()
  }

  /** A drag of a mouse selects the time that then fills the chart. A finger moves the crosshair. */
  #onPointer({ type, offsetX: x, pointerId, pointerType }: PointerEvent): void {
    if (this.#plot === undefined) return
    const time = timeAt(this.#plot, Math.min(Math.max(0, x), this.#plot.width))
    const start = this.#start
    if (type === 'pointerdown' && pointerType === 'mouse') {
      this.#start = { time, x }
      this.#slider.setPointerCapture(pointerId)
    } else if (start !== undefined && type === 'pointermove') {
      this.#selection = { from: Math.min(start.time, time), to: Math.max(start.time, time) }
    } else if (type !== 'pointermove') {
      const selection = this.#selection
      this.#start = this.#selection = undefined
      const isSelected = start !== undefined && Math.abs(x - start.x) >= minSelection
      if (selection !== undefined && isSelected && selection.to - selection.from >= minSpan)
        this.#setZoom(selection)
      else if (type === 'pointerup' && start !== undefined && !isSelected) this.#enlarge()
    }
    this.#setCursor(time)
  }

  /** Shows a multiple of the time, around the crosshair. */
  #zoomBy(factor: number): void {
    const { from, to } = this.#plot?.times ?? { from: 0, to: 0 }
    const span = Math.max(minSpan, (to - from) * factor)
    const middle = Math.min(this.#cursor ?? to, to)
    const start = middle - ((middle - from) / (to - from)) * span
    this.#setZoom(span > this.#rangeMs ? undefined : { from: start, to: start + span })
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
    // A past may have arrived since the last frame: a key chooses one of the prices that are there now.
    this.#draw()
    const choices = this.#choices()
    const last = choices.times.length - 2
    const index = indexAt(choices, this.#cursor ?? Infinity)
    const next: Partial<Record<string, number>> = {
      ArrowLeft: index - 1,
      ArrowRight: index + 1,
      PageDown: index - pageStep,
      PageUp: index + pageStep,
      Home: 0,
      End: last,
    }
    const chosen = next[event.key]
    if (event.key === 'Enter') this.#enlarge()
    if (event.key === 'Escape') {
      this.#enlarge(false)
      this.#setZoom(undefined)
      this.#setCursor(undefined)
    }
    const factor = { '+': 0.5, '=': 0.5, '-': 2 }[event.key]
    if (factor !== undefined && !event.ctrlKey && !event.metaKey) this.#zoomBy(factor)
    if (chosen === undefined || last < 0) return
    event.preventDefault()
    this.#setCursor(chosen >= last ? Infinity : choices.times[Math.max(0, chosen)])
  }

  /** The card of the chart fills the page, or no longer. */
  #enlarge(isLarge?: boolean): void {
    this.element.closest('.card')?.classList.toggle('large', isLarge)
    this.#slider.focus()
  }

  /** What a key chooses from: the times of the samples, each once, and an end. */
  #choices(): Pick<ChartData, 'times'> {
    return { times: [...new Set(this.#data.times.slice(0, -1)), Infinity] }
  }

  /** The exact time and price of the crosshair, in the half of the chart that it is not in. */
  #showReadout(): void {
    if (this.#cursor === undefined || this.#plot === undefined) return
    const index = indexAt(this.#data, this.#cursor)
    const [time = 0, price = null] = [this.#data.times[index], this.#data.prices[index]]
    setText(this.#part('.clock'), `${clockTime(time)}.${String(Math.floor(time) % 1000).padStart(3, '0')}`)
    setDigits(this.#part('.value'), price === null ? 'no current price' : `${shortPrice(price)} USD`)
    const fill = fillAt(this.#plot, this.#fills, Math.min(this.#cursor, this.#now))
    setText(this.#part('.filled'), fill === undefined ? '' : `${clockTime(fill.at)} ${fill.text}`)
    const { from, to } = this.#plot.times
    this.#readout.dataset['side'] = time > (from + to) / 2 ? 'left' : 'right'
    this.#readout.hidden = false
  }

  /** A screen reader announces each change of a slider: its value changes with the crosshair, not with each price. */
  #describeCursor(): void {
    const choices = this.#choices()
    setAttribute(this.#slider, 'aria-valuemax', String(choices.times.length - 2))
    setAttribute(this.#slider, 'aria-valuenow', String(indexAt(choices, this.#cursor ?? Infinity)))
    setAttribute(this.#slider, 'aria-valuetext', this.#readout.textContent)
  }
}

/** A canvas needs colours: without a type, the value of a property of CSS is its text, such as `light-dark(…)`. */
export const registerColours = (): void => {
  for (const name of colourNames)
    CSS.registerProperty({
      ...{ name: `--chart-${name}`, syntax: '<color>' },
      ...{ inherits: true, initialValue: '#000' },
    })
}

const readColours = (element: Element): ChartColours => {
  const style = getComputedStyle(element)
  const colours = colourNames.map((name) => [name, style.getPropertyValue(`--chart-${name}`)])
  return Object.fromEntries(colours) as ChartColours
}
