import fc from 'fast-check'
import { isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subject } from 'rxjs'
import { createClient, type Client, type ConnectionStatus, type Price, type PriceError } from 'svc-streams'
import { createTestClient, disconnected, price } from 'svc-streams/testing'
import { expect, inject, it } from 'vitest'
import { startTestGateway } from '../gateway/support/start-test-gateway.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { collectEvents } from '../support/collect-events.js'
import { eventually } from '../support/time/eventually.js'
import { a, b, ofPrices, strategies } from './support/strategies.js'

/** `drop`: the service is lost, and returns. */
const step = fc.oneof(
  { arbitrary: fc.constantFrom(a, a, b), weight: 6 },
  { arbitrary: fc.constant('drop'), weight: 1 },
)

/** Without the times and the reasons, which are those of another connection. */
const replacer = (key: string, value: unknown): unknown => {
  if (['receivedAt', 'message', 'code', 'reason', 'attempt', 'retryInMs', 'skewMs', 'ageMs'].includes(key))
    return undefined
  return value
}

/** Subscribes to each strategy. Returns what they emit, as text. */
const run = (client: Client): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    ofPrices.map((name) => {
      const lines: string[] = []
      strategies[name]!(client).subscribe((value) => lines.push(JSON.stringify(value, replacer)))
      return [name, lines]
    }),
  )

it('each strategy over prices emits the same over a gateway as over the client of the gateway', async () => {
  const status$ = new Subject<ConnectionStatus>()
  const given = {
    [a]: new Subject<Either<PriceError, Price>>(),
    [b]: new Subject<Either<PriceError, Price>>(),
  }
  const client = closeAfterTest(createTestClient({ prices: given, status$ }))
  client.status$.subscribe()
  const setStatus = (status: ConnectionStatus): void => status$.next(status)
  setStatus({ _tag: 'Open', epoch: 1, since: 0 })
  const gateway = await startTestGateway(client)
  const consumer = closeAfterTest(
    createClient({
      environment: 'mainnet',
      ...gateway,
      unsigned: true,
      reconnect: { initialDelay: 5, maxDelay: 5 },
    }),
  )
  const direct = run(client)
  const over = run(consumer)
  const consumed = { [a]: collectEvents(consumer.price$(a)), [b]: collectEvents(consumer.price$(b)) }
  /** True if the gateway sends the next price of each topic to the consumer. */
  const isRequested = (): boolean =>
    consumer.inspect().status._tag === 'Open' &&
    gateway.inspect().topics.filter(({ consumers }) => consumers === 1).length === 2
  await eventually(isRequested)
  const steps = fc.sample(step, { numRuns: 60, seed: inject('seed') })
  let [prices, epoch] = [0, 1]
  for (const does of steps) {
    if (does === 'drop') {
      const lost = { code: 1006, reason: 'lost', attempt: 1, retryInMs: 5 }
      setStatus({ _tag: 'Waiting', attempt: 1, retryInMs: 5, reason: 'lost' })
      for (const topic of [a, b]) given[topic]?.next(left(disconnected(lost)))
      // At once: each dial that fails during an outage is another `Disconnected`, for the consumer alone.
      setStatus({ _tag: 'Open', epoch: ++epoch, since: 0 })
      await eventually(() => Object.values(consumed).every(({ tags }) => tags().at(-1) === 'Disconnected'))
      await eventually(isRequested)
    } else {
      const topic = does
      given[topic]?.next(right(price(topic, ++prices, { receivedAt: Date.now(), epoch })))
      await eventually(() => {
        const last = consumed[topic]?.events.at(-1)
        expect(last !== undefined && isRight(last) && last.right.price).toBe(prices)
      })
    }
  }
  expect(over).toEqual(direct)
})
