import { html, nothing, type TemplateResult } from 'lit-html'
import { repeat } from 'lit-html/directives/repeat.js'
import type { Connection } from '../../display/connection.js'
import { symbolsText, type LogEntry } from '../../display/event-log.js'
import { clockTime } from '../../display/texts.js'
import { behindText } from '../../errors/text.js'
import type { PageConfig } from '../model/served.js'

export interface PageViewState {
  readonly config: PageConfig
  readonly connection: Connection
  readonly log: readonly LogEntry[]
  /** The number of cards whose price is current. */
  readonly current: number
  readonly elements: readonly HTMLElement[]
}

export const pageView = ({
  config,
  connection,
  log,
  current,
  elements,
}: PageViewState): TemplateResult => html`
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
