import { right } from 'fp-ts/lib/Either.js'
import { firstValueFrom, map, merge, of, type Subscription } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { defineTokens } from 'svc-streams'
import { rights } from 'svc-streams/operators'
import { market, paper } from 'svc-streams/paper'
import { replay, type ReplayClient } from 'svc-streams/recording'
import { depth, price, subscriptionTimeout } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import { nextTurn } from '../../support/time/event-loop.js'
import {
  chunksOf,
  collect,
  errorRow,
  header,
  mint,
  priceRow,
  recordingText,
  summary$,
  topic,
} from '../recording/support/recordings.js'
import { playedRows } from '../recording/support/rows.js'

/** The number of real timers that keep the process alive. */
const countTimers = (): number =>
  process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length

describe('a replay at a finite speed', () => {
  it('emits rows at their recorded distances, divided by the speed', async () => {
    const startedAt = performance.now()
    const client = replay(chunksOf(recordingText(header, priceRow(0, 1), priceRow(4000, 2))), { speed: 100 })
    expect(await collect(summary$(client))).toEqual(['1', '2'])
    // A timer may fire a millisecond early by this clock.
    expect(performance.now() - startedAt).toBeGreaterThan(38)
  })

  it.each([60_000, 3_600_000])(
    'gives an account the events of virtual time, also for a recording of %i ms ago',
    async (age) => {
      const at = Date.now() - age
      const side = { totalQuantity: 1_000n, totalQuantityUsd: 1 }
      const book = depth(mint, { buy: side, sell: side, timestamp: at, receivedAt: at })
      const rows = [10, 11, 12].map((usd, second): Row => {
        const receivedAt = at + 1_000 * second
        return { _tag: 'Price', at: receivedAt, topic, event: right(price(topic, usd, { receivedAt })) }
      })
      const depthRow: Row = { _tag: 'Depth', at, mint, event: right(book) }
      const text = recordingText({ ...header, at, mints: [mint] }, depthRow, ...rows)
      const tokens = defineTokens({ X: { address: mint, decimals: 0 } })
      const options = { tokens, cash: 1_000, feeBps: 0, slippageBps: 0, latency: 500 }
      const eventsAt = (speed: number) =>
        collect(
          replay(chunksOf(text), { speed }).run$((client) =>
            paper(
              client,
              ({ price$ }) =>
                price$(topic).pipe(
                  rights(),
                  map(() => market('X', 'buy', { units: 1n })),
                ),
              options,
            ),
          ),
        )
      const events = await eventsAt(1_000)
      expect(events.filter(({ _tag }) => _tag === 'Filled')).toHaveLength(2)
      expect(events).toEqual(await eventsAt(Infinity))
    },
  )

  it('ends on close() during a wait', async () => {
    const client = replay(chunksOf(recordingText(header, priceRow(0, 1), priceRow(2 ** 40, 2))))
    const all = collect(summary$(client))
    await firstValueFrom(summary$(client))
    await client.close()
    expect(await all).toEqual(['1'])
    expect(await client.finished).toEqual(playedRows(1))
  })

  it('pauses from the last unsubscribe until the next subscribe', async () => {
    const timedOut = subscriptionTimeout(topic, 5, [])
    const client = replay(
      chunksOf(recordingText(header, priceRow(0, 1), errorRow(40, timedOut), priceRow(80, 2))),
    )
    expect(await firstValueFrom(summary$(client))).toBe('1')
    const otherReplay = replay(chunksOf(recordingText(header, priceRow(0, 1), priceRow(100, 2))))
    await collect(summary$(otherReplay))
    // A subscriber that takes only the retained event does not resume the replay.
    for (let n = 0; n < 3; n++) expect(await firstValueFrom(summary$(client))).toBe('1')
    expect(await collect(summary$(client))).toEqual(['1', 'SubscriptionTimeout', '2'])
  })

  it.each<[string, (client: ReplayClient, subscription: Subscription) => unknown]>([
    ['unsubscribe', (_, subscription) => subscription.unsubscribe()],
    ['close()', (client) => client.close()],
  ])('keeps real time on %s inside TestScheduler.run', async (_, end) => {
    const client = replay(chunksOf(recordingText(header, priceRow(0, 1), priceRow(2 ** 30, 2))))
    const subscription = client.price$(topic).subscribe()
    await firstValueFrom(summary$(client))
    // The replay yields after the row, and then waits for the next one.
    for (let turn = 0; turn < 2; turn++) await nextTurn()
    // Compared without a turn in between, because timers of other files may end in a turn.
    const timers = countTimers()
    new TestScheduler(() => undefined).run(() => void end(client, subscription))
    expect(countTimers()).toBe(timers - 1)
    await client.close()
  })

  it('completes run$ at the end of the recording', async () => {
    const client = replay(chunksOf(recordingText(header, priceRow(0, 1))), { speed: 1000 })
    expect(await collect(client.run$((inside) => merge(summary$(inside), of('x'))))).toEqual(['x', '1'])
  })
})
