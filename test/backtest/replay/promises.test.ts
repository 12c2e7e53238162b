import { orThrow } from 'svc-streams/operators'
import fc from 'fast-check'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { defer, filter, ignoreElements, map, merge, mergeMap, retry, switchMap, take, tap, timer } from 'rxjs'
import type { Client } from 'svc-streams'
import { replay } from 'svc-streams/recording'
import { depth, disconnected } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import { chunked } from '../recording/support/bytes.js'
import {
  chunksOf,
  collect,
  header,
  mint,
  priceRow,
  prices$,
  recordingText,
  start,
  topic,
} from '../recording/support/recordings.js'

const later = async (turns: number): Promise<void> => {
  for (let turn = 0; turn < turns; turn++) await Promise.resolve()
}

/** What a strategy that awaits promises knows when each of its promises settles. */
const awaiting = (turns: number, first: number) => (client: Client) => {
  let latest = 0
  return prices$(client).pipe(
    map((usd) => (latest = usd)),
    filter((usd) => usd >= first),
    mergeMap(async (usd) => {
      await later(turns)
      return `${usd} settled at ${latest}`
    }),
  )
}

/** What a strategy emits for each price: the latest price whose promise has settled. It does nothing itself after a promise. */
const withStateOfPromises = (turns: number) => (client: Client) => {
  let settled = 0
  return prices$(client).pipe(
    tap((usd) => void later(turns).then(() => (settled = usd))),
    map((usd) => `${usd} after ${settled}`),
  )
}

const textOf = (count: number): string =>
  recordingText(header, ...Array.from({ length: count }, (_, n) => priceRow(n, n + 1)))

describe('a strategy with promises', () => {
  it('has the same result however the recording is divided into chunks', async () => {
    const text = textOf(40)
    const bytes = Buffer.from(text)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(300), { maxLength: 30 }), fc.nat(20), async (lengths, turns) => {
        const run = (...chunks: readonly (string | Uint8Array)[]) =>
          collect(replay(chunksOf(...chunks), { speed: Infinity }).run$(awaiting(turns, 0)))
        const whole = await run(text)
        expect(whole).toEqual(Array.from({ length: 40 }, (_, n) => `${n + 1} settled at ${n + 1}`))
        expect(await run(...chunked(bytes, lengths))).toEqual(whole)
      }),
      { numRuns: 30 },
    )
  })

  it('has the same result if its first promise comes late, or if it emits nothing after a promise', async () => {
    const text = textOf(3000)
    const bytes = Buffer.from(text)
    for (const strategy of [awaiting(50, 2000), withStateOfPromises(1), withStateOfPromises(50)]) {
      const whole = await collect(replay(chunksOf(text), { speed: Infinity }).run$(strategy))
      for (const length of [97, 5000]) {
        const pieces = chunked(bytes, Array<number>(Math.floor(bytes.length / length)).fill(length))
        const run$ = replay(chunksOf(...pieces), { speed: Infinity }).run$(strategy)
        expect(await collect(run$)).toEqual(whole)
      }
      expect(whole.at(-1)).toMatch(/^3000 (settled at 3000|after 2999)$/)
    }
  })

  it('has settled those of an outage that a status announces before the next row', async () => {
    const waiting = { _tag: 'Waiting', attempt: 1, retryInMs: 100, reason: 'lost' } as const
    const rows: readonly Row[] = [
      priceRow(0, 1),
      { _tag: 'Status', at: start + 100, status: waiting },
      priceRow(10_000, 2),
    ]
    let latest = 'none'
    const strategy = (client: Client) =>
      client.price$(topic).pipe(
        tap((event) => (latest = isRight(event) ? String(event.right.price) : event.left._tag)),
        mergeMap(async ({ _tag }) => {
          await later(3)
          return `${_tag} settled at ${latest}`
        }),
      )
    const run$ = replay(chunksOf(recordingText(header, ...rows)), { speed: Infinity }).run$(strategy)
    expect(await collect(run$)).toEqual([
      'Right settled at 1',
      'Left settled at Disconnected',
      'Right settled at 2',
    ])
  })

  it('has settled those of timers between two rows before the later row', async () => {
    let latest = 0
    const strategy = (client: Client) =>
      merge(
        prices$(client).pipe(
          tap((usd) => (latest = usd)),
          ignoreElements(),
        ),
        timer(2_500, 2_500).pipe(
          take(5),
          mergeMap(async (number) => {
            await later(3)
            return `${number} settled at ${latest}`
          }),
        ),
      )
    const text = recordingText(header, priceRow(0, 1), priceRow(10_000, 2), priceRow(20_000, 3))
    const values = await collect(replay(chunksOf(text), { speed: Infinity }).run$(strategy))
    expect(values.map((value) => value.slice(-1))).toEqual(['1', '1', '1', '1', '2'])
  })
})

it('a depth stream with retry subscribes again in later turns after 100 times, and less than 125 times in 190 ms', async () => {
  const depthRow = (ms: number, event: Extract<Row, { _tag: 'Depth' }>['event']): Row => ({
    _tag: 'Depth',
    at: start + ms,
    mint,
    event,
  })
  const failed = left({ _tag: 'Timeout', message: 'no response in 5 ms', afterMs: 5 } as const)
  const client = replay(
    chunksOf(recordingText(header, depthRow(10, failed), depthRow(200, right(depth(mint, { price: 7 }))))),
    { speed: Infinity },
  )
  let subscriptions = 0
  const seen = client.run$((each) =>
    defer(() => {
      subscriptions++
      return each.depth$(mint, 100)
    }).pipe(
      orThrow(),
      retry(),
      map(({ price }) => price),
      take(1),
    ),
  )
  expect(await collect(seen)).toEqual([7])
  expect(subscriptions).toBeLessThan(125)
})

it.each([
  ['when it breaks', 0],
  ['while it is down', 50],
])('a price stream with retry, subscribed to %s, subscribes again in later turns', async (_, ms) => {
  const outage = left(disconnected({ code: 1006, reason: 'cut', attempt: 1, retryInMs: 250 }))
  const rows: readonly Row[] = [{ _tag: 'Price', at: start + 10, topic, event: outage }, priceRow(200, 7)]
  const client = replay(chunksOf(recordingText(header, ...rows)), { speed: Infinity })
  let subscriptions = 0
  const retried = (each: Client) =>
    defer(() => {
      subscriptions++
      return each.price$(topic)
    }).pipe(orThrow(), retry())
  const seen = client.run$((each) => timer(ms).pipe(switchMap(() => retried(each))))
  expect(await collect(seen.pipe(map(({ price }) => price)))).toEqual([7])
  expect(subscriptions).toBeLessThan(1000)
})
