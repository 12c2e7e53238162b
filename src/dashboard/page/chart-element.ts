import { drawChart, type Chart, type Cursor, type Format } from '../../view/chart/chart.js'
import { indexAt, partOf, type ChartData, type Span } from '../../view/chart/chart-data.js'
import type { Layers, Size } from '../../view/chart/chart-html.js'
import { fromHtml, partsOf, setAttribute, setText } from './html.js'

/** Number of samples that Page Up and Page Down move the crosshair by. */
const pageStep = 20

/** The least time that a chart shows, in ms; in CSS pixels, the least width of a selection, and how near the crosshair a mark is. */
const [minSpan, minSelection, nearMark] = [10_000, 8, 6]

const controls = [
  '<div class="cursor" role="slider" tabindex="0" aria-valuemin="0" aria-valuemax="0" aria-valuenow="0"></div>',
  '<p class="readout" hidden><span class="sample"></span><span class="filled"></span></p>',
  '<button class="whole" hidden>Whole range</button>',
  '<button class="close">Close (Esc)</button>',
]

/**
 * Draws a chart of a report or of the dashboard, while it is on the screen, and has its crosshair, which the pointer and the
 * keyboard move. A selected time fills the chart. A click or Enter enlarges its card to the page, until Escape or Close.
 */
export class ChartElement {
  readonly #part: (selector: string) => HTMLElement
  readonly #slider: HTMLElement
  #shown: Partial<Layers> = {}
  #isVisible = false
  #size: Size = { width: 0, height: 0 }
  /** The part of the time that fills the chart; `undefined`: all of it. */
  #zoom: Span | undefined
  #selection: Span | undefined
  /** Where a selection has begun: the time, and CSS pixels. */
  #start: { readonly time: number; readonly x: number } | undefined
  /** The time of the crosshair, in ms since the Unix epoch. `Infinity`: the last value. */
  #cursor: number | undefined
  /** From the left to the right. */
  #times: Span = { from: 0, to: 0 }
  /** What the crosshair can be at. */
  #samples: ChartData = { times: [], values: [] }

