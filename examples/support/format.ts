import type { ConnectionStatus, DepthSide } from 'svc-streams'
import type { TokenRow } from './token-row.js'

export const describeStatus = (status: ConnectionStatus): string => {
  switch (status._tag) {
    case 'Idle':
      return 'idle'
    case 'Connecting':
      return `connecting, attempt ${status.attempt}`
    case 'Open':
      return `connected, epoch ${status.epoch}`
    case 'Waiting':
      return `down (${withoutControls(status.reason)}), next attempt in ${status.retryInMs} ms`
    case 'Closed':
      return 'closed'
    default:
      return status satisfies never
  }
}

/** A text of the service without control characters, which could change the screen. */
const withoutControls = (text: string): string => text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '�')

/** A row as one line without colours. */
export const describeRow = ({ symbol, price, priceError, depth, depthError }: TokenRow): string => {
  const current = priceError ?? price
  const priceText =
    current === undefined ? 'no price yet' : '_tag' in current ? current._tag : formatPrice(current.price)
  const depthText =
    depthError?._tag ??
    (depth === undefined
      ? 'no depth yet'
      : `can be bought ${formatUsd(usdOf(depth.buy))}, can be sold ${formatUsd(usdOf(depth.sell))}`)
  return `${symbol.padEnd(6)} ${priceText.padStart(12)}  ${depthText}`
}

export const usdOf = (side: DepthSide | undefined): number => side?.totalQuantityUsd ?? 0

export const formatPrice = (price: number): string =>
  price.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: price < 10 ? 4 : 3 })

export const formatUsd = (amount: number): string =>
  `$${amount.toLocaleString('en-US', { notation: 'compact', maximumSignificantDigits: 3 })}`
