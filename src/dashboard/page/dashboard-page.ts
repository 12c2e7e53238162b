import { render } from 'lit-html'
import { interval } from 'rxjs'
import { rxClock } from '../../time/rx-clock.js'
import { emptyDashboard, update, type Dashboard, type DashboardEvent } from '../model/dashboard.js'
import type { PageConfig } from '../model/page-config.js'
import { CardElement } from './card-element.js'
import { onThemeChange } from './chart/theme.js'
import { RenderScheduler } from './render-scheduler.js'
import { pageView } from './view/page-view.js'

/** Interval at which ages are counted up, in ms. */
const tickInterval = 1000

/** The page: applies events to the state, and renders what has changed. */
export class DashboardPage {
  #dashboard: Dashboard
  #rendered: Dashboard | undefined
  readonly #root: HTMLElement
  readonly #config: PageConfig
  readonly #cards: readonly CardElement[]
  readonly #scheduler = new RenderScheduler(() => this.#render())

  constructor(root: HTMLElement, config: PageConfig) {
    this.#root = root
    this.#config = config
    this.#dashboard = emptyDashboard(config.tokens)
    this.#cards = this.#dashboard.cards.map((card) => new CardElement(card, config))
    interval(tickInterval).subscribe(() => this.#invalidateCards())
    onThemeChange(() => this.#invalidateCards())
    this.#scheduler.request()
  }

  /** Applies an event. */
  receive(event: DashboardEvent): void {
    this.#dashboard = update(this.#dashboard, event)
    this.#dashboard.cards.forEach((card, index) => this.#cards[index]?.set(card, rxClock.wallClock()))
    this.#scheduler.request()
  }

  #invalidateCards(): void {
    for (const card of this.#cards) card.invalidate()
    this.#scheduler.request()
  }

  #render(): void {
    const { connection, log, cards } = this.#dashboard
    const shown = this.#rendered
    const current = cards.filter(({ state }) => state === 'live').length
    const before = shown?.cards.filter(({ state }) => state === 'live').length
    if (connection !== shown?.connection || log !== shown.log || current !== before) {
      const elements = this.#cards.map(({ element }) => element)
      render(pageView({ config: this.#config, connection, log, current, elements }), this.#root)
    }
    this.#rendered = this.#dashboard
    const now = rxClock.wallClock()
    for (const card of this.#cards) card.render(now)
  }
}
