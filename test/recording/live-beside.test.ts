import { isRight } from 'fp-ts/lib/Either.js'
import { concat, firstValueFrom, map, tap, type Observable } from 'rxjs'
import type { Client } from 'svc-streams'
import { replay, type ReplayClient } from 'svc-streams/recording'
import { price } from 'svc-streams/testing'
import { expect, it } from 'vitest'
import { encodeRow } from '../../src/recording/format/row-codec.js'
import { eventually } from '../support/eventually.js'
import { btcTopic, clientOf, ethTopic, record, startService, weth } from '../support/simulator.js'

// A live client that is called from inside a replay in virtual time lives in real time all the same.

const start = 1_700_000_000_000

/** Three prices, an hour apart. */
const history = (): ReplayClient => {
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
  return replay([[encodeRow(header), ...rows].join('\n')], { speed: Infinity })
}

const live = async () => {
  const simulator = await startService({ tick: 5 })
  return {
    simulator,
    client: clientOf(simulator, { linger: 10, reconnect: { initialDelay: 5, maxDelay: 5 } }),
  }
}

const eth$ = (client: Client): Observable<number> =>
  client.price$(ethTopic).pipe(map((event) => (isRight(event) ? event.right.epoch : NaN)))

it('history first, then live', async () => {
  const { simulator, client } = await live()
  const epochs: number[] = []
  const both$ = concat(history().run$(eth$), eth$(client))
  const listening = both$.subscribe((epoch) => epochs.push(epoch))
  await eventually(() => expect(epochs.length).toBeGreaterThan(5))
  simulator.dropConnections(1012)
  await eventually(() => expect(epochs).toContain(2))
  listening.unsubscribe()
  await eventually(() => expect(simulator.connections).toEqual([]))
})

it('joined in the middle, left in the middle', async () => {
  const { simulator, client } = await live()
  const btc = record(client.price$(btcTopic))
  await eventually(() => expect(btc.rights().length).toBeGreaterThan(0))
  let prices = 0
  const act = (): void => {
    prices += 1
    if (prices === 1) client.price$(ethTopic).subscribe()
    if (prices === 2) btc.subscription.unsubscribe()
  }
  await history()
    .run$((inside) => eth$(inside).pipe(tap(act)))
    .forEach(() => undefined)
  await eventually(() => expect(simulator.connections.map(({ topics }) => topics)).toEqual([[ethTopic]]))
  expect(btc.tags().every((tag) => tag === 'Right')).toBe(true)
  const { topics } = client.inspect()
  expect(topics).toMatchObject([{ topic: ethTopic, state: 'live' }])
})

it('asked for depths and prices when the replay is over: they have their deadlines', async () => {
  const { simulator, client } = await live()
  simulator.inject({ stall: true })
  const impatient = clientOf(simulator, { requestTimeout: 50 })
  const asked = await new Promise<readonly Promise<unknown>[]>((resolve) => {
    history()
      .run$(eth$)
      .subscribe({
        complete: () =>
          resolve([
            firstValueFrom(impatient.depth$(weth, 1000)),
            impatient.depth(weth)(),
            impatient.price(ethTopic)(),
          ]),
      })
  })
  const timeout = { _tag: 'Left', left: expect.objectContaining({ _tag: 'Timeout' }) as unknown }
  expect(await Promise.all(asked)).toEqual([timeout, timeout, timeout])
  await client.close()
})
