import { html, type TemplateResult } from 'lit-html'
import { repeat } from 'lit-html/directives/repeat.js'
import type { LogEntry } from '../../model/event-log.js'
import { clockTime } from '../../text/clock-time.js'

const maxSymbols = 4

/** The event log. It scrolls, so the keyboard can focus it. */
export const logView = (log: readonly LogEntry[]): TemplateResult => html`
  <section class="log" aria-labelledby="log-title">
    <h2 id="log-title">Events</h2>
    <ol role="log" aria-live="polite" aria-labelledby="log-title" tabindex="0">
      ${repeat(log, ({ id }) => id, entryView)}
    </ol>
  </section>
`

const entryView = ({ at, tone, symbols, text }: LogEntry): TemplateResult => html`
  <li data-tone=${tone}>
    <time datetime=${new Date(at).toISOString()}>${clockTime(at)}</time>
    <span>${symbols.length === 0 ? '' : html`<b>${symbolsText(symbols)}</b>: `}${text}</span>
  </li>
`

const symbolsText = (symbols: readonly string[]): string =>
  symbols.length <= maxSymbols ? symbols.join(', ') : `${symbols.length} tokens`
