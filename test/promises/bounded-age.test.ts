import { isRight } from 'fp-ts/lib/Either.js'
import { createClient, type ClientOptions, type PriceClient, type PriceError, type Topic } from 'svc-streams'
import { startTcpProxy } from 'svc-streams/simulator'
import { describe, expect, it } from 'vitest'
import { closeAfterTest } from '../support/close-after-test.js'
import { startServiceThread, type ServiceThread } from '../support/network/service-thread.js'
import { blockEventLoop, busyWait } from '../support/time/event-loop.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic } from '../support/tokens.js'

// Whatever is slow, a price is delivered only if the service sent it at most `maxLag` ms before. Each price is the time at
// which it was sent.

const maxLag = 1000

/** Time from the decision to the handler, and between two readings of the clock while handlers are fast, in ms. */
const tolerance = 100

const now = (): number => performance.timeOrigin + performance.now()

const start = async (
  tick: number,
  options: Partial<ClientOptions> = {},
  bytesPerSecond = Infinity,
): Promise<{ service: ServiceThread; client: PriceClient }> => {
  const service = closeAfterTest(await startServiceThread({ tick, stamped: true }))
  const { priceBaseUrl } = service.addresses
  const link = closeAfterTest(await startTcpProxy({ target: service.addresses.priceWsUrl, bytesPerSecond }))
  const priceWsUrl = link.url
  const client = closeAfterTest(
    createClient({ environment: 'testnet', priceBaseUrl, priceWsUrl, maxLag, ...options }),
  )
  return { service, client }
}

interface Ages {
  /** Age of the oldest price that was delivered, in ms. */
  oldest: number
  prices: number
  readonly errors: PriceError[]
  /** The number of prices after the last error. */
  pricesSince: number
}

/** Subscribes to a topic and measures the age of each price at its delivery, before the handler runs. */
const measureAges = (client: PriceClient, topic: Topic, handler: () => void = () => undefined): Ages => {
  const ages: Ages = { oldest: 0, prices: 0, errors: [], pricesSince: 0 }
  client.price$(topic).subscribe((event) => {
    if (isRight(event)) {
      ages.oldest = Math.max(ages.oldest, now() - event.right.price)
      ages.prices++
      ages.pricesSince++
      handler()
    } else {
      ages.errors.push(event.left)
      ages.pricesSince = 0
    }
  })
  return ages
}

const isBehind = (error: PriceError): boolean => error._tag === 'Stale' && error.behindMs !== undefined

describe('on a link that is slower than its prices', () => {
  it('no price older than maxLag is delivered, and fresh ones continue with each new connection', async () => {
    const { service, client } = await start(2, { reconnect: { initialDelay: 50 } }, 10_000)
    const topics = Array.from({ length: 4 }, (_, index): Topic => `svc-0x${index + 1}`)
    const ages = topics.map((topic) => measureAges(client, topic))
    const hasEnded = (error: PriceError): boolean =>
      error._tag === 'Disconnected' && /the prices are \d+\.\d s behind/.test(error.reason)
    await eventually(() => expect(ages[0]!.errors.filter(hasEnded).length).toBeGreaterThan(1))
    await eventually(() => expect(ages.every(({ pricesSince }) => pricesSince > 0)).toBe(true))
    for (const { oldest, errors } of ages) {
      expect(oldest).toBeLessThan(maxLag + tolerance)
      // One `Stale` for each time behind: each is followed by current prices or by the end of the connection.
      expect(errors.filter(isBehind).length).toBeGreaterThan(0)
      expect(errors.every((error) => isBehind(error) || hasEnded(error))).toBe(true)
    }
    expect((await service.run({ name: 'report' })).openConnections.length).toBeLessThanOrEqual(1)
  })
})

describe('a price that is older than maxLag is not delivered', () => {
  it('to a handler that is slower than its prices: it falls behind again and again, and receives fresh ones', async () => {
    const { client } = await start(6)
    const ages = measureAges(client, ethTopic, () => busyWait(12_000))
    await eventually(() => expect(ages.errors.filter(isBehind).length).toBeGreaterThan(1))
    await eventually(() => expect(ages.pricesSince).toBeGreaterThan(0))
    expect(ages.errors.every(isBehind)).toBe(true)
    expect(ages.oldest).toBeLessThan(maxLag + tolerance)
  })

  it('after the event loop was blocked for longer, and the prices continue on the same connection', async () => {
    const { service, client } = await start(3)
    const ages = measureAges(client, ethTopic)
    await eventually(() => expect(ages.prices).toBeGreaterThan(300))
    blockEventLoop(3 * maxLag)
    const { prices } = ages
    await eventually(() => expect(ages.prices).toBeGreaterThan(prices + 100))
    expect(ages.oldest).toBeLessThan(maxLag + tolerance)
    expect(ages.errors.every(isBehind)).toBe(true)
    expect(await service.run({ name: 'report' })).toMatchObject({ upgradeCount: 1 })
  })

  it('to a subscriber that joins in the same tick as such a block', async () => {
    const { client } = await start(3)
    const ages = measureAges(client, ethTopic)
    await eventually(() => expect(ages.prices).toBeGreaterThan(300))
    blockEventLoop(2 * maxLag)
    const late = measureAges(client, ethTopic)
    expect(late.prices).toBe(0)
    await eventually(() => expect(late.prices).toBeGreaterThan(100))
    expect(late.oldest).toBeLessThan(maxLag + tolerance)
  })
})
