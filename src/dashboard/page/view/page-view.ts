import { html, type TemplateResult } from 'lit-html'
import type { Connection } from '../../model/connection.js'
import type { LogEntry } from '../../model/event-log.js'
import type { PageConfig } from '../../model/page-config.js'
import { connectionView } from './connection-view.js'
import { logView } from './log-view.js'

/** All that the page shows around the cards. */
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
