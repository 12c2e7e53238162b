import type { Either } from 'fp-ts/lib/Either.js'
import { firstValueFrom, skip, type Observable } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { createClient, type Client, type Price, type Topic } from 'svc-streams'
import { rights } from 'svc-streams/operators'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { closeAfterTest } from '../support/close-after-test.js'
import { collectEvents } from '../support/collect-events.js'
import { startServiceThread } from '../support/network/service-thread.js'

// A live client next to virtual time: tests of a user's pipelines may share a process with it.

const mint = '0xab'
const topicOf = (index: number): Topic => `svc-0x${index.toString(16)}`

const start = async (): Promise<Client> => {
  const service = closeAfterTest(await startServiceThread({ tick: 10 }))
  const timeouts = { staleAfter: 30_000, linger: 60_000, pingInterval: 30_000, requestTimeout: 30_000 }
  return closeAfterTest(createClient({ environment: 'mainnet', ...service.addresses, ...timeouts }))
}

/** Resolves to the fourth value. It uses no timer. */
const fourthValue = <A>(source$: Observable<Either<unknown, A>>): Promise<A> =>
  firstValueFrom(source$.pipe(rights(), skip(3)))

/** Runs work inside `TestScheduler.run`, then lets two virtual minutes pass. */
const inTestScheduler = (work: () => void): void => {
  const scheduler = new TestScheduler(() => undefined)
  scheduler.run(({ flush }) => {
    work()
    scheduler.schedule(() => undefined, 120_000)
    flush()
  })
}

/**
 * Runs work under fake timers, then lets two minutes pass. The timers stay fake until the end of the test.
 * `setImmediate` stays real: undici waits for it before it uses a connection again.
 */
const underFakeTimers = (work: () => void): void => {
  vi.useFakeTimers({
    now: 0,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  })
  work()
  vi.advanceTimersByTime(120_000)
}

describe.each([
  ['TestScheduler.run', inTestScheduler],
  ['fake timers', underFakeTimers],
])('a client from before %s', (_name, inVirtualTime) => {
  afterEach(() => void vi.useRealTimers())

  it('keeps its prices and polls', async () => {
    const client = await start()
    const price = collectEvents(client.price$(topicOf(1)))
    const depth = collectEvents(client.depth$(mint, 10))
    await Promise.all([fourthValue(client.price$(topicOf(1))), fourthValue(client.depth$(mint, 10))])
    inVirtualTime(() => undefined)
    await Promise.all([fourthValue(client.price$(topicOf(1))), fourthValue(client.depth$(mint, 10))])
    expect(new Set([...price.tags(), ...depth.tags()])).toEqual(new Set(['Right']))
    expect(client.inspect().topics).toMatchObject([{ state: 'live' }])
  })

  it('has real times in its values', async () => {
    const client = await start()
    await fourthValue(client.price$(topicOf(1)))
    let next: Promise<Price> | undefined
    inVirtualTime(() => {
      next = fourthValue(client.price$(topicOf(1)))
    })
    const price = await next
    expect(price?.receivedAt).toBeGreaterThan(1e12)
    const { lastPriceAgeMs } = client.inspect().topics[0]!
    expect(lastPriceAgeMs).toBeGreaterThanOrEqual(0)
    expect(lastPriceAgeMs).toBeLessThan(120_000)
  })

  it('is subscribed to and left in it', async () => {
    const client = await start()
    const outside = collectEvents(client.price$(topicOf(1)))
    await fourthValue(client.price$(topicOf(1)))
    const kept = { price: client.price$(topicOf(2)), depth: client.depth$(mint, 10) }
    let events: Promise<unknown> | undefined
    inVirtualTime(() => {
      const left = [client.price$(topicOf(1)), client.price$(topicOf(3)), client.depth$('0xcd', 10)]
      const subscriptions = left.map((stream$) => (stream$ as Observable<unknown>).subscribe())
      for (const subscription of subscriptions) subscription.unsubscribe()
      events = Promise.all([
        fourthValue(kept.price),
        fourthValue(kept.depth),
        client.price(topicOf(1))(),
        client.depth(mint)(),
      ])
    })
    expect(await events).toMatchObject([
      { price: 1 },
      { price: 1 },
      { _tag: 'Left', left: { _tag: 'DecodeError' } },
      { _tag: 'Right' },
    ])
    await fourthValue(client.price$(topicOf(1)))
    expect(new Set(outside.tags())).toEqual(new Set(['Right']))
  })

  it('is closed in it', async () => {
    const client = await start()
    const price = collectEvents(client.price$(topicOf(1)))
    await fourthValue(client.price$(topicOf(1)))
    let closed: Promise<void> | undefined
    inVirtualTime(() => {
      closed = client.close()
    })
    await closed
    expect(price.isComplete()).toBe(true)
  })
})
