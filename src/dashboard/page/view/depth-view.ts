import { html, svg, type TemplateResult } from 'lit-html'
import { shortTokens } from '../../../number-format/tokens.js'
import type { DepthSide } from '../../../domain/depth.js'
import type { Card } from '../../model/card.js'
import { isDepthCurrent } from '../../model/depth-age.js'
import type { PageConfig } from '../../model/page-config.js'
import { amountDigits } from '../../text/price.js'
import { depthReason } from '../../text/reason.js'
import { digitsView } from './digits-view.js'

type SideName = 'buy' | 'sell'

/** What can be bought and sold at the midpoint. The longer bar is the larger amount. */
export const depthView = (card: Card, now: number, config: PageConfig): TemplateResult => html`
  <dl class="depth" data-current=${isDepthCurrent(card, now, config.depthInterval)}>
    ${sideView(card, 'buy', 'Buy')} ${sideView(card, 'sell', 'Sell')}
  </dl>
`

const sideView = ({ depth, depthError, token }: Card, name: SideName, title: string): TemplateResult => {
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

const absentText = (error: Card['depthError']): string =>
  error === undefined ? '\u2013' : depthReason(error)

const quantityView = (
  { totalQuantity }: DepthSide,
  { symbol, decimals }: Card['token'],
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
