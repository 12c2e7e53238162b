import { isRight, type Either } from 'fp-ts/lib/Either.js'
import { concatMap, filter, firstValueFrom, map, tap } from 'rxjs'
import { createClient, type ClientOptions, type Price, type PriceClient, type PriceError } from 'svc-streams'
import { conflate, rights } from 'svc-streams/operators'
import { describe, expect, it, onTestFinished } from 'vitest'
import { busyWait, nextTurn } from '../support/time/event-loop.js'
import { eventually } from '../support/time/eventually.js'
import { caseCount } from '../support/run/long.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { ethTopic } from '../support/tokens.js'
import { startServiceThread, type ServiceThread } from '../support/network/service-thread.js'

// A service in its own thread sends faster than the client can read.

const frames = caseCount(100_000)

type PriceEvent = Either<PriceError, Price>

const start = async (
  options: Partial<ClientOptions> = {},
): Promise<{ service: ServiceThread; client: PriceClient }> => {
  const service = closeAfterTest(await startServiceThread())
  const { priceBaseUrl, priceWsUrl } = service.addresses
  const client = closeAfterTest(
    createClient({ environment: 'testnet', priceBaseUrl, priceWsUrl, ...options }),
  )
  return { service, client }
}

/** Requests a burst and resolves after the last price has been delivered to all earlier subscribers. */
const burst = async (service: ServiceThread, client: PriceClient): Promise<void> => {
  const isLast = (event: PriceEvent): boolean => isRight(event) && event.right.price === frames + 1
  const last = firstValueFrom(client.price$(ethTopic).pipe(filter(isLast)))
  await service.run({ name: 'burst', topic: ethTopic, frames, paddingLength: 0 })
  await last
}

/** The first price, after the subscribe, is 1. Those of a burst are 2, 3, … */
const inOrder = (prices: readonly number[]): boolean => prices.every((price, index) => price === index + 1)

describe(`a burst of ${frames} prices to a busy handler`, () => {
  it('is delivered completely and in order to all subscribers, over one connection', async () => {
    // Pongs are queued behind the burst. Their delay must not end the connection.
    const { service, client } = await start({ pingInterval: 250, staleAfter: 1_000, maxLag: Infinity })
    const [busy, other]: [number[], number[]] = [[], []]
    const unexpected: unknown[] = []
    client.price$(ethTopic).subscribe((event) => {
      if (!isRight(event) || event.right.epoch !== 1) unexpected.push(event)
      else busy.push(event.right.price)
      busyWait(5)
    })
    client
      .price$(ethTopic)
      .pipe(rights())
      .subscribe(({ price }) => other.push(price))
    await eventually(() => expect(busy.length).toBe(1))
    await burst(service, client)
    expect([inOrder(busy), inOrder(other), other.length]).toEqual([true, true, busy.length])
    expect(unexpected).toEqual([])
  })

  it('does not block timers and immediates', async () => {
    const { service, client } = await start()
    let received = 0
    client.price$(ethTopic).subscribe(() => {
      received += 1
      busyWait(5)
    })
    await eventually(() => expect(received).toBe(1))
    /** Number of received prices at each turn. */
    const turns = { timer: [0], immediate: [0] }
    const timer = setInterval(() => turns.timer.push(received), 1)
    const beat = (): void => {
      turns.immediate.push(received)
      immediate = setImmediate(beat)
    }
    let immediate = setImmediate(beat)
    onTestFinished(() => {
      clearInterval(timer)
      clearImmediate(immediate)
    })
    await burst(service, client)
    expect(new Set(turns.timer).size).toBeGreaterThan(2)
    expect(new Set(turns.immediate).size).toBeGreaterThan(2)
  })
})

describe('conflate', () => {
  it('delivers the latest price and the number of dropped ones to a slow asynchronous consumer, without a queue', async () => {
    // A busy machine may need longer than `maxLag` for the burst.
    const { service, client } = await start({ maxLag: Infinity })
    const taken: { price: number; dropped: number }[] = []
    let waiting = 0
    let mostWaiting = 0
    client
      .price$(ethTopic)
      .pipe(
        conflate(20),
        rights(),
        map(({ value, dropped }) => ({ price: value.price, dropped })),
        tap(() => {
          mostWaiting = Math.max(mostWaiting, ++waiting)
        }),
        concatMap(async (latest) => {
          await nextTurn()
          return latest
        }),
      )
      .subscribe((latest) => {
        waiting -= 1
        taken.push(latest)
      })
    await eventually(() => expect(taken).toEqual([{ price: 1, dropped: 0 }]))
    await burst(service, client)
    await eventually(() => expect(taken.at(-1)?.price).toBe(frames + 1))
    expect(mostWaiting).toBe(1)
    expect(taken.reduce((sum, { dropped }) => sum + dropped, 0)).toBe(frames + 1 - taken.length)
    for (const [index, { price, dropped }] of taken.entries()) {
      expect(price).toBe((taken[index - 1]?.price ?? 0) + 1 + dropped)
    }
    expect(taken.length).toBeLessThan(frames / 100)
  })
})
