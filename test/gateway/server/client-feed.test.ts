import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { mergeMap, NEVER, of, Subject } from 'rxjs'
import type { Price, PriceError } from 'svc-streams'
import { createTestClient, price } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { priceFeedOf } from '../../../src/gateway/server/client-feed.js'
import { subscriptionRejected } from '../../../src/base/errors/constructors.js'
import { a, createScriptedClient, marbles } from '../../support/time/marbles.js'
import { server } from '../../support/time/scripted-socket.js'

const moves = {
  o: server.opens,
  A: server.confirms(a),
  '1': server.prices(a, 1),
  '2': server.says(JSON.stringify({ topic: a, price: 2, age: 30 })),
  x: server.closes(),
}

const options = { reconnect: { initialDelay: 2, maxDelay: 2 } }

describe('the feed of a live client', () => {
  it('reports each confirmation once a connection, before the price that implies it', () => {
    marbles(({ cold, hot, flush }) => {
      const { client } = createScriptedClient(cold('o-A-1x', moves), options)
      const log: string[] = []
      const feed$ = priceFeedOf(client)
        .sourceOf(a)
        .open$(() => log.push('confirmed'))
      feed$.subscribe(({ _tag }) => log.push(_tag))
      hot('---------------c').subscribe(() => void client.close())
      flush()
      expect(log).toEqual(['confirmed', 'Right', 'Left', 'confirmed', 'Right', 'Left', 'confirmed'])
    })
  })

  it('reports the confirmation to a late subscriber at once', () => {
    marbles(({ cold, hot, flush }) => {
      const { client } = createScriptedClient(cold('oA', moves), options)
      client.price$(a).subscribe()
      const log: string[] = []
      const late$ = priceFeedOf(client)
        .sourceOf(a)
        .open$(() => log.push('confirmed'))
      hot('-----x')
        .pipe(mergeMap(() => late$))
        .subscribe()
      hot('-----c').subscribe(() => void client.close())
      flush()
      expect(log).toEqual(['confirmed'])
    })
  })

  it('knows the age of the last price, which is 0 while the price is delivered, and that of a gateway added', () => {
    marbles(({ cold, hot, flush }) => {
      const { client } = createScriptedClient(cold('oA1----2', moves), options)
      const source = priceFeedOf(client).sourceOf(a)
      const ages: number[] = []
      source.open$().subscribe(() => ages.push(source.age()))
      hot('----x----x-c').subscribe((value) => {
        ages.push(source.age())
        if (value === 'c') void client.close()
      })
      flush()
      expect(ages).toEqual([0, 2, 30, 32, 34])
    })
  })

  it('knows the position of the last price: from the confirmation on, one more for each price, or its own', () => {
    marbles(({ cold, hot, flush }) => {
      const says = (frame: object) => server.says(JSON.stringify(frame))
      const frames = {
        o: server.opens,
        A: says({ subscriptions: [a], position: { topic: a, run: 'r', count: 4 } }),
        '1': server.prices(a, 1),
        '2': says({ topic: a, price: 2, position: { run: 'r', count: 9 } }),
        '3': server.prices(a, 3),
      }
      const { client } = createScriptedClient(cold('oA1123', frames), options)
      const source = priceFeedOf(client).sourceOf(a)
      const positions: unknown[] = []
      source.open$().subscribe(() => positions.push(source.position()?.count))
      hot('--------c').subscribe(() => void client.close())
      flush()
      expect(positions).toEqual([5, 6, 9, 10])
    })
  })
})

describe('the feed of a client from streams', () => {
  it('is confirmed on subscription', () => {
    const log: string[] = []
    priceFeedOf(createTestClient({ prices: { [a]: NEVER } }))
      .sourceOf(a)
      .open$(() => log.push('confirmed'))
      .subscribe()
    expect(log).toEqual(['confirmed'])
  })

  it('is not confirmed if the topic is rejected on subscription', () => {
    const log: string[] = []
    priceFeedOf(createTestClient({ prices: { [a]: of(left(subscriptionRejected(a, 'unknown'))) } }))
      .sourceOf(a)
      .open$(() => log.push('confirmed'))
      .subscribe(({ _tag }) => log.push(_tag))
    expect(log).toEqual(['Left'])
  })

  it('counts the age from the delivery', () => {
    marbles(({ hot, flush }) => {
      const client = createTestClient({
        prices: { [a]: hot<Either<PriceError, Price>>('---p', { p: right(price(a, 1, { receivedAt: 0 })) }) },
      })
      const source = priceFeedOf(client).sourceOf(a)
      const ages: number[] = []
      source.open$().subscribe(() => ages.push(source.age()))
      hot('-----x').subscribe(() => ages.push(source.age()))
      flush()
      expect(ages).toEqual([0, 2])
    })
  })

  it('is also that of a copy of a live client, whose streams may differ', () => {
    const replaced$ = new Subject<Either<PriceError, Price>>()
    const live = createTestClient({ prices: { [a]: NEVER } })
    const received: string[] = []
    priceFeedOf({ ...live, price$: () => replaced$ })
      .sourceOf(a)
      .open$()
      .subscribe(({ _tag }) => received.push(_tag))
    replaced$.next(right(price(a, 1)))
    expect(received).toEqual(['Right'])
  })
})
