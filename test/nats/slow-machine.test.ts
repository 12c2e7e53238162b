import type { Either } from 'fp-ts/lib/Either.js'
import { isLeft, isRight, type Price, type PriceClient, type PriceError } from 'svc-streams'
import { expect, it, type TestContext } from 'vitest'
import { describeNats } from '../support/nats/describe-nats.js'
import { startNatsServer } from '../support/nats/nats-server.js'
import { eventually } from '../support/time/eventually.js'
import { blockEventLoop } from '../support/time/event-loop.js'
import { ethTopic } from '../support/tokens.js'
import type { ConsumerProcess } from './support/consumer-process.js'
import { printTime } from './support/print-time.js'
import { Fleet } from './support/fleet.js'
import { startSlowLink } from './support/slow-link.js'
import { startSubscribedConsumer } from './support/start-fleet.js'
import { createNatsClient, startGatewayInProcess } from './support/start-in-process.js'

/** Two topics with 75 prices a second each. */
const tick = 13

/** What the ages of these tests include besides the lag: the time from the market to the gateway, in ms. */
const tolerance = 250

const startFleetWithLink = async (test: TestContext, maxLag: number) => {
  const nats = await startNatsServer({ onFinished: test.onTestFinished })
  const fleet = new Fleet(test, nats.url, tick)
  await fleet.startGateway()
  const link = await startSlowLink(test.onTestFinished, nats.url)
  const consumer = await startSubscribedConsumer(fleet, { servers: link.url, maxLag })
  return { fleet, link, consumer }
}

/** Fails if a price was older than `maxLag` when it was delivered. */
const expectNoOldPrice = (fleet: Fleet, consumer: ConsumerProcess, maxLag: number): void => {
  const ages = consumer
    .events()
    .filter(({ tag }) => tag === 'Right')
    .map(({ at, price = 0 }) => at - price - fleet.pauseBetween(price, at))
  printTime(`${fleet.title}: oldest`, Math.max(...ages))
  expect(Math.max(...ages)).toBeLessThanOrEqual(maxLag + tolerance)
}

/** Waits for this number of ends of the connection, each followed by prices. */
const waitForRounds = async (consumer: ConsumerProcess, rounds: number, since: number): Promise<void> => {
  for (let [round, at] = [0, since]; round < rounds; round++) {
    at = (await consumer.next('Disconnected', at)).at
    at = (await consumer.next('Right', at)).at
  }
}

describeNats('a consumer that is too slow for its prices', { concurrent: true }, () => {
  it('gets prices and Disconnected in turn, and no old price, with a handler of 30 ms', async (test) => {
    const maxLag = 1_000
    const { fleet, consumer } = await startFleetWithLink(test, maxLag)
    consumer.send({ slowness: 30 })
    await waitForRounds(consumer, 3, Date.now())
    expectNoOldPrice(fleet, consumer, maxLag)
    consumer.send({ slowness: 0 })
    const since = Date.now()
    await eventually(() =>
      expect(consumer.events().filter(({ at }) => at > since).length).toBeGreaterThan(200),
    )
    expectNoOldPrice(fleet, consumer, maxLag)
  })

  it('gets Disconnected and no old price after its event loop was blocked for 3 s', async (test) => {
    const maxLag = 1_000
    const { fleet, consumer } = await startFleetWithLink(test, maxLag)
    const since = Date.now()
    consumer.send({ block: 3_000 })
    const lost = await consumer.next('Disconnected', since)
    await consumer.next('Right', lost.at)
    expectNoOldPrice(fleet, consumer, maxLag)
  })

  it('gives no old price to a subscriber that comes in the tick of a block', async (test) => {
    const maxLag = 1_000
    const { fleet, consumer } = await startFleetWithLink(test, maxLag)
    const since = Date.now()
    const { topic } = await consumer.next('Right', since)
    consumer.send({ block: 3_000, late: topic })
    const lost = await consumer.next('Disconnected', since)
    await consumer.next('Right', lost.at)
    expectNoOldPrice(fleet, consumer, maxLag)
  })

  it('gives no old price to the subscriber behind one whose handler blocks', async ({ onTestFinished }) => {
    const maxLag = 500
    const nats = await startNatsServer({ onFinished: onTestFinished })
    await startGatewayInProcess({ servers: nats.url })
    const client: PriceClient = createNatsClient({ servers: nats.url, maxLag })
    const received: Either<PriceError, Price>[] = []
    let late: Either<PriceError, Price> | undefined
    client.price$(ethTopic).subscribe((event) => {
      if (late !== undefined || received.length < 10 || isLeft(event)) return
      late = event
      blockEventLoop(2 * maxLag)
    })
    let isBack = false
    client.price$(ethTopic).subscribe((event) => {
      received.push(event)
      isBack = late !== undefined && isRight(event)
    })
    await eventually(() => expect(isBack).toBe(true))
    // Subscribers of a topic receive the same object.
    expect(received).not.toContain(late)
    expect(received.some((event) => isLeft(event) && event.left._tag === 'Disconnected')).toBe(true)
  })

  it('gets prices and Disconnected in turn, and no old price, over a link of 5 kB/s', async (test) => {
    // Shorter than the time after which the connection to NATS ends, because its pings get no answer.
    const maxLag = 300
    const { fleet, consumer, link } = await startFleetWithLink(test, maxLag)
    link.bytesPerSecond = 5_000
    const before = link.connections
    await waitForRounds(consumer, 3, Date.now())
    // Each connection has a queue of its own, so that a new one begins with current prices.
    expect(link.connections).toBeGreaterThan(before)
    link.bytesPerSecond = Infinity
    const since = Date.now()
    await eventually(() =>
      expect(consumer.events().filter(({ at }) => at > since).length).toBeGreaterThan(200),
    )
    expectNoOldPrice(fleet, consumer, maxLag)
  })
})
