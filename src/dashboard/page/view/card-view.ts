import { html, nothing, type TemplateResult } from 'lit-html'
import type { Card } from '../../model/card.js'
import type { PageConfig } from '../../model/page-config.js'
import { changeOf, spanText } from '../../text/change.js'
import { priceDigits } from '../../text/price.js'
import { priceReason } from '../../text/reason.js'
import { formatSeconds } from '../../text/seconds.js'
import { depthView } from './depth-view.js'
import { digitsView } from './digits-view.js'

/** All that a card shows. */
export interface CardViewState {
  readonly card: Card
  /** In ms since the Unix epoch. */
  readonly now: number
  /** The first price of the chart, and the time since, in ms. */
  readonly from: number | undefined
  readonly span: number
  readonly config: PageConfig
  readonly chart: HTMLElement
}

/** Stands for a value that is not known yet. */
const unknown = '\u2013'

export const cardView = ({ card, now, from, span, config, chart }: CardViewState): TemplateResult => {
  const { token, state, price } = card
  const address = token.address.toLowerCase()
  return html`
    <header>
      <h2 id=${`name-${address}`}><span data-field="symbol">${token.symbol}</span></h2>
      <span class="address" title=${address}>${shortAddress(address)}</span>
      <span class="state"
        ><span class="mark" aria-hidden="true"></span><span data-field="state">${state}</span></span
      >
    </header>
    <p class="price" data-known=${price !== undefined}>
      <span data-field="price">${price === undefined ? unknown : digitsView(priceDigits(price.price))}</span
      ><span class="unit">USD</span>
    </p>
    <div class="below">
      ${state === 'live' && from !== undefined ? changeView(card, from, span) : reasonView(card)}
      <p class="since">
        age
        <span data-field="age">${price === undefined ? unknown : formatSeconds(now - price.receivedAt)}</span>
      </p>
    </div>
    ${chart} ${depthView(card, now, config)}
  `
}

const reasonView = (card: Card): TemplateResult => html`<p class="reason">${priceReason(card)}</p>`

const changeView = ({ price }: Card, from: number, span: number): TemplateResult | typeof nothing => {
  if (price === undefined) return nothing
  const { direction, text } = changeOf(price, from)
  return html`
    <p class="change" data-direction=${direction}>
      <span class="arrow" aria-hidden="true"></span>
      <span data-field="change">${text}</span>
      <span class="over">${spanText(span)}</span>
    </p>
  `
}

const shortAddress = (address: string): string =>
  address.length <= 13 ? address : `${address.slice(0, 6)}\u2026${address.slice(-4)}`
