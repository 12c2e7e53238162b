// A user's test, with nothing but what the package brings.
import { deepStrictEqual } from 'node:assert'
import { TestScheduler } from 'rxjs/testing'
import { createClient } from 'svc-streams'
import { mapRight, rights } from 'svc-streams/operators'
import { createTestClient, price, scriptedSocket, server } from 'svc-streams/testing'

const topic = 'svc-0xab'
const dollars = [mapRight((value) => value.price), rights()]

new TestScheduler(deepStrictEqual).run(({ hot, expectObservable }) => {
  const client = createTestClient({
    prices: { [topic]: hot('--a-b', { a: price(topic, 1), b: price(topic, 2) }) },
  })
  expectObservable(client.price$(topic).pipe(...dollars)).toBe('--a-b', { a: 1, b: 2 })
})

new TestScheduler(deepStrictEqual).run(({ cold, expectObservable }) => {
  const moves = { o: server.opens, c: server.confirms(topic), p: server.prices(topic, 1.5) }
  const webSocket = scriptedSocket(() => cold('o-c-p', moves))
  const client = createClient({ environment: 'testnet', priceBaseUrl: 'http://localhost', webSocket })
  expectObservable(client.price$(topic).pipe(...dollars), '^------!').toBe('----p', { p: 1.5 })
})

console.log('as drawn')
