import { of, Subject } from 'rxjs'
import { ConfigurationError, type Price } from 'svc-streams'
import { createTestClient, price } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { otherCopies, type Rxjs } from '../support/other-rxjs.js'

const topic = 'svc-0xab'

const uses: Readonly<Record<string, (rx: Rxjs) => unknown>> = {
  'prices.svc-0xab': (rx) => createTestClient({ prices: { [topic]: rx.NEVER } }),
  'depths.0xab': (rx) => createTestClient({ depths: { '0xAB': of(), '0xab': new rx.Subject() } }),
  status$: (rx) => createTestClient({ status$: rx.NEVER }),
  errors$: (rx) => createTestClient({ errors$: rx.NEVER.pipe(rx.delay(1)) }),
}

describe.each(Object.entries(otherCopies))('an observable of a second copy of RxJS (%s)', (_, load) => {
  it.each(Object.entries(uses))('is rejected by a ConfigurationError as %s', async (option, use) => {
    const rx = await load()
    expect(() => use(rx)).toThrow(ConfigurationError)
    expect(() => use(rx)).toThrow(`${option}: uses another copy of RxJS`)
  })
})

describe('an observable of the same copy of RxJS', () => {
  it('is accepted, also of a derived class', () => {
    class Derived extends Subject<Price> {}
    const stream$ = new Derived()
    const prices: unknown[] = []
    createTestClient({ prices: { [topic]: stream$ } })
      .price$(topic)
      .subscribe((event) => prices.push(event))
    stream$.next(price(topic, 1))
    expect(prices).toHaveLength(1)
  })
})
