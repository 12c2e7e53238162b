import { right } from 'fp-ts/lib/Either.js'
import { dirname } from 'node:path'
import { price } from 'svc-streams/testing'
import { encodeRow } from '../../../src/backtest/recording/codec/row-codec.js'
import { createHeader, type Row } from '../../../src/backtest/recording/codec/row.js'
import { ethTopic as topic } from '../../support/tokens.js'
import { newFile } from './new-file.js'

/** A folder with a history of ETH, which is removed after the test. `prices`: in USD, by their times in ms since the Unix epoch. */
export const newHistoryFolder = (prices: readonly (readonly [at: number, usd: number])[]): string => {
  const at = prices[0]?.[0] ?? 0
  const rows = prices.map(([time, usd]): Row => ({
    _tag: 'Price',
    at: time,
    topic,
    event: right(price(topic, usd)),
  }))
  const start = new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')
  const text = [createHeader(at, [topic]), ...rows].map((row) => `${encodeRow(row)}\n`).join('')
  return dirname(newFile(`${topic}.${start}Z.ndjson`, text))
}
