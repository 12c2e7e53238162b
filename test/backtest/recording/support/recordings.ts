import { left, right } from 'fp-ts/lib/Either.js'
import { lastValueFrom, map, toArray, type Observable } from 'rxjs'
import type { Address, Client, PriceError, Topic } from 'svc-streams'
import { rights } from 'svc-streams/operators'
import { replay } from 'svc-streams/recording'
import { disconnected, price } from 'svc-streams/testing'
import { encodeRow } from '../../../../src/backtest/recording/codec/row-codec.js'
import type { RecordingHeader, Row } from '../../../../src/backtest/recording/codec/row.js'

// Short recordings for the tests of replay.

export const topic: Topic = 'svc-0xab'
export const other: Topic = 'svc-0xcd'
export const mint: Address = '0xab'
/** The start of a minute, so that candles are aligned. */
export const start = 1_700_000_040_000

export const header: RecordingHeader = {
  _tag: 'Recording',
  version: 1,
  at: start,
  topics: [topic, other],
  mints: [mint],
  interval: 100,
}

export const priceRow = (ms: number, usd: number, of: Topic = topic): Row => ({
  _tag: 'Price',
  at: start + ms,
  topic: of,
  event: right(price(of, usd, { receivedAt: start + ms })),
})

export const errorRow = (ms: number, error: PriceError): Row => ({
  _tag: 'Price',
  at: start + ms,
  topic,
  event: left(error),
})

export const recordingText = (...rows: readonly (Row | RecordingHeader)[]): string =>
  rows.map((row) => `${encodeRow(row)}\n`).join('')

/** A source that consists of these chunks, and can be read several times. */
export const chunksOf = <A extends string | Uint8Array>(...chunks: readonly A[]): Iterable<A> => ({
  [Symbol.iterator]: () => chunks[Symbol.iterator](),
})

export const replayAtOnce = (...rows: readonly Row[]) =>
  replay(chunksOf(recordingText(header, ...rows)), { speed: Infinity })

export const down = disconnected({ code: 1006, reason: 'lost', attempt: 1, retryInMs: 5 })

/** The prices and error tags of a topic. */
export const summary$ = (client: Client, of: Topic = topic): Observable<string> =>
  client
    .price$(of)
    .pipe(map((event) => (event._tag === 'Right' ? String(event.right.price) : event.left._tag)))

/** The prices of a stream, without its errors. */
export const prices$ = (client: Client, of: Topic = topic): Observable<number> =>
  client.price$(of).pipe(
    rights(),
    map(({ price }) => price),
  )

export const collect = <A>(source$: Observable<A>): Promise<readonly A[]> =>
  lastValueFrom(source$.pipe(toArray()))
