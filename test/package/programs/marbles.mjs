// A user's test that imports only the package and rxjs.
import { deepStrictEqual } from 'node:assert'
import { TestScheduler } from 'rxjs/testing'
import { createClient } from 'svc-streams'
import { mapRight, rights } from 'svc-streams/operators'
import { createTestClient, price, scriptedSocket, server } from 'svc-streams/testing'

const topic = 'svc-0xab'
const prices = [mapRight((value) => value.price), rights()]

new TestScheduler(deepStrictEqual).run(({ hot, expectObservable }) => {
  const client = createTestClient({
    prices: { [topic]: hot('--a-b', { a: price(topic, 1), b: price(topic, 2) }) },
  })
  expectObservable(client.price$(topic).pipe(...prices)).toBe('--a-b', { a: 1, b: 2 })
})

new TestScheduler(deepStrictEqual).run(({ cold, expectObservable }) => {
  const moves = { o: server.opens, c: server.confirms(topic), p: server.prices(topic, 1.5) }
  const webSocket = scriptedSocket(() => cold('o-c-p', moves))
  const client = createClient({ environment: 'testnet', priceBaseUrl: 'http://localhost', webSocket })
  expectObservable(client.price$(topic).pipe(...prices), '^------!').toBe('----p', { p: 1.5 })
})

console.log('passed')
