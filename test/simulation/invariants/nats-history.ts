import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import type { Topic } from 'svc-streams'
import type { PastPrice } from 'svc-streams/history'
import { decodeHeader, decodeRow } from '../../../src/backtest/recording/format/row-codec.js'
import type { RecordingHeader, Row } from '../../../src/backtest/recording/format/row.js'
import { TopicPast } from '../../../src/backtest/recording/past/topic-past.js'
import type { StoredMessage } from '../actors/jetstream.js'
import type { PriceLog } from '../world/price-log.js'
import type { PortSocket } from '../world/web-socket-transport.js'

/** What the stream of a history has of one topic. */
export interface StoredPast {
  /** The first violation, if there is one. */
  readonly problem: string | undefined
  /** The time of the last price, in ms since the Unix epoch. */
  readonly lastAt: number
}

/** Outside of gaps nothing is missing, and nothing is repeated or out of order. */
export const checkPast = (topic: Topic, messages: readonly StoredMessage[], prices: PriceLog): StoredPast => {
  let problem: string | undefined
  let last: PastPrice | undefined
  let hasGap = true
  const seen = new Set<number>()
  /** The newest price of each connection of a gateway to the service. */
  const newest = new Map<PortSocket | undefined, number>()
  const onPrice = (next: PastPrice): void => {
    problem ??= problemOf(last, next, hasGap, seen, newest, prices)
    seen.add(next.price)
    newest.set(prices.sentBy(next.price)?.socket, next.price)
    hasGap = false
    last = next
  }
  const past = new TopicPast(topic, (event) => {
    if (event._tag === 'Gap') hasGap = true
    else onPrice(event)
  })
  for (const { text, sequence } of messages)
    for (const line of text.split('\n').slice(0, -1)) {
      const decoded = decode(line)
      if (decoded === undefined) return { problem: `message ${sequence} has the line ${line}`, lastAt: 0 }
      // A gap that ends in the ms in which it begins is not reported.
      hasGap ||= interrupts(decoded)
      past.onLine(decoded)
    }
  return { problem, lastAt: last?.at ?? 0 }
}

const problemOf = (
  last: PastPrice | undefined,
  { price }: PastPrice,
  hasGap: boolean,
  seen: ReadonlySet<number>,
  newest: ReadonlyMap<PortSocket | undefined, number>,
  prices: PriceLog,
): string | undefined => {
  const sent = prices.sentBy(price)
  if (sent === undefined) return `the price ${price} of the history was never sent`
  if (last === undefined) return undefined
  const isRepeated = seen.has(price)
  // The price that is current at the end of a gap may be that of before, and another gateway may have stored one in between.
  if (hasGap)
    return isRepeated && price !== newest.get(sent.socket)
      ? `the history repeats the price ${price}`
      : undefined
  const before = prices.sentBy(last.price)
  return before?.socket === sent.socket && sent.index === before.index + 1
    ? undefined
    : `in the history, the price ${price} follows ${last.price} without a gap`
}

const decode = (line: string): Row | RecordingHeader | undefined => {
  const header = decodeHeader(line)
  if (isRight(header)) return header.right
  const row = decodeRow(line)
  return isRight(row) ? row.right : undefined
}

const interrupts = (line: Row | RecordingHeader): boolean => {
  if (line._tag === 'Price') return isLeft(line.event)
  return line._tag !== 'Status' || line.status._tag === 'Waiting' || line.status._tag === 'Closed'
}
