// A user's test that imports only the package and rxjs.
import { deepStrictEqual } from 'node:assert'
import { left, right } from 'fp-ts/lib/Either.js'
import { map } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { createClient } from 'svc-streams'
import {
  candles,
  combineFresh,
  filterRight,
  lefts,
  mapRight,
  rights,
  scanRight,
  switchMapRight,
} from 'svc-streams/operators'
import { createTestClient, depth, price, timeout } from 'svc-streams/testing'

const topic = 'svc-0xab'
const prices = [mapRight((value) => value.price), rights()]

new TestScheduler(deepStrictEqual).run(({ hot, expectObservable }) => {
  const client = createTestClient({
    prices: { [topic]: hot('--a-b', { a: price(topic, 1), b: price(topic, 2) }) },
  })
  expectObservable(client.price$(topic).pipe(...prices)).toBe('--a-b', { a: 1, b: 2 })
})

// A client over a transport of the user.
new TestScheduler(deepStrictEqual).run(({ cold, expectObservable }) => {
  const frames = { c: `{"subscriptions":["${topic}"]}`, p: `{"topic":"${topic}","price":1.5}` }
  const noop = () => undefined
  const webSocket = {
    dial: (_url, _options, listener) => {
      cold('--c-p', frames).subscribe(listener.text)
      cold('o').subscribe(listener.opened)
      return { send: noop, ping: () => listener.alive(), close: noop, terminate: noop }
    },
    close: () => Promise.resolve(),
  }
  const client = createClient({ environment: 'testnet', priceBaseUrl: 'http://localhost', webSocket })
  expectObservable(client.price$(topic).pipe(...prices), '^------!').toBe('----p', { p: 1.5 })
})

// With `stamp`, a value that is too old is not combined.
new TestScheduler(deepStrictEqual).run(({ hot, expectObservable }) => {
  const client = createTestClient({
    prices: { [topic]: hot(' -p-------p', { p: price(topic, 1) }) },
    depths: { '0xab': hot('  -d-d-d-d--', { d: depth('0xab') }) },
    stamp: true,
  })
  const legs = { price: client.price$(topic), depth: client.depth$('0xab', 1) }
  const fault = map(({ leg, why, skewMs }) => [leg, why, skewMs])
  expectObservable(combineFresh(legs, { maxSkew: 3 }).pipe(lefts(), fault)).toBe('mn---s----', {
    m: ['price', 'missing', undefined],
    n: ['depth', 'missing', undefined],
    s: ['price', 'skew', 4],
  })
})

// The operators of RxJS for one side of an Either.
new TestScheduler(deepStrictEqual).run(({ hot, cold, expectObservable }) => {
  const values = {
    a: price(topic, 1),
    b: price(topic, 2),
    c: price(topic, 3, { epoch: 2 }),
    l: left(timeout(5)),
  }
  const client = createTestClient({ prices: { [topic]: hot('ab-l-c----', values) } })
  const price$ = client.price$(topic)
  const usd = ({ price }) => price
  const large = filterRight((value) => value.price > 1)
  const sum = scanRight((total, value) => total + value.price, 0)
  const twice = switchMapRight(({ price }) => cold('xy', { x: right(price), y: right(price) }))
  const interruptions = mapRight((candle) => candle.interruptions)
  expectObservable(price$.pipe(large, mapRight(usd), rights())).toBe('-b---c----', { b: 2, c: 3 })
  expectObservable(price$.pipe(sum, rights())).toBe('              ab---c----', { a: 1, b: 3, c: 6 })
  expectObservable(price$.pipe(twice, rights())).toBe('            abb--cc---', { a: 1, b: 2, c: 3 })
  expectObservable(price$.pipe(candles(10), interruptions, rights())).toBe('----------n', { n: 2 })
})

console.log('passed')
