import { chartHtml } from '../../view/chart/chart-html.js'
import { chartFormat, chartLabel, chartOf } from '../../view/token-chart.js'
import { shortAddress, shortTokens } from '../../view/texts.js'
import type { DepthSide } from '../../base/domain/depth.js'
import type { Figures, WatchedToken } from '../../view/watched-token.js'
import { lagText, priceReason, spanText } from '../../view/card-texts.js'
import { fromHtml, setAttribute, setDigits, setText } from './html.js'
import { ChartElement } from './chart-element.js'
import { TokenElement, type TokenActions } from './token-element.js'

const sideHtml = (name: string, title: string, meaning: string): string => `
  <div class="side" data-side="${name}" title="${meaning}">
    <dt>${title}</dt>
    <dd>
      <svg class="bar" aria-hidden="true" width="100%" height="6"><rect class="track" width="100%" height="6" rx="3" /><rect class="fill" width="0%" height="6" rx="3" /></svg>
      <span class="amount"><span data-field="${name}"></span> <span class="unit"></span></span>
      <span class="quantity"></span>
    </dd>
  </div>`

const cardHtml = `<article class="card">
  <header>
    <h2><span data-field="symbol"></span></h2>
    <span class="address"></span>
    <span class="state"><span class="mark" aria-hidden="true"></span><span data-field="state"></span></span>
  </header>
  <p class="price"><span data-field="price"></span> <span class="unit">USD</span><span class="tick" aria-hidden="true"></span></p>
  <div class="below">
    <p class="change"><span data-field="change"></span><span class="over"></span></p>
    <p class="reason"></p>
    <p class="since">age <span data-field="age"></span></p>
  </div>
  <dl class="depth">${sideHtml('buy', 'Can buy', 'What can be bought at the price: the ask side of the depth')}${sideHtml('sell', 'Can sell', 'What can be sold at the price: the bid side of the depth')}</dl>
  <footer>
    <p class="flow"></p>
    <button class="threshold"></button>
    <button class="pin"></button>
  </footer>
</article>`

export class CardElement extends TokenElement {
  readonly #chart: ChartElement
  #now = 0
  #rangeMs = 0

  constructor(token: WatchedToken, actions: TokenActions) {
    super(fromHtml(cardHtml), token, actions)
    const { symbol } = token.state.token
    this.#chart = new ChartElement(
      fromHtml(chartHtml('', { width: 1, height: 1 })),
      `Time on the chart of ${symbol}`,
      chartFormat,
      (zoom) => chartOf(token, this.#now, this.#rangeMs, zoom),
    )
    this.element.setAttribute('aria-labelledby', `name-${token.address}`)
    this.part('h2').id = `name-${token.address}`
    setText(this.part('[data-field=symbol]'), symbol)
    const address = shortAddress(token.address)
    setText(this.part('.address'), address === symbol ? '' : address)
    this.part('.address').title = token.address
    this.part('.depth').before(this.#chart.element)
  }

  protected override renderToken({ change, spanMs, age, lag }: Figures, now: number, rangeMs: number): void {
    this.part('.change').hidden = change === undefined
    const { state, change: tick = 0 } = this.token.state
    setAttribute(
      this.part('.tick'),
      'data-direction',
      state !== 'live' || tick === 0 ? '' : tick > 0 ? 'up' : 'down',
    )
    this.part('.since').hidden = state === 'live' && age !== undefined && age < usualAge
    setText(this.part('.over'), spanText(spanMs))
    setText(this.part('.reason'), priceReason(this.token.state))
    setText(this.part('.flow'), lag === undefined || lag < usualLag ? '' : `lag ${lagText(lag)}`)
    for (const name of ['buy', 'sell'] as const) this.#renderSide(name)
    this.#drawChart(now, rangeMs)
  }

  #drawChart(now: number, rangeMs: number): void {
    if (rangeMs !== this.#rangeMs) this.#chart.zoom(undefined)
    this.#now = now
    this.#rangeMs = rangeMs
    const fills = this.token.fills.filter(({ at }) => at >= now - rangeMs)
    const label = chartLabel(this.token.shown(now, rangeMs).range, fills.length)
    setAttribute(this.part('.chart'), 'aria-label', label)
    this.#chart.draw()
  }

  /** The longer bar is the larger amount. */
  #renderSide(name: 'buy' | 'sell'): void {
    const { depth, depthError, token } = this.token.state
    const side = depthError === undefined ? depth?.[name] : undefined
    const share = side === undefined || depth === undefined ? 0 : shareOf(side, depth)
    setAttribute(this.part(`[data-side=${name}] .fill`), 'width', `${(share * 100).toFixed(1)}%`)
    setText(this.part(`[data-side=${name}] .unit`), side === undefined ? '' : 'USD')
    const quantity = this.part(`[data-side=${name}] .quantity`)
    if (side === undefined) return setText(quantity, '')
    const decimals = token.decimals ?? undefined
    setDigits(
      quantity,
      `${shortTokens(side.totalQuantity, decimals)} ${decimals === undefined ? 'units' : token.symbol}`,
    )
  }
}

/** A quiet token repeats its price every 10 s. In ms. */
const usualAge = 15_000

/** A lag is shown if a person would notice it. In ms. */
const usualLag = 500

/** The amount as a share of the larger one, from 0 to 1. */
const shareOf = ({ totalQuantityUsd }: DepthSide, { buy, sell }: Record<'buy' | 'sell', DepthSide>): number =>
  totalQuantityUsd / (Math.max(buy.totalQuantityUsd, sell.totalQuantityUsd) || 1)
