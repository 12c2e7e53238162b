import type { DepthSide, DepthSnapshot } from '../domain/depth.js'
import { EpochMillis, MidpointPrice, UsdAmount } from './number.js'

/** A number as JSON writes it. */
const number = String.raw`(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)`

/** An integer of at least 0 as JSON writes it, without an exponent. */
const digits = String.raw`(0|[1-9]\d*)`

const objectOf = (fields: Readonly<Record<string, string>>): string =>
  String.raw`\{${Object.entries(fields)
    .map(([name, value]) => `"${name}": ?${value}`)
    .join(', ?')}\}`

const side = objectOf({ total_quantity: digits, total_quantity_usd: number })

/** A number ends where no digit follows: there is one way to match a text, and a mismatch takes linear time. */
const layout = new RegExp(`^${objectOf({ price: number, timestamp: number, buy: side, sell: side })}$`)

/** In characters; an ordinary body has some 200. A regular expression fails on some megabytes of digits. */
const maxLength = 2000

/**
 * The depth in a body that looks as documented: these fields in this order, compact or with a space after each colon
 * and comma; otherwise `undefined`. Why it is right: by the grammar of JSON, a text that matches is the object with
 * just these fields, no key can be there twice, nothing can be escaped, and each group is a number's own text, which
 * the long way converts and checks likewise. Whatever differs by a character, or fails a check, is not recognised, and
 * goes the long way, which also makes the error.
 */
export const recogniseDepth = (text: string): DepthSnapshot | undefined => {
  const match = text.length > maxLength ? null : layout.exec(text)
  if (match === null) return undefined
  const price = Number(match[1])
  const timestamp = Number(match[2])
  const buy = sideOf(match[3], match[4])
  const sell = sideOf(match[5], match[6])
  const holds =
    MidpointPrice.is(price) &&
    EpochMillis.is(timestamp) &&
    UsdAmount.is(buy.totalQuantityUsd) &&
    UsdAmount.is(sell.totalQuantityUsd)
  return holds ? { price, timestamp, buy, sell } : undefined
}

const sideOf = (quantity = '', usd = ''): DepthSide => ({
  totalQuantity: BigInt(quantity),
  totalQuantityUsd: Number(usd),
})