  /** `element`: of `chartHtml`. `chartOf`: what it shows now, or of a part of the time. */
  constructor(
    readonly element: HTMLElement,
    label: string,
    private readonly format: Format,
    private readonly chartOf: (zoom: Span | undefined) => Chart,
  ) {
    element.append(...controls.map(fromHtml))
    this.#part = partsOf(element)
    this.#slider = this.#part('.cursor')
    this.#slider.setAttribute('aria-label', label)
    new ResizeObserver(([entry]) => {
      this.#size = entry?.contentRect ?? this.#size
      this.draw()
    }).observe(this.#part('.chart'))
    new IntersectionObserver((entries) => {
      // A busy page gets several at once, the newest last.
      this.#isVisible = entries.at(-1)?.isIntersecting ?? false
      this.draw()
    }).observe(element)
    for (const type of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel'] as const)
      this.#slider.addEventListener(type, (event) => this.#onPointer(event))
    for (const type of ['pointerleave', 'blur'])
      this.#slider.addEventListener(type, () => this.#setCursor(undefined))
    this.#part('.whole').addEventListener('click', () => this.zoom(undefined))
    this.#part('.close').addEventListener('click', () => this.#enlarge(false))
    this.#slider.addEventListener('focus', () => {
      if (this.#slider.matches(':focus-visible')) this.#setCursor(Infinity)
    })
    this.#slider.addEventListener('keydown', (event) => this.#onKey(event))
  }

  draw(): void {
    this.#part('.whole').hidden = this.#zoom === undefined
    const { width } = this.#size
    if (!this.#isVisible || width === 0) return
    const chart = this.chartOf(this.#zoom)
    this.#samples = samplesOf(chart)
    const sample = this.#sample()
    const { layers, times } = drawChart(chart, this.format, this.#size, sample, this.#selection)
    this.#times = times
    this.#show(layers)
    this.#part('.readout').hidden = sample === undefined
    if (sample === undefined) return
    setText(this.#part('.sample'), `${this.format.time(sample.at)} · ${this.format.value(sample.value)}`)
    const near = (nearMark * (times.to - times.from)) / width
    const at = Math.min(this.#cursor ?? 0, chart.times.to)
    const mark = chart.marks?.find((each) => Math.abs(each.at - at) <= near)
    setText(this.#part('.filled'), mark === undefined ? '' : ` ${mark.text}`)
    const readout = this.#part('.readout')
    const share = (sample.at - times.from) / (times.to - times.from)
    readout.dataset['side'] = share > 0.5 ? 'left' : 'right'
    readout.style.setProperty('--share', share.toFixed(4))
  }

  /** Fills the chart with a part of the time, or shows all of it. */
  zoom(zoom: Span | undefined): void {
    this.#zoom = zoom
    this.#selection = undefined
    this.draw()
  }

  #show(layers: Layers): void {
    const { width, height } = this.#size
    for (const svg of this.element.querySelectorAll('[viewBox]'))
      setAttribute(svg, 'viewBox', `0 0 ${width} ${height}`)
    // In a page without script, labels have less room.
    this.element.classList.add('drawn')
    for (const name of Object.keys(layers) as (keyof Layers)[]) {
      if (this.#shown[name] === layers[name]) continue
      const part = this.#part(`.${name}`)
      if (part.tagName === 'path') part.setAttribute('d', layers[name])
      else part.innerHTML = layers[name]
    }
    this.#shown = layers
  }

  /** What the crosshair is at; `undefined` without one. */
  #sample(): Cursor | undefined {
    const { times, values } = this.#samples
    if (this.#cursor === undefined || times.length === 0) return undefined
    const index = indexAt(times, this.#cursor)
    return { at: times[index] ?? this.#cursor, value: values[index] ?? null }
  }

  /** A drag of a mouse selects the time that then fills the chart. A finger moves the crosshair. */
  #onPointer({ type, offsetX: x, pointerId, pointerType }: PointerEvent): void {
    const { from, to } = this.#times
    const time = from + Math.min(Math.max(0, x / this.#size.width), 1) * (to - from)
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
        this.zoom(selection)
      else if (type === 'pointerup' && start !== undefined && !isSelected) this.#enlarge()
    }
    this.#setCursor(time)
  }

  /** Shows a multiple of the time, around the crosshair. */
  #zoomBy(factor: number): void {
    const { from, to } = this.#times
    const whole = this.chartOf(undefined).times
    const span = Math.max(minSpan, (to - from) * factor)
    const middle = Math.min(this.#cursor ?? to, to)
    const start = middle - ((middle - from) / (to - from)) * span
    this.zoom(span > whole.to - whole.from ? undefined : { from: start, to: start + span })
  }

  /** A screen reader announces each change of a slider: its value changes with the crosshair, not with each value of the chart. */
  #setCursor(time: number | undefined): void {
    this.#cursor = time
    this.draw()
    if (time === undefined) return
    const choices = this.#choices()
    setAttribute(this.#slider, 'aria-valuemax', String(choices.length - 1))
    setAttribute(this.#slider, 'aria-valuenow', String(Math.max(0, indexAt(choices, time))))
    setAttribute(this.#slider, 'aria-valuetext', this.#part('.readout').textContent)
  }

  #onKey(event: KeyboardEvent): void {
    // Samples may have arrived since the last frame: a key chooses one of those that are there now.
    this.draw()
    const choices = this.#choices()
    const last = choices.length - 1
    const index = indexAt(choices, this.#cursor ?? Infinity)
    const next: Partial<Record<string, number>> = {
      ...{ ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: last },
      ...{ PageDown: index - pageStep, PageUp: index + pageStep },
    }
    const chosen = next[event.key]
    if (event.key === 'Enter') this.#enlarge()
    if (event.key === 'Escape') {
      this.#enlarge(false)
      this.zoom(undefined)
      this.#setCursor(undefined)
    }
    const factor = { '+': 0.5, '=': 0.5, '-': 2 }[event.key]
    if (factor !== undefined && !event.ctrlKey && !event.metaKey) this.#zoomBy(factor)
    if (chosen === undefined || last < 0) return
    event.preventDefault()
    this.#setCursor(chosen >= last ? Infinity : choices[Math.max(0, chosen)])
  }

  /** What a key chooses from: each time once. */
  #choices(): readonly number[] {
    return [...new Set(this.#samples.times)]
  }

  /** The card of the chart, or its figure in a report, fills the page, or no longer. */
  #enlarge(isLarge?: boolean): void {
    this.element.closest('.card, figure')?.classList.toggle('large', isLarge)
    this.#slider.focus()
  }
}

/** The samples that are shown; without the last one where that is the end of the one before. */
const samplesOf = ({ data, times: { from, to }, kind }: Chart): ChartData => {
  const { times, values } = partOf(data, { from, to })
  const end = kind === 'line' ? indexAt(times, to) + 1 : times.length - 1
  return { times: times.slice(0, end), values: values.slice(0, end) }
}
