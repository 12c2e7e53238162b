import { html, nothing, render, svg, type TemplateResult } from 'lit-html'
import type { TokenState } from '../../display/token-state.js'
import { chartSlot, ChartSamples, chartWindow, type ChartData } from '../model/chart-samples.js'
import type { PageConfig } from '../model/served.js'
import { PriceChart } from './price-chart.js'
import { shortPrice, shortTokens, type DigitGroups } from '../../display/numbers.js'
import { formatSeconds, shortAddress } from '../../display/texts.js'
import type { DepthSide } from '../../domain/depth.js'
import {
  amountDigits,
  changeOf,
  depthReason,
  isDepthCurrent,
  priceReason,
  spanText,
} from '../text/card-texts.js'

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

  /** Adds the prices from before the page was opened to the chart alone: none of them is current. */
  addPast(past: ChartData): void {
    this.#samples.addPast(past)
    this.invalidate()
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

interface CardViewState {
  readonly card: TokenState
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

const cardView = ({ card, now, from, span, config, chart }: CardViewState): TemplateResult => {
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
      <span data-field="price">${price === undefined ? unknown : digitsView(shortPrice(price.price))}</span
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

const reasonView = (card: TokenState): TemplateResult => html`<p class="reason">${priceReason(card)}</p>`

const changeView = ({ price }: TokenState, from: number, span: number): TemplateResult | typeof nothing => {
  if (price === undefined) return nothing
  const { direction, text } = changeOf(price.price, from)
  return html`
    <p class="change" data-direction=${direction}>
      <span class="arrow" aria-hidden="true"></span>
      <span data-field="change">${text}</span>
      <span class="over">${spanText(span)}</span>
    </p>
  `
}

type SideName = 'buy' | 'sell'

/** What can be bought and sold at the midpoint. The longer bar is the larger amount. */
const depthView = (card: TokenState, now: number, config: PageConfig): TemplateResult => html`
  <dl class="depth" data-current=${isDepthCurrent(card, now, config.depthInterval)}>
    ${sideView(card, 'buy', 'Buy')} ${sideView(card, 'sell', 'Sell')}
  </dl>
`

const sideView = (
  { depth, depthError, token }: TokenState,
  name: SideName,
  title: string,
): TemplateResult => {
  const side = depthError === undefined ? depth?.[name] : undefined
  const share = side === undefined || depth === undefined ? 0 : shareOf(side, depth)
  return html`
    <div class="side" data-side=${name}>
      <dt>${title}</dt>
      <dd>
        ${barView(share)}
        <span class="amount"
          ><span data-field=${name} title=${depthError?.message ?? ''}
            >${side !== undefined ? digitsView(amountDigits(side.totalQuantityUsd)) : absentText(depthError)}</span
          >${side === undefined ? '' : html`<span class="unit">USD</span>`}</span
        >
        <span class="quantity">${side === undefined ? '' : quantityView(side, token)}</span>
      </dd>
    </div>
  `
}

const absentText = (error: TokenState['depthError']): string =>
  error === undefined ? '\u2013' : depthReason(error)

const quantityView = (
  { totalQuantity }: DepthSide,
  { symbol, decimals }: TokenState['token'],
): TemplateResult => html`
  ${digitsView(shortTokens(totalQuantity, decimals ?? undefined))} ${decimals === null ? 'units' : symbol}
`

/** From 0 to 1: relative to the larger side. */
const shareOf = (
  { totalQuantityUsd }: DepthSide,
  { buy, sell }: Readonly<Record<SideName, DepthSide>>,
): number => {
  const larger = Math.max(buy.totalQuantityUsd, sell.totalQuantityUsd)
  return larger === 0 ? 0 : totalQuantityUsd / larger
}

/** A `style` attribute would violate the content security policy; the width of a rectangle does not. */
const barView = (share: number): TemplateResult => html`
  <svg class="bar" aria-hidden="true" width="100%" height="6">
    ${svg`<rect class="track" width="100%" height="6" rx="3" /><rect class="fill" width=${`${(share * 100).toFixed(1)}%`} height="6" rx="3" />`}
  </svg>
`

/** A number. Space between its groups is set by the style sheet, so that its text remains one number. */
const digitsView = ({ whole: [first, ...groups], fraction }: DigitGroups): TemplateResult =>
  html`${first}${groups.length === 0 ? nothing : groups.map(groupView)}${fraction}`

const groupView = (digits: string): TemplateResult => html`<span class="group">${digits}</span>`
