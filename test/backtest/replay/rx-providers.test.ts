import { debounceTime, interval, map, merge, mergeMap, type Observable, skip, take, timer } from 'rxjs'
import type { Client } from 'svc-streams'
import { replay, type ReplayClient } from 'svc-streams/recording'
import { price } from 'svc-streams/testing'
import { describe, expect, it, vi } from 'vitest'
import { encodeRow } from '../../../src/backtest/recording/codec/row-codec.js'
import { currentDelegates, unusedDelegates } from '../../support/time/unused-delegates.js'
import { ethTopic } from '../../support/tokens.js'
import { collectUnhandledErrors } from '../../support/unhandled-errors.js'
import { chunksOf } from '../recording/support/recordings.js'

const start = 1_700_000_000_000

/** A header and three prices, one second apart. */
const recording = (): string => {
  const header = {
    ...({ _tag: 'Recording', version: 1 } as const),
    ...{ at: start, topics: [ethTopic], mints: [], interval: 1000 },
  }
  const rows = [1, 2, 3].map((usd) => {
    const at = start + usd * 1000
    const event = { _tag: 'Right', right: price(ethTopic, usd, { receivedAt: at }) } as const
    return encodeRow({ _tag: 'Price', at, topic: ethTopic, event })
  })
  return [encodeRow(header), ...rows].join('\n')
}

const replayOf = (): ReplayClient => replay(chunksOf(recording()), { speed: Infinity })

/** A strategy with timers that are still pending when the recording ends. */
const withTimers$ = (client: Client): Observable<number> =>
  client.price$(ethTopic).pipe(
    mergeMap(() => interval(10_000)),
    take(100),
  )

describe('a replay in virtual time leaves no delegate in a provider of RxJS', () => {
  const unhandled = collectUnhandledErrors()

  it('after its end', async () => {
    const client = replayOf()
    await client.run$(withTimers$).forEach(() => undefined)
    await client.finished
    expect(currentDelegates()).toEqual(unusedDelegates)
  })

  it('after its end, with a timer that a subscriber outside of run$ started and clears later', async () => {
    const client = replayOf()
    const subscription = client
      .price$(ethTopic)
      .pipe(mergeMap(() => timer(60_000)))
      .subscribe()
    await client.finished
    expect(currentDelegates()).toEqual(unusedDelegates)
    subscription.unsubscribe()
    client.inspect()
    expect(currentDelegates()).toEqual(unusedDelegates)
  })

  it('after close, called from outside and from a handler', async () => {
    const outside = replayOf()
    const subscription = outside.price$(ethTopic).pipe(debounceTime(5000)).subscribe()
    await outside.header()
    await outside.close()
    expect(currentDelegates()).toEqual(unusedDelegates)
    subscription.unsubscribe()

    const inside = replayOf()
    inside.price$(ethTopic).subscribe(() => void inside.close())
    inside.price$(ethTopic).pipe(debounceTime(5000)).subscribe()
    await inside.finished
    expect(currentDelegates()).toEqual(unusedDelegates)
  })

  it('after unsubscription in the middle', async () => {
    const client = replayOf()
    await new Promise<void>((resolve) => {
      const subscription = client.run$(withTimers$).subscribe()
      client
        .price$(ethTopic)
        .pipe(take(1))
        .subscribe({
          complete: () => {
            subscription.unsubscribe()
            resolve()
          },
        })
    })
    await vi.waitFor(() => expect(currentDelegates()).toEqual(unusedDelegates))
  })

  it.each<[string, (client: Client) => Observable<unknown>]>([
    [
      'the strategy function',
      () => {
        throw new Error('thrown')
      },
    ],
    [
      'an operator, with timers pending',
      (client) =>
        merge(
          client.price$(ethTopic).pipe(mergeMap(() => timer(60_000))),
          client.price$(ethTopic).pipe(
            skip(1),
            map(() => {
              throw new Error('thrown')
            }),
          ),
        ),
    ],
  ])('after an exception in %s', async (_, strategy$) => {
    const client = replayOf()
    const failed = vi.fn()
    client.run$(strategy$).subscribe({ error: failed })
    await vi.waitFor(() => expect(failed).toHaveBeenCalledOnce())
    expect(currentDelegates()).toEqual(unusedDelegates)
  })

  it('after an exception in a handler', async () => {
    const client = replayOf()
    client.run$(withTimers$).subscribe()
    client.price$(ethTopic).subscribe(() => {
      throw new Error('thrown')
    })
    await client.finished
    expect(currentDelegates()).toEqual(unusedDelegates)
    await vi.waitFor(() => expect(unhandled.length).toBe(3))
  })
})
