import { left, right } from 'fp-ts/lib/Either.js'
import type { Address, ConnectionStatus, DepthError, PriceError, Topic } from 'svc-streams'
import { depth, price } from 'svc-streams/testing'
import type { DepthRow, PriceRow, StatusRow } from '../../../src/backtest/recording/codec/row.js'

/** 2026-11-21, in ms since the Unix epoch. */
export const rowTime = Date.UTC(2026, 10, 21, 10, 15, 2, 123)

export const priceRow = (topic: Topic, usd: number): PriceRow => ({
  _tag: 'Price',
  at: rowTime,
  topic,
  event: right(price(topic, usd, { receivedAt: rowTime })),
})

export const priceFailure = (topic: Topic, error: PriceError): PriceRow => ({
  _tag: 'Price',
  at: rowTime,
  topic,
  event: left(error),
})

export const depthRow = (mint: Address, buy: bigint, sell: bigint): DepthRow => ({
  _tag: 'Depth',
  at: rowTime,
  mint,
  event: right(
    depth(mint, {
      price: 2,
      buy: { totalQuantity: buy, totalQuantityUsd: 1234.5 },
      sell: { totalQuantity: sell, totalQuantityUsd: 67.891 },
      receivedAt: rowTime,
    }),
  ),
})

export const depthFailure = (mint: Address, error: DepthError): DepthRow => ({
  _tag: 'Depth',
  at: rowTime,
  mint,
  event: left(error),
})

export const statusRow = (status: ConnectionStatus, at = rowTime): StatusRow => ({
  _tag: 'Status',
  at,
  status,
})
