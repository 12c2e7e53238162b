import type { DepthSnapshot } from '../../domain/depth.js'
import { jsonNumberPattern } from '../json.js'
import { EpochMillis, MidpointPrice, UsdAmount } from '../number.js'

const number = `(${jsonNumberPattern})`

/** An integer of at least 0 as JSON writes it, in plain digits. */
const digits = String.raw`(0|[1-9]\d*)`

const objectOf = (fields: Readonly<Record<string, string>>): string => {
  const texts = Object.entries(fields).map(([name, value]) => `"${name}": ?${value}`)
  return String.raw`\{${texts.join(', ?')}\}`
}

const side = objectOf({ total_quantity: digits, total_quantity_usd: number })

/** No digit can follow a number, so a text matches in one way only, and what does not match takes linear time. */
const layout = new RegExp(`^${objectOf({ price: number, timestamp: number, buy: side, sell: side })}$`)

/**
 * The depth in a body that looks as documented: these fields and no other, in this order, compact or with a space
 * after colons and commas. Why it is right: by the grammar of JSON, a text that matches is the object with just these
 * fields. No key can be there twice, nothing can be escaped, and each group is the text of a number, which becomes the
 * value that the long way makes of it, by the same checks. Whatever differs by a character, or fails a check, is not
 * recognised, and goes the long way, which also makes the error.
 */
export const recogniseDepth = (text: string): DepthSnapshot | undefined => {
  const match = layout.exec(text)
  if (match === null) return undefined
  const price = Number(match[1])
  const timestamp = Number(match[2])
  const buyUsd = Number(match[4])
  const sellUsd = Number(match[6])
  const holds =
    MidpointPrice.is(price) && EpochMillis.is(timestamp) && UsdAmount.is(buyUsd) && UsdAmount.is(sellUsd)
  if (!holds) return undefined
  return {
    price,
    timestamp,
    buy: { totalQuantity: BigInt(match[3] ?? ''), totalQuantityUsd: buyUsd },
    sell: { totalQuantity: BigInt(match[5] ?? ''), totalQuantityUsd: sellUsd },
  }
}
