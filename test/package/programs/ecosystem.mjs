import { Effect, Stream } from 'effect'
import { concat, NEVER, of } from 'rxjs'
// Defines the `Observable` of the web platform where the runtime has none.
import 'rxjs-9'
import { createTestClient, price } from 'svc-streams/testing'

const topic = 'svc-0xab'
const client = createTestClient({ prices: { [topic]: concat(of(price(topic, 1)), NEVER) } })
const priceOf = ({ right }) => right.price

const first = await Observable.from(client.price$(topic)).take(1).map(priceOf).toArray()
console.log('RxJS 9:', ...first)

const stream = Stream.fromAsyncIterable(client.price$(topic), (thrown) => thrown)
const read = await Effect.runPromise(stream.pipe(Stream.take(1), Stream.map(priceOf), Stream.runCollect))
console.log('Effect:', ...read)

console.log('subscribers:', client.inspect().topics.length)
await client.close()
