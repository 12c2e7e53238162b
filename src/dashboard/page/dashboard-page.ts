import { render } from 'lit-html'
import { interval } from 'rxjs'
import { createUpdate, emptyDisplay, type Display, type DisplayEvent } from '../../display/display.js'
import { rxClock } from '../../time/rx-clock.js'
import type { PageConfig } from '../model/served.js'
import { logTexts } from '../text/log-texts.js'
import { CardElement } from './card-element.js'
import { pageView } from './page-view.js'
import { onThemeChange } from './price-chart.js'

/** Interval at which ages are counted up, in ms. */
const tickInterval = 1000

const update = createUpdate(logTexts)

/** The page: applies events to the state, and renders what has changed. */
export class DashboardPage {
  #display: Display
  #rendered: Display | undefined
  readonly #root: HTMLElement
  readonly #config: PageConfig
  readonly #cards: readonly CardElement[]
  #isRequested = false

  constructor(root: HTMLElement, config: PageConfig) {
    this.#root = root
    this.#config = config
    this.#display = emptyDisplay(config.tokens)
    this.#cards = this.#display.tokens.map((token) => new CardElement(token, config))
    interval(tickInterval).subscribe(() => this.#invalidateCards())
    onThemeChange(() => this.#invalidateCards())
    this.#requestRender()
  }

  receive(event: DisplayEvent): void {
    this.#display = update(this.#display, event)
    this.#display.tokens.forEach((token, index) => this.#cards[index]?.set(token, rxClock.wallClock()))
    this.#requestRender()
  }

  #invalidateCards(): void {
    for (const card of this.#cards) card.invalidate()
    this.#requestRender()
  }

  /** Renders in the next animation frame. A browser has no frames for a hidden page. */
  #requestRender(): void {
    if (this.#isRequested) return
    this.#isRequested = true
    requestAnimationFrame(() => {
      this.#isRequested = false
      this.#render()
    })
  }

  #render(): void {
    const { connection, log, tokens } = this.#display
    const shown = this.#rendered
    const current = tokens.filter(({ state }) => state === 'live').length
    const before = shown?.tokens.filter(({ state }) => state === 'live').length
    if (connection !== shown?.connection || log !== shown.log || current !== before) {
      const elements = this.#cards.map(({ element }) => element)
      render(pageView({ config: this.#config, connection, log, current, elements }), this.#root)
    }
    this.#rendered = this.#display
    const now = rxClock.wallClock()
    for (const card of this.#cards) card.render(now)
  }
}
