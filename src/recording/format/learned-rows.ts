import { right } from 'fp-ts/lib/Either.js'
import { ByteText } from '../../codec/fast-path/bytes.js'
import type { Address } from '../../domain/address.js'
import { createDepthSide, type DepthSide } from '../../domain/depth.js'
import { isPriceValue, maxTime } from '../../domain/valid-numbers.js'
import type { Topic } from '../../domain/topic.js'
import { KnownTexts, RowBytes } from './row-bytes.js'
import type { DepthRow, PriceRow, Row } from './row.js'

// The texts around the numbers of a row, as `record` writes it.
const beforePriceTime = new ByteText('{"_tag":"Price","at":')
const beforeDepthTime = new ByteText('{"_tag":"Depth","at":')
const beforePrice = (topic: string): string =>
  `,"topic":"${topic}","event":{"_tag":"Right","right":{"topic":"${topic}","price":`
const beforeMidpoint = (mint: string): string =>
  `,"mint":"${mint}","event":{"_tag":"Right","right":{"mint":"${mint}","price":`
const beforeReceivedAt = new ByteText(',"receivedAt":')
const beforeEpoch = new ByteText(',"epoch":')
const beforeTimestamp = new ByteText(',"timestamp":')
const beforeBuyQuantity = new ByteText(',"buy":{"totalQuantity":"')
const beforeSellQuantity = new ByteText('},"sell":{"totalQuantity":"')
const beforeUsd = new ByteText('","totalQuantityUsd":')
const afterSides = new ByteText('},"receivedAt":')

/** The start of such a row. The group is the topic or the mint: no character of it is escaped. */
const startPattern = /^\{"_tag":"(?:Price","at":[\d.]+,"topic|Depth","at":[\d.]+,"mint)":"([\w-]+)"/

/**
 * Recognises the rows of prices and depths in the layout in which `record` writes them, by their bytes. `learn` stores the
 * topic or the mint of a row that the slow path has decoded. `recognise` reads the numbers of a later row of it, and compares
 * all other bytes. Any other row takes the slow path, which also makes the errors.
 *
 * Why it is correct: by the grammar of JSON, a recognised row is an object with exactly these fields, without duplicate
 * keys and escapes, and its topic or mint is one that the slow path has accepted. Its numbers are checked as on the slow path.
 */
export class LearnedRows {
  /** By the bytes between the time and the price. */
  private readonly topics = new KnownTexts<Topic>()
  private readonly mints = new KnownTexts<Address>()
  private readonly line = new RowBytes()

  /** The index after the last recognised row and its line end. */
  get end(): number {
    return this.line.at
  }

  /** `text`: the line of the row. */
  learn(text: string, row: Row): void {
    const name = startPattern.exec(text)?.[1]
    if (row._tag === 'Price' && row.topic === name) this.topics.add(beforePrice(name), row.topic)
    if (row._tag === 'Depth' && row.mint === name) this.mints.add(beforeMidpoint(name), row.mint)
  }

  /** The row that starts at an index of the bytes; `undefined` if it is not recognised. */
  recognise(bytes: Uint8Array, start: number): PriceRow | DepthRow | undefined {
    const { line } = this
    line.startAt(bytes, start)
    if (line.skip(beforePriceTime)) return this.readPriceRow()
    return line.skip(beforeDepthTime) ? this.readDepthRow() : undefined
  }

  /** Any comparison with NaN, which stands for a number in another form, is false. */
  private readPriceRow(): PriceRow | undefined {
    const { line } = this
    const at = line.readNumber()
    const topic = line.readKnown(this.topics)
    if (topic === undefined) return undefined
    const price = line.readNumber()
    if (!line.skip(beforeReceivedAt)) return undefined
    const receivedAt = line.readNumber()
    if (!line.skip(beforeEpoch)) return undefined
    const epoch = line.readNumber()
    if (!line.skipEnd(3)) return undefined
    if (!(at <= maxTime && receivedAt < Infinity && epoch < Infinity && isPriceValue(price))) return undefined
    return { _tag: 'Price', at, topic, event: right({ topic, price, receivedAt, epoch }) }
  }

  private readDepthRow(): DepthRow | undefined {
    const { line } = this
    const at = line.readNumber()
    const mint = line.readKnown(this.mints)
    if (mint === undefined) return undefined
    const price = line.readNumber()
    if (!line.skip(beforeTimestamp)) return undefined
    const timestamp = line.readNumber()
    if (!line.skip(beforeBuyQuantity)) return undefined
    const buy = this.readSide()
    if (buy === undefined || !line.skip(beforeSellQuantity)) return undefined
    const sell = this.readSide()
    if (sell === undefined || !line.skip(afterSides)) return undefined
    const receivedAt = line.readNumber()
    if (!line.skipEnd(3)) return undefined
    if (!(at <= maxTime && receivedAt < Infinity && timestamp < Infinity && isPriceValue(price)))
      return undefined
    return { _tag: 'Depth', at, mint, event: right({ mint, price, timestamp, buy, sell, receivedAt }) }
  }

  private readSide(): DepthSide | undefined {
    const { line } = this
    const totalQuantity = line.readInteger()
    if (totalQuantity === undefined || !line.skip(beforeUsd)) return undefined
    const totalQuantityUsd = line.readNumber()
    return totalQuantityUsd < Infinity ? createDepthSide({ totalQuantity, totalQuantityUsd }) : undefined
  }
}
