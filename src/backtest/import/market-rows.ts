import TinyQueue from 'tinyqueue'
import type { OwnRow } from '../recording/record/own-rows.js'
import { roleOf, roles, seriesOf, type ImportedToken, type MarketReader } from './read-market.js'
import type { SortedRow } from './row-sorter.js'
import { unitsOf } from './values.js'

/** The prices of a candle that is over, in the last ms of its window. */
interface LatePrice {
  readonly at: number
  /** Prices of one ms keep the order in which they were added. */
  readonly number: number
  readonly value: number
  readonly token: ImportedToken
}

/**
 * The rows of a recording, in order. The high, the low and the close of a candle are in the last ms of its window, because they
 * are known only then. `assumedDepth`: the quantity of both sides of a depth with each price, in tokens, as decimal text.
 */
export function* marketRows(
  sorted: Iterable<SortedRow>,
  { series }: Pick<MarketReader, 'series'>,
  assumedDepth?: string,
): Generator<OwnRow, void> {
  const late = new TinyQueue<LatePrice>([], (a, b) => a.at - b.at || a.number - b.number)
  let number = 0
  for (const row of sorted) {
    for (let next = late.peek(); next !== undefined && next.at <= row.at; next = late.peek()) {
      late.pop()
      yield* rowsOf(next.at, next.value, next.token, assumedDepth)
    }
    const owner = series[seriesOf(row)]
    if (owner === undefined) continue
    const { token, interval } = owner
    const role = roleOf(row)
    if (role === roles.atClose)
      late.push({ at: row.at + interval - 1, number: number++, value: row.value, token })
    else yield* rowsOf(row.at, row.value, token, assumedDepth, role === roles.priceWithDepth ? row.text : '')
  }
  for (let next = late.pop(); next !== undefined; next = late.pop())
    yield* rowsOf(next.at, next.value, next.token, assumedDepth)
}

/**
 * A price, after its depth if there is one: an order that the price fills needs a depth that is not older. `depth`: the
 * quantities that can be bought and sold, in base-token units.
 */
const rowsOf = (
  at: number,
  price: number,
  { topic, address: mint, decimals }: ImportedToken,
  assumedDepth: string | undefined,
  depth = '',
): readonly OwnRow[] => {
  const row = { at, topic, price }
  if (assumedDepth !== undefined) {
    const quantity = unitsOf(assumedDepth, decimals ?? 0) ?? 0n
    return [{ at, mint, price, buy: quantity, sell: quantity }, row]
  }
  if (depth === '') return [row]
  const middle = depth.indexOf(' ')
  return [{ at, mint, price, buy: BigInt(depth.slice(0, middle)), sell: BigInt(depth.slice(middle)) }, row]
}
