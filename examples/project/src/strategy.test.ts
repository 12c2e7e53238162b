import { test } from 'node:test'
import { left } from 'fp-ts/lib/Either.js'
import { TestScheduler } from 'rxjs/testing'
import { createTestClient, depth, disconnected, expectMarbles, price } from 'svc-streams/testing'
import { advice$, mint, topic } from './strategy.js'

// Each character of a marble is 1 ms of virtual time; (c|) are events of the same time.

const enough = depth(mint, { buy: { totalQuantity: 2n * 10n ** 18n, totalQuantityUsd: 5_000 } })
test('buys below the limit, and waits while the connection is down', () => {
  new TestScheduler(expectMarbles).run(({ cold, expectObservable }) => {
    const prices = {
      a: price(topic, 2690),
      b: price(topic, 2680),
      d: left(disconnected({ code: 1006, reason: 'cut', attempt: 1, retryInMs: 100 })),
    }
    const prices$ = cold('-a-b-d-b', prices)
    const depths$ = cold('d-------', { d: enough })
    const expected = '    w--b-w-b'
    const client = createTestClient({ prices: { [topic]: prices$ }, depths: { [mint]: depths$ } })
    expectObservable(advice$(client)).toBe(expected, { w: 'wait', b: 'buy' })
  })
})
