import { defer, retry, type Observable } from 'rxjs'
import { orThrow } from 'svc-streams/operators'
import type { Price, PriceClient } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { createManualClient, ManualTransport } from '../../support/manual-transport.js'
import { a } from '../../support/time/marbles.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'

/** `price$` with a `retry` without a delay. `onSubscribe`: called for each subscription. */
const retried$ = (client: PriceClient, onSubscribe: () => void): Observable<Price> =>
  defer(() => {
    onSubscribe()
    return client.price$(a)
  }).pipe(orThrow(), retry())

const prices: number[] = []
let subscriptions = 0

/** Runs a client with a pipeline that retries, whose service sends a price of 1 at 20 ms. */
const run = (then: (service: Service) => void): void => {
  prices.length = 0
  subscriptions = 0
  const transport = new ManualTransport()
  runInVirtualTime(({ at }) => {
    const { client } = createManualClient({ staleAfter: 1000 }, transport)
    retried$(client, () => subscriptions++).subscribe(({ price }) => prices.push(price))
    at(10, () => transport.lastSocket.open())
    at(20, () => transport.lastSocket.deliverPrice(a, 1))
    then({ at, transport })
    at(3000, () => void client.close())
  })
}

interface Service {
  readonly at: (ms: number, callback: () => void) => void
  readonly transport: ManualTransport
}

describe('a pipeline that retries without a delay subscribes in later turns, and gets the next price', () => {
  it('while the connection is down', () => {
    run(({ at, transport }) => {
      at(30, () => transport.lastSocket.drop())
      at(1500, () => transport.lastSocket.open())
      at(1510, () => transport.lastSocket.deliverPrice(a, 2))
    })
    expect(prices).toEqual([1, 2])
    expect(subscriptions).toBeGreaterThan(10)
    expect(subscriptions).toBeLessThan(1000)
  })

  it('while the topic is unreadable, and not confirmed', () => {
    run(({ at, transport }) => {
      at(30, () => transport.lastSocket.drop())
      at(1500, () => transport.lastSocket.open())
      at(1510, () => transport.lastSocket.deliver(`{"topic":"${a}","price":"none"}`))
      at(1800, () => transport.lastSocket.deliverPrice(a, 2))
    })
    expect(prices).toEqual([1, 2])
    expect(subscriptions).toBeLessThan(1000)
  })

  it('while the topic is stale', () => {
    run(({ at, transport }) => at(2000, () => transport.lastSocket.deliverPrice(a, 2)))
    expect(prices).toEqual([1, 2])
    expect(subscriptions).toBeGreaterThan(10)
    expect(subscriptions).toBeLessThan(1000)
  })
})
