import { right } from 'fp-ts/lib/Either.js'
import { lastValueFrom, map, mergeMap, skip, switchMap, take, toArray, type Observable } from 'rxjs'
import type { Topic } from 'svc-streams'
import { rights } from 'svc-streams/operators'
import { limit, market, paper, stop, type Filled, type MarketClient, type Order } from 'svc-streams/paper'
import { depth, price } from 'svc-streams/testing'
import { expect, it } from 'vitest'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import { mint, other, priceRow, replayAtOnce, start, topic } from '../recording/support/recordings.js'
import { account, tokens } from './support/scenario.js'

/** A price that arrived between 102 ms and 9001 ms, while the process was stopped. */
const heldRow: Row = {
  _tag: 'Price',
  at: start + 9_001,
  topic,
  event: right(price(topic, 10, { receivedAt: start + 102 })),
}

const depthRow = (ms: number): Row => {
  const at = start + ms
  const side = { totalQuantity: 400n, totalQuantityUsd: 1 }
  const event = right(depth(mint, { buy: side, sell: side, timestamp: at, receivedAt: at }))
  return { _tag: 'Depth', at, mint, event }
}

/** The fills of a strategy with an order at each first price in USD, in ms since the start. */
const fillsOf = async (rows: readonly Row[], orders: Readonly<Record<number, Order>>, latency: number) => {
  const strategy$ = ({ price$ }: MarketClient) => {
    const left = new Map(Object.entries(orders))
    return price$(topic).pipe(
      rights(),
      mergeMap(({ price: usd }) => {
        const order = left.get(String(usd))
        left.delete(String(usd))
        return order === undefined ? [] : [order]
      }),
    )
  }
  const options = { ...account, tokens: { X: tokens.X }, latency, allowShort: true }
  const event$ = replayAtOnce(...rows).run$((client) => paper(client, strategy$, options).pipe(toArray()))
  const filled = (await lastValueFrom(event$)).filter((event): event is Filled => event._tag === 'Filled')
  return filled.map(({ decidedAt, at }) => ({ decidedAt: decidedAt - start, at: at - start }))
}

it('fills no waiting order with a price that was held, but with the next one, and a depth that is current then', async () => {
  const rows = [depthRow(0), priceRow(1, 11), heldRow, priceRow(9_010, 10), depthRow(9_030)]
  const orders = { 11: limit('X', 'buy', { units: 1n }, 10) }
  expect(await fillsOf(rows, orders, 0)).toEqual([{ decidedAt: 1, at: 9_030 }])
})

it('dates an order that a held price causes by the clock of the strategy, and fills it after the latency', async () => {
  const rows = [
    depthRow(0),
    priceRow(1, 11),
    heldRow,
    depthRow(9_005),
    priceRow(9_010, 10),
    priceRow(9_060, 10),
  ]
  const orders = { 10: market('X', 'buy', { units: 1n }) }
  expect(await fillsOf(rows, orders, 50)).toEqual([{ decidedAt: 9_001, at: 9_060 }])
})

it('triggers no stop with a price that was held', async () => {
  const rows = [
    depthRow(0),
    priceRow(1, 11),
    heldRow,
    depthRow(9_005),
    priceRow(9_010, 12),
    priceRow(9_060, 10),
  ]
  const orders = { 11: stop('X', 'sell', { units: 1n }, 10.5) }
  expect(await fillsOf(rows, orders, 0)).toEqual([{ decidedAt: 1, at: 9_060 }])
})

it('takes no price for one that was held because the clock of the recorder was set back before it', async () => {
  const rows = [depthRow(60_000), priceRow(60_001, 11), depthRow(30_000), priceRow(30_001, 12)]
  const later = [depthRow(60_040), priceRow(60_041, 13), depthRow(60_060), priceRow(60_061, 14)]
  const orders = { 12: market('X', 'buy', { units: 1n }), 13: market('X', 'buy', { units: 1n }) }
  expect(await fillsOf([...rows, ...later, priceRow(60_091, 10)], orders, 50)).toEqual([
    { decidedAt: 60_001, at: 60_061 },
    { decidedAt: 60_041, at: 60_091 },
  ])
})

it('dates an order by the event that causes it, however the strategy has subscribed to it', async () => {
  const rowOf = (of: Topic, ms: number): Row => ({
    _tag: 'Price',
    at: start + ms + 2,
    topic: of,
    event: right(price(of, 10, { receivedAt: start + ms })),
  })
  const rows = [1, 20, 30].flatMap((ms) => [rowOf(topic, ms), rowOf(other, ms + 4)])
  const decidedAt = async (strategy$: (client: MarketClient) => Observable<unknown>) => {
    const order$ = (client: MarketClient) =>
      strategy$(client).pipe(map(() => market('X', 'sell', { units: 1n })))
    const options = { ...account, tokens: { X: tokens.X } }
    const event$ = replayAtOnce(...rows).run$((client) => paper(client, order$, options).pipe(toArray()))
    const events = await lastValueFrom(event$)
    return events.flatMap((event) => (event._tag === 'Rejected' ? [event.decidedAt - start] : []))
  }
  expect(await decidedAt(({ price$ }) => price$(topic))).toEqual([1, 20, 30])
  const late = ({ price$ }: MarketClient) =>
    price$(topic).pipe(
      take(1),
      switchMap(() => price$(topic).pipe(skip(1))),
    )
  expect(await decidedAt(late)).toEqual([20, 30])
  expect(await decidedAt(({ price$ }) => price$(other))).toEqual([5, 24])
})
