import { isRight } from 'fp-ts/lib/Either.js'
import { concat, firstValueFrom, map, tap, type Observable } from 'rxjs'
import type { Client } from 'svc-streams'
import { replay, type ReplayClient } from 'svc-streams/recording'
import { price } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { encodeRow } from '../../../src/backtest/recording/codec/row-codec.js'
import { eventually } from '../../support/time/eventually.js'
import { btcTopic, ethTopic, weth } from '../../support/tokens.js'
import { createClientFor, fastMarket, startTestSimulator } from '../../support/simulator.js'
import { collectEvents } from '../../support/collect-events.js'
import { chunksOf } from './support/recordings.js'

// A live client stays in real time when code in the virtual time of a replay calls it.

const start = 1_700_000_000_000

/** Three prices, an hour apart. */
const replayOfHistory = (): ReplayClient => {
  const rows = [1, 2, 3].map((usd) => {
    const at = start + usd * 3_600_000
    const event = { _tag: 'Right', right: price(ethTopic, usd, { receivedAt: at }) } as const
    return encodeRow({ _tag: 'Price', at, topic: ethTopic, event })
  })
  const header = {
    _tag: 'Recording',
    version: 1,
    at: start,
    topics: [ethTopic],
    mints: [],
    interval: 1000,
  } as const
  return replay(chunksOf([encodeRow(header), ...rows].join('\n')), { speed: Infinity })
}

const startLive = async () => {
  const simulator = await startTestSimulator({ ...fastMarket, tick: 5 })
  return {
    simulator,
    client: createClientFor(simulator, { linger: 10, reconnect: { initialDelay: 5, maxDelay: 5 } }),
  }
}

const eth$ = (client: Client): Observable<number> =>
  client.price$(ethTopic).pipe(map((event) => (isRight(event) ? event.right.epoch : NaN)))

describe('a live client beside a replay in virtual time', () => {
  it('continues with live prices after the replay', async () => {
    const { simulator, client } = await startLive()
    const epochs: number[] = []
    const both$ = concat(replayOfHistory().run$(eth$), eth$(client))
    const subscription = both$.subscribe((epoch) => epochs.push(epoch))
    await eventually(() => expect(epochs.length).toBeGreaterThan(5))
    simulator.dropConnections(1012)
    await eventually(() => expect(epochs).toContain(2))
    subscription.unsubscribe()
    await eventually(() => expect(simulator.connections).toEqual([]))
  })

  it('subscribes and unsubscribes on calls from inside the replay', async () => {
    const { simulator, client } = await startLive()
    const btc = collectEvents(client.price$(btcTopic))
    await eventually(() => expect(btc.values().length).toBeGreaterThan(0))
    let prices = 0
    const act = (): void => {
      prices += 1
      if (prices === 1) client.price$(ethTopic).subscribe()
      if (prices === 2) btc.subscription.unsubscribe()
    }
    await replayOfHistory()
      .run$((inside) => eth$(inside).pipe(tap(act)))
      .forEach(() => undefined)
    await eventually(() => expect(simulator.connections.map(({ topics }) => topics)).toEqual([[ethTopic]]))
    expect(btc.tags().every((tag) => tag === 'Right')).toBe(true)
    const { topics } = client.inspect()
    expect(topics).toMatchObject([{ topic: ethTopic, state: 'live' }])
  })

  it('keeps request timeouts for requests at the end of the replay', async () => {
    const { simulator, client } = await startLive()
    simulator.inject({ stall: true })
    const shortTimeout = createClientFor(simulator, { requestTimeout: 50 })
    const requests = await new Promise<readonly Promise<unknown>[]>((resolve) => {
      replayOfHistory()
        .run$(eth$)
        .subscribe({
          complete: () =>
            resolve([
              firstValueFrom(shortTimeout.depth$(weth, 1000)),
              shortTimeout.depth(weth)(),
              shortTimeout.price(ethTopic)(),
            ]),
        })
    })
    const timeout = { _tag: 'Left', left: expect.objectContaining({ _tag: 'Timeout' }) as unknown }
    expect(await Promise.all(requests)).toEqual([timeout, timeout, timeout])
    await client.close()
  })
})
