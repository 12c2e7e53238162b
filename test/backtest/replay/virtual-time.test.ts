import { asyncScheduler, bufferTime, filter, firstValueFrom, interval, map, merge, take, timer } from 'rxjs'
import type { Client } from 'svc-streams'
import { candles, freshWithin, rights } from 'svc-streams/operators'
import { replay } from 'svc-streams/recording'
import { describe, expect, it, vi } from 'vitest'
import {
  collect,
  header,
  priceRow,
  recordingText,
  replayAtOnce,
  start,
  summary$,
  topic,
} from '../recording/support/recordings.js'
import { nextTurn } from '../../support/time/event-loop.js'
import { playedRows } from '../recording/support/rows.js'

describe('the virtual time of a replay', () => {
  it('applies to all Rx clocks and timers in run$, to the millisecond', async () => {
    const client = replayAtOnce(priceRow(10, 1), priceRow(20, 2), priceRow(5000, 3), priceRow(5001, 4))
    const inside = await collect(
      client.run$((each) =>
        merge(
          each.price$(topic).pipe(
            freshWithin(1000),
            map((event) => event._tag),
          ),
          interval(2000).pipe(map((n) => `tick ${n}`)),
          timer(30).pipe(map(() => 'timer')),
        ).pipe(map((what) => `${asyncScheduler.now() - start} ${what}`)),
      ),
    )
    expect(inside).toEqual([
      '10 Right',
      '20 Right',
      '30 timer',
      '1020 Left',
      '2000 tick 0',
      '4000 tick 1',
      '5000 Right',
      '5001 Right',
      '6000 tick 2',
    ])
  })

  it('does not apply outside of run$ during the replay', async () => {
    const client = replayAtOnce(priceRow(10, 1), priceRow(20, 2))
    const before = Date.now()
    const outside: number[] = []
    const real = firstValueFrom(timer(1).pipe(map(() => outside.push(asyncScheduler.now()))))
    await collect(client.run$((inside) => summary$(inside)))
    await real
    expect(outside[0]).toBeGreaterThanOrEqual(before)
  })

  it('applies to timers that an event causes without run$', async () => {
    const client = replayAtOnce(...[0, 1, 2, 3].map((n) => priceRow(n * 30_000, n + 1)))
    const seen = await collect(client.price$(topic).pipe(candles(60_000), rights()))
    expect(seen.map(({ open, close, from }) => [open, close, from - start])).toEqual([[1, 2, 0]])
  })

  it('fires the pending timers at the end of the recording, and completes run$', async () => {
    const client = replayAtOnce(priceRow(10, 1))
    expect(await collect(client.run$(() => interval(4)))).toEqual([0, 1, 2])
  })

  it('completes price$ immediately after the end of the recording', async () => {
    const client = replayAtOnce(priceRow(10, 1))
    await collect(client.run$(summary$))
    expect(await collect(client.price$(topic))).toEqual([])
  })

  it('clears its timers on unsubscribe from outside', async () => {
    const client = replayAtOnce(...Array.from({ length: 2000 }, (_, n) => priceRow(n, n + 1)))
    const ticks: number[] = []
    const buffers = client.run$((inside) => inside.price$(topic).pipe(bufferTime(10))).subscribe()
    const direct = client.price$(topic).pipe(freshWithin(3)).subscribe()
    client.run$(() => interval(7)).subscribe((tick) => ticks.push(tick))
    await firstValueFrom(summary$(client).pipe(filter((event) => event === '300')))
    buffers.unsubscribe()
    direct.unsubscribe()
    expect(await client.finished).toEqual(playedRows(2000))
    expect(ticks).toHaveLength(286)
  })

  it('reports an exception of a virtual timer, and continues', async () => {
    const thrown: unknown[] = []
    const onThrown = (error: unknown) => thrown.push(error)
    process.once('uncaughtException', onThrown)
    const listeners = process.listeners('uncaughtException').filter((each) => each !== onThrown)
    listeners.forEach((each) => process.off('uncaughtException', each))
    const client = replayAtOnce(priceRow(10, 1), priceRow(20, 2))
    const prices = await collect(
      client.run$((inside) => {
        asyncScheduler.schedule(() => {
          throw new Error('mine')
        }, 5)
        return summary$(inside)
      }),
    )
    await vi.waitFor(() => expect(thrown).toMatchObject([{ message: 'mine' }]))
    listeners.forEach((each) => process.on('uncaughtException', each))
    expect(prices).toEqual(['1', '2'])
  })

  it('gives the same result in each run', async () => {
    const rows = Array.from({ length: 500 }, (_, n) =>
      priceRow((n * 7919) % 100 === 0 ? n * 90 : n * 100, n + 1),
    )
    const strategy$ = (client: Client) =>
      client.price$(topic).pipe(
        freshWithin(40),
        bufferTime(333),
        map((events) => JSON.stringify(events)),
      )
    const first = await collect(replayAtOnce(...rows).run$(strategy$))
    expect(await collect(replayAtOnce(...rows).run$(strategy$))).toEqual(first)
    expect(first.length).toBeGreaterThan(100)
  })

  it('pauses without subscribers, and loses no row', async () => {
    let pulled = 0
    function* chunks() {
      yield recordingText(header)
      for (let ms = 1; ms <= 100; ms++) {
        pulled++
        yield recordingText(priceRow(ms, ms))
      }
    }
    const client = replay(chunks(), { speed: Infinity })
    expect(await firstValueFrom(summary$(client))).toBe('1')
    await nextTurn()
    expect(pulled).toBeLessThanOrEqual(2)
    expect(await collect(summary$(client).pipe(take(3)))).toEqual(['1', '2', '3'])
    expect((await collect(summary$(client))).slice(-1)).toEqual(['100'])
  })
})
