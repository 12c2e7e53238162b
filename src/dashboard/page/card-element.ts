import { render } from 'lit-html'
import type { TokenState } from '../../display/token-state.js'
import { ChartSamples } from '../model/chart-samples.js'
import type { PageConfig } from '../model/served.js'
import { cardView } from './card-view.js'
import { PriceChart } from './price-chart.js'

/** Time that a chart shows, and time of one of its samples, in ms. */
const [chartWindow, chartSlot] = [300_000, 500]

/** The element of one token. Renders only what has changed. */
export class CardElement {
  readonly element = document.createElement('article')
  readonly #config: PageConfig
  readonly #samples = new ChartSamples(chartWindow, chartSlot)
  readonly #chart: PriceChart
  #card: TokenState
  #isValid = false

  constructor(card: TokenState, config: PageConfig) {
    this.#card = card
    this.#config = config
    this.#chart = new PriceChart(this.#samples)
    this.element.className = 'card'
    this.element.dataset['token'] = card.token.address.toLowerCase()
    this.element.setAttribute('aria-labelledby', `name-${this.element.dataset['token']}`)
  }

  /** Replaces the state of the token. `at`: the time of the change, in ms since the Unix epoch. */
  set(card: TokenState, at: number): void {
    if (card === this.#card) return
    this.#isValid = false
    if (card.state !== 'live' || card.price === undefined) this.#samples.interrupt(at)
    else if (card.price !== this.#card.price) this.#samples.add(at, card.price.price)
    this.#card = card
  }

  /** The time that the element shows has passed. */
  invalidate(): void {
    this.#isValid = false
  }

  /** Renders if something has changed. `now`: in ms since the Unix epoch. */
  render(now: number): void {
    if (this.#isValid) return
    this.#isValid = true
    const card = this.#card
    this.element.dataset['state'] = card.state
    const from = this.#samples.firstPrice()
    const span = this.#samples.spanMs(now)
    render(
      cardView({ card, now, from, span, config: this.#config, chart: this.#chart.element }),
      this.element,
    )
    this.#chart.draw(now, card.state === 'live')
  }
}
