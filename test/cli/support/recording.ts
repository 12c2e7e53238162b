import { right } from 'fp-ts/lib/Either.js'
import { price } from 'svc-streams/testing'
import type { RecordingHeader, Row } from '../../../src/backtest/recording/codec/row.js'

// A recording that starts at 2026-11-21T10:00:00Z, of one token.

export const topic = 'svc-0xab'
export const at = Date.parse('2026-11-21T10:00:00Z')

export const header: RecordingHeader = {
  _tag: 'Recording',
  version: 1,
  at,
  topics: [topic],
  mints: [],
  interval: 1000,
}

/** A price in USD, `ms` after the start. */
export const priced = (ms: number, usd: number): Row => ({
  _tag: 'Price',
  at: at + ms,
  topic,
  event: right(price(topic, usd, { receivedAt: at + ms })),
})
