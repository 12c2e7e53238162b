import { isRight } from 'fp-ts/lib/Either.js'
import { createClient, type ClientOptions, type PriceClient, type PriceError, type Topic } from 'svc-streams'
import { startTcpProxy } from 'svc-streams/simulator'
import { priceStore } from 'svc-streams/store'
import { describe, expect, it } from 'vitest'
import { startTestGateway } from '../gateway/support/start-test-gateway.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { collectConfirmedTopics } from '../support/confirmed-topics.js'
import {
  createPriceClient,
  startScriptedService,
  type ServiceConnection,
} from '../support/network/scripted-service.js'
import { startServiceThread, type ServiceThread } from '../support/network/service-thread.js'
import { blockEventLoop, busyWait } from '../support/time/event-loop.js'
import { eventually } from '../support/time/eventually.js'
import { btcTopic, ethTopic } from '../support/tokens.js'

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

  it('by `inspect()` or a store in the first timer after such a block, before the socket is read', async () => {
    const { client } = await start(3)
    const ages = measureAges(client, ethTopic)
    const store = priceStore(client.price$(ethTopic))
    const unsubscribe = store.subscribe(() => undefined)
    await eventually(() => expect(ages.prices).toBeGreaterThan(300))
    const states = await new Promise((resolve) => {
      setTimeout(() => resolve([client.inspect().topics[0]?.state, store.getSnapshot()]), 1)
      blockEventLoop(2 * maxLag)
    })
    unsubscribe()
    expect(states).toMatchObject(['stale', { state: 'stale', price: undefined, last: { topic: ethTopic } }])
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
  it('to a topic whose held price is delivered after that of one whose handler blocks', async () => {
    const { client } = await start(3)
    let blocks = 0
    const first = measureAges(client, ethTopic, () => {
      if (blocks < 3 && first.errors.length > blocks && first.pricesSince === 1) {
        blocks++
        blockEventLoop(1.5 * maxLag)
      }
    })
    const second = measureAges(client, btcTopic)
    await eventually(() => expect(second.prices).toBeGreaterThan(300))
    blockEventLoop(1.5 * maxLag)
    await eventually(() => expect(blocks).toBe(3))
    await eventually(() => expect(second.pricesSince).toBeGreaterThan(100))
    expect(second.oldest).toBeLessThan(maxLag + tolerance)
    expect(second.errors.every(isBehind)).toBe(true)
  })
})

describe('while the client of a gateway is behind', () => {
  it('a new consumer receives no price, and after that none older than maxLag', async () => {
    // Longer than in other tests: the consumer must connect before the connection to the service is ended.
    const longLag = 2 * maxLag
    const strictLag = 300
    const service = closeAfterTest(await startServiceThread({ tick: 20, stamped: true }))
    const { priceBaseUrl, priceWsUrl } = service.addresses
    const link = closeAfterTest(await startTcpProxy({ target: priceWsUrl }))
    const options = { environment: 'testnet', priceBaseUrl } as const
    const upstream = closeAfterTest(createClient({ ...options, priceWsUrl: link.url, maxLag: longLag }))
    const gateway = await startTestGateway(upstream)
    const consumerOf = (limits: Partial<ClientOptions> = {}) => {
      const client = closeAfterTest(createClient({ ...options, ...limits, priceWsUrl: gateway.priceWsUrl }))
      return { client, ages: measureAges(client, ethTopic) }
    }
    const early = consumerOf()
    const strict = consumerOf({ maxLag: strictLag })
    await eventually(() => expect(early.ages.prices).toBeGreaterThan(20))
    await eventually(() => expect(strict.ages.prices).toBeGreaterThan(20))
    link.freeze('down')
    await eventually(() => expect(gateway.inspect().topics[0]?.state).toBe('stale'))
    const confirmed = collectConfirmedTopics()
    const late = consumerOf()
    await eventually(() => expect(confirmed.size).toBe(1))
    expect(late.ages).toMatchObject({ prices: 0, errors: [] })
    // A consumer learns it from the gateway, which answers no ping meanwhile.
    await eventually(() => expect(strict.ages.errors.some(isBehind)).toBe(true))
    expect(measureAges(strict.client, ethTopic)).toMatchObject({ prices: 0 })
    link.heal()
    await eventually(() => expect(late.ages.prices).toBeGreaterThan(20))
    await eventually(() => expect(strict.ages.pricesSince).toBeGreaterThan(20))
    expect(strict.ages.oldest).toBeLessThan(longLag + strictLag + tolerance)
    for (const { ages } of [early, late]) {
      expect(ages.errors).toEqual([])
      expect(ages.oldest).toBeLessThan(longLag + tolerance)
    }
  })
})

describe('when one handler blocks once for longer than maxLag', () => {
  const shortLag = 300

  const textOf = (error: PriceError): string =>
    error._tag === 'Stale' && (error.behindMs ?? 0) > shortLag ? 'behind' : error._tag

  /** Prices are numbers. */
  const collect = (client: PriceClient, log: unknown[], handler: (price: number) => void = () => undefined) =>
    client.price$(ethTopic).subscribe((event) => {
      log.push(isRight(event) ? event.right.price : textOf(event.left))
      if (isRight(event)) handler(event.right.price)
    })

  /** A client that knows that its service answers pings, and that has received price 1. */
  const connect = async (subscribe: (client: PriceClient) => void): Promise<ServiceConnection> => {
    const service = await startScriptedService({
      onSubscribe: (connection, topic) => {
        connection.sendConfirmation(topic)
        connection.sendPrice(topic, 1)
      },
    })
    const client = createPriceClient(service.url, { maxLag: shortLag })
    subscribe(client)
    await eventually(() => expect(service.connections[0]?.pingCount()).toBeGreaterThan(3))
    return service.connections[0]!
  }

  it('the prices behind it in the same read are left out, but for the newest', async () => {
    const log: unknown[] = []
    const connection = await connect((client) =>
      collect(client, log, (price) => {
        if (price === 20) blockEventLoop(2 * shortLag)
      }),
    )
    const prices = Array.from({ length: 40 }, (_, index) => index + 1)
    connection.tcpSocket.cork()
    for (const price of prices.slice(1)) connection.sendPrice(ethTopic, price)
    connection.tcpSocket.uncork()
    await eventually(() => expect(log.at(-1)).toBe(40))
    expect(log).toEqual([...prices.slice(0, 20), 'behind', 40])
  })

  it('the subscribers behind it receive Stale instead of its price, and then the newest', async () => {
    const logs: unknown[][] = [[], [], []]
    const connection = await connect((client) =>
      logs.forEach((log, index) =>
        collect(client, log, (price) => {
          if (price === 2 && index === 1 && log.length === 2) blockEventLoop(2 * shortLag)
        }),
      ),
    )
    connection.sendPrice(ethTopic, 2)
    await eventually(() => expect(logs[2]?.at(-1)).toBe(2))
    expect(logs).toEqual([
      [1, 2, 'behind', 2],
      [1, 2, 'behind', 2],
      [1, 'behind', 2],
    ])
  })
})
