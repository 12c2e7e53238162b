import { createDepthSide, type DepthSnapshot } from '../../domain/depth.js'
import { jsonNumberPattern } from '../json.js'
import { EpochMillis, MidpointPrice, UsdAmount } from '../number.js'

const number = `(${jsonNumberPattern})`

/** A JSON integer of at least 0, without fraction and exponent. */
const digits = String.raw`(0|[1-9]\d*)`

const objectOf = (fields: Readonly<Record<string, string>>): string => {
  const members = Object.entries(fields).map(([name, value]) => `"${name}": ?${value}`)
  return String.raw`\{${members.join(', ?')}\}`
}

const sidePattern = objectOf({ total_quantity: digits, total_quantity_usd: number })

/** No digit can follow a number, so that a string matches in one way only. A mismatch therefore takes linear time. */
const depthPattern = new RegExp(
  `^${objectOf({ price: number, timestamp: number, buy: sidePattern, sell: sidePattern })}$`,
)

/**
 * Decodes a depth body in the documented layout: these fields and no others, in this order, compact or with one space
 * after each colon and comma. Returns `undefined` for any other body, which then takes the slow path.
 *
 * Why it is correct: by the grammar of JSON, a matching text is an object with exactly these fields, without duplicate
 * keys and escapes. Each group is the text of a number, and the slow path converts and checks it in the same way. A body
 * that fails a check takes the slow path too, which builds the error.
 */
export const recogniseDepth = (text: string): DepthSnapshot | undefined => {
  const match = depthPattern.exec(text)
  if (match === null) return undefined
  const price = Number(match[1])
  const timestamp = Number(match[2])
  const buyUsd = Number(match[4])
  const sellUsd = Number(match[6])
  const isValid =
    MidpointPrice.is(price) && EpochMillis.is(timestamp) && UsdAmount.is(buyUsd) && UsdAmount.is(sellUsd)
  if (!isValid) return undefined
  return {
    price,
    timestamp,
    buy: createDepthSide({ totalQuantity: BigInt(match[3] ?? ''), totalQuantityUsd: buyUsd }),
    sell: createDepthSide({ totalQuantity: BigInt(match[5] ?? ''), totalQuantityUsd: sellUsd }),
  }
}
