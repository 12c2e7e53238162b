import type { RecordingHeader, Row } from './row.js'

/**
 * The text of a price row, without `JSON.stringify`, which takes several times as long with a replacer. `undefined` for
 * any row whose text may differ from this layout: another order of fields, other fields, characters that are escaped,
 * numbers that JSON lacks.
 */
export const priceRowText = (row: Row | RecordingHeader): string | undefined => {
  if (row._tag !== 'Price' || !hasExactly(row, rowFields)) return undefined
  const { at, topic, event } = row
  if (!hasExactly(event, eventFields) || event._tag !== 'Right' || !isPlainNumber(at)) return undefined
  const price = event.right
  if (!hasExactly(price, priceFields)) return undefined
  const { receivedAt, epoch } = price
  if (!isPlainNumber(price.price) || !isPlainNumber(receivedAt) || !isPlainNumber(epoch)) return undefined
  if (!isPlainText(topic) || (price.topic !== topic && !isPlainText(price.topic))) return undefined
  return (
    `{"_tag":"Price","at":${at},"topic":"${topic}","event":{"_tag":"Right","right":` +
    `{"topic":"${price.topic}","price":${price.price},"receivedAt":${receivedAt},"epoch":${epoch}}}}`
  )
}

const rowFields = ['_tag', 'at', 'topic', 'event']
const eventFields = ['_tag', 'right']
const priceFields = ['topic', 'price', 'receivedAt', 'epoch']

/** True for an object with these fields in this order, and without a `toJSON`. */
const hasExactly = (value: object, fields: readonly string[]): boolean => {
  let count = 0
  for (const field in value) {
    if (field !== fields[count]) return false
    count += 1
  }
  return count === fields.length && Object.getPrototypeOf(value) === Object.prototype && !('toJSON' in value)
}

const isPlainNumber = (value: number): boolean => Number.isFinite(value) && !Object.is(value, -0)

/** ASCII without quotes, backslashes and control characters. */
const plainText = /^[ !#-[\]-~]*$/

const isPlainText = (value: unknown): boolean => typeof value === 'string' && plainText.test(value)
