import { html, nothing, render, type TemplateResult } from 'lit-html'
import { interval } from 'rxjs'
import { createUpdate, emptyDisplay, type Display, type DisplayEvent } from '../../display/display.js'
import { canonicalAddress } from '../../domain/address.js'
import { rxClock } from '../../time/rx-clock.js'
import type { PageConfig, ServedPast } from '../model/served.js'
import { logTexts } from '../text/log-texts.js'
import { CardElement } from './card-element.js'
import { onThemeChange } from './price-chart.js'
import { repeat } from 'lit-html/directives/repeat.js'
import type { Connection } from '../../display/connection.js'
import { symbolsText, type LogEntry } from '../../display/event-log.js'
import { clockTime } from '../../display/texts.js'
import { behindText } from '../../errors/text.js'

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

  addPast(past: ServedPast): void {
    this.#config.tokens.forEach(({ address }, index) => {
      const ofToken = past[canonicalAddress(address)]
      if (ofToken !== undefined) this.#cards[index]?.addPast(ofToken)
    })
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

interface PageViewState {
  readonly config: PageConfig
  readonly connection: Connection
  readonly log: readonly LogEntry[]
  /** The number of cards whose price is current. */
  readonly current: number
  readonly elements: readonly HTMLElement[]
}

const pageView = ({ config, connection, log, current, elements }: PageViewState): TemplateResult => html`
  <header class="top">
    <h1>Live prices</h1>
    <p class="source">${config.source} <span class="tag">${config.environment}</span></p>
    <p class="summary" data-all=${current === elements.length}>
      <b>${current}</b> of <b>${elements.length}</b> ${elements.length === 1 ? 'price' : 'prices'} current
    </p>
    ${connectionView(connection)}
  </header>
  <div class="columns">
    <main class="cards" data-count=${countClass(elements.length)}>${elements}</main>
    ${logView(log)}
  </div>
`

/** The fewer cards, the larger their charts. */
const countClass = (count: number): string => {
  if (count === 1) return 'one'
  return count <= 4 ? 'few' : 'many'
}

/**
 * The state of the connection to the service, why it is down, or how far behind its prices are. A screen reader announces a
 * change.
 */
const connectionView = ({ state, reason, behindMs }: Connection): TemplateResult => html`
  <p class="connection" data-connection=${state.replace(' ', '-')} role="status">
    <span class="mark" aria-hidden="true"></span>
    <span class="words"
      ><span data-field="connection">${behindMs === undefined ? state : behindText(behindMs)}</span>
      ${reason === '' ? nothing : html`<span class="why">${reason}</span>`}</span
    >
  </p>
`

/** The event log. It scrolls, so the keyboard can focus it. */
const logView = (log: readonly LogEntry[]): TemplateResult => html`
  <section class="log" aria-labelledby="log-title">
    <h2 id="log-title">Events</h2>
    <ol role="log" aria-live="polite" aria-labelledby="log-title" tabindex="0">
      ${repeat(log, ({ id }) => id, entryView)}
    </ol>
  </section>
`

const entryView = (entry: LogEntry): TemplateResult => html`
  <li data-tone=${entry.tone}>
    <time datetime=${new Date(entry.at).toISOString()}>${clockTime(entry.at)}</time>
    <span>${entry.symbols.length === 0 ? '' : html`<b>${symbolsText(entry)}</b>: `}${entry.text}</span>
  </li>
`
