import { right } from 'fp-ts/lib/Either.js'
import fc from 'fast-check'
import type { Row } from '../../../../src/backtest/recording/format/row.js'
import { StreamSeam } from '../../../../src/backtest/recording/resume/stream-seam.js'
import type { PricePosition } from '../../../../src/base/domain/position.js'
import type { Depth, DepthError } from 'svc-streams'
import { expect, it } from 'vitest'
import { ethTopic } from '../../../support/tokens.js'

/** What a service sends, and which part of it a recorder and a client have received. */
interface Case {
  readonly prices: readonly number[]
  /** The recorder has the prices from the first one to this one, exclusive. */
  readonly recordedTo: number
  /** The client has the prices from this one on: of a live topic, the current one comes first. */
  readonly liveFrom: number
  /** The time of the recorder's clock less that of the client's, in ms. */
  readonly ahead: number
}

const cases = (priceOf: (n: number) => fc.Arbitrary<number>): fc.Arbitrary<Case> =>
  fc.integer({ min: 2, max: 12 }).chain((count) =>
    fc.record({
      prices: fc.tuple(...Array.from({ length: count }, (_, n) => priceOf(n))),
      recordedTo: fc.integer({ min: 1, max: count }),
      liveFrom: fc.integer({ min: 0, max: count - 1 }),
      ahead: fc.constantFrom(0, 300_000, -300_000, 86_400_000),
    }),
  )

const start = Date.UTC(2026, 0)

const row = (price: number, at: number, position?: PricePosition): Row => {
  const event = right({ topic: ethTopic, price, receivedAt: at, epoch: 1 })
  const fields = { _tag: 'Price', at, topic: ethTopic, event } as const
  return position === undefined ? fields : { ...fields, position }
}

/** The prices of a strategy, and whether it has been told that some may be missing. `runs`: of the recorder and of the client. */
const joined = ({ prices, recordedTo, liveFrom, ahead }: Case, runs: readonly [string, string]) => {
  const seam = new StreamSeam()
  const rows = (run: string, skew: number): readonly Row[] =>
    prices.map((price, n) => row(price, start + n * 10 + skew, { run, count: n + 1 }))
  const recorded = rows(runs[0], ahead).slice(0, recordedTo)
  const live = rows(runs[1], 0).slice(liveFrom)
  for (const each of recorded) seam.onRecorded(each)
  seam.live.confirm(undefined)
  for (const each of live) seam.onLive(each)
  seam.end()
  const received = [...recorded, ...live.filter((each) => !seam.isRepeated(each))]
  const values = received.flatMap((each) =>
    each._tag === 'Price' && 'right' in each.event ? [each.event.right.price] : [],
  )
  return { values, isContinued: seam.isContinued, difference: seam.difference }
}

it('prices with common positions come once, in order, and a gap is one, for all clocks and equal prices', () => {
  fc.assert(
    fc.property(
      cases(() => fc.constantFrom(1, 2)),
      (given) => {
        const { values, isContinued, difference } = joined(given, ['run', 'run'])
        expect(isContinued).toBe(given.liveFrom <= given.recordedTo)
        if (!isContinued) return
        expect(values).toEqual(given.prices)
        if (given.liveFrom < given.recordedTo) expect(difference).toBe(0 - given.ahead)
      },
    ),
  )
})

it('prices of two clients interrupt the topic, whatever their values, and none is left out', () => {
  fc.assert(
    fc.property(
      cases(() => fc.constantFrom(1, 2)),
      (given) => {
        const { prices, recordedTo, liveFrom } = given
        const values = [...prices.slice(0, recordedTo), ...prices.slice(liveFrom)]
        const expected = { values, isContinued: false, difference: undefined }
        expect(joined(given, ['recorder', 'client'])).toEqual(expected)
      },
    ),
  )
})

it('no depth comes twice or after a later one', () => {
  const seam = new StreamSeam()
  const depthRow = (timestamp: number): Row => ({
    ...{ _tag: 'Depth', at: start, mint: '0x1' },
    event: right<DepthError, Depth>({
      ...{ mint: '0x1', price: 1, timestamp, receivedAt: start },
      ...{
        buy: { totalQuantity: 1n, totalQuantityUsd: 1 },
        sell: { totalQuantity: 1n, totalQuantityUsd: 1 },
      },
    }),
  })
  for (const timestamp of [1, 2, 3]) seam.onRecorded(depthRow(timestamp))
  seam.end()
  expect([2, 3, 4].map((timestamp) => seam.isRepeated(depthRow(timestamp)))).toEqual([true, true, false])
})
