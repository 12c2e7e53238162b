import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isRight } from 'fp-ts/lib/Either.js'
import { createClient, type PriceClient, type Topic } from 'svc-streams'
import { startTcpProxy } from 'svc-streams/simulator'
import type { Gateway } from 'svc-streams/gateway'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { collectMessages } from '../base/diagnostics/support/collect-messages.js'
import { startTestGateway } from '../gateway/support/start-test-gateway.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { startServiceThread } from '../support/network/service-thread.js'
import { eventually } from '../support/time/eventually.js'

// A consumer that reads more slowly than the prices come gets the newest ones. Each price is the time at which the service
// sent it.

/** No price may be older when it arrives, in ms. */
const maxAge = 2_000

/** The gateway and the consumer share the event loop of the test, which a busy machine delays. */
const loopDelay = monitorEventLoopDelay()

beforeEach(() => {
  loopDelay.reset()
  loopDelay.enable()
})
afterEach(() => void loopDelay.disable())

/** `maxAge`, plus the longest delay of the event loop in the gateway and in the consumer. */
const maxAgeHere = (): number => maxAge + (2 * loopDelay.max) / 1e6

/** A link that is slower than 400 prices a second, in bytes per second. */
const slowLink = 10_000

const now = (): number => performance.timeOrigin + performance.now()

const topicsOf = (count: number): readonly Topic[] =>
  Array.from(
    { length: count },
    (_, index): Topic => `svc-0x82af49447d8a07e3bd95bd0d56f35241523f${String(1000 + index)}`,
  )

/** A gateway whose prices are current: the topics have subscribers. */
const startGateway = async (topics: readonly Topic[], pricesPerSecond: number) => {
  const tick = (1000 * topics.length) / pricesPerSecond
  const service = closeAfterTest(await startServiceThread({ tick, stamped: true }))
  const client = clientOf(service.addresses)
  const gateway = await startTestGateway(client)
  const live = new Set<Topic>()
  for (const topic of topics) client.price$(topic).subscribe((event) => isRight(event) && live.add(topic))
  await eventually(() => live.size === topics.length)
  return { client, gateway }
}

const clientOf = (addresses: Pick<Gateway, 'priceBaseUrl' | 'priceWsUrl'>): PriceClient => {
  const { priceBaseUrl, priceWsUrl } = addresses
  return closeAfterTest(createClient({ environment: 'testnet', priceBaseUrl, priceWsUrl }))
}

const slowLinkTo = async (url: string, bytesPerSecond = slowLink) =>
  closeAfterTest(await startTcpProxy({ target: url, bytesPerSecond }))

interface Consumer {
  readonly webSocket: WebSocket
  /** The sent prices of each topic, in order. */
  readonly prices: ReadonlyMap<string, readonly number[]>
  /** Number of prices. */
  readonly count: () => number
  /** Age of the oldest price at its arrival, and the largest amount by which an `age` was wrong, in ms. */
  readonly oldest: () => number
  readonly wrongAge: () => number
  /** Number of prices with an `age`. */
  readonly aged: () => number
}

/** A consumer that knows nothing of the library. */
const consume = (url: string, topics: readonly Topic[], options: { autoPong?: boolean } = {}): Consumer => {
  const webSocket = new WebSocket(url, { perMessageDeflate: false, ...options })
  onTestFinished(() => webSocket.terminate())
  const prices = new Map<string, number[]>(topics.map((topic) => [topic, []]))
  let [count, oldest, wrongAge, aged] = [0, 0, 0, 0]
  webSocket.on('error', () => undefined)
  webSocket.on('open', () => {
    for (const topic of topics) webSocket.send(JSON.stringify({ method: 'subscribe', topic }))
  })
  webSocket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as { topic?: string; price: number; age?: number }
    if (frame.topic === undefined) return
    const age = now() - frame.price
    count++
    oldest = Math.max(oldest, age)
    if (frame.age !== undefined) aged++
    // The rest of its age is the time on the link. A price without an age was sent when it came.
    wrongAge = Math.max(wrongAge, (frame.age ?? 0) - age)
    prices.get(frame.topic)?.push(frame.price)
  })
  return {
    webSocket,
    prices,
    count: () => count,
    oldest: () => oldest,
    wrongAge: () => wrongAge,
    aged: () => aged,
  }
}

/** Fails unless one list of prices is the part of the other from its first price on. Both still grow. */
const expectSamePrices = (part: readonly number[], all: readonly number[], from = 0): void => {
  const start = all.indexOf(part[from] ?? NaN)
  expect(start).toBeGreaterThanOrEqual(0)
  const length = Math.min(part.length - from, all.length - start)
  expect(length).toBeGreaterThan(0)
  expect(part.slice(from, from + length)).toEqual(all.slice(start, start + length))
}

const isIncreasing = (prices: readonly number[]): boolean =>
  prices.every((price, index) => index === 0 || price > prices[index - 1]!)

describe.each([4, 40, 200])('400 prices a second of %i topics over a link of 10 kB/s', (count) => {
  it('arrive at most 2 s old, each topic in order, and a quick consumer gets every price', async () => {
    const topics = topicsOf(count)
    const { gateway } = await startGateway(topics, 400)
    const link = await slowLinkTo(gateway.priceWsUrl)
    const quick = consume(gateway.priceWsUrl, topics)
    const slow = consume(link.url, topics)
    await eventually(() => expect(gateway.inspect().droppedPrices).toBeGreaterThan(800))
    await eventually(() => [...slow.prices.values()].every(({ length }) => length > 2))
    expect([...slow.prices.values()].every(isIncreasing)).toBe(true)
    expect(slow.oldest()).toBeLessThan(maxAgeHere())
    expect(slow.wrongAge()).toBeLessThan(50)
    expect(slow.webSocket.readyState).toBe(WebSocket.OPEN)
    expect(gateway.inspect()).toMatchObject({ connections: 2, behindConnections: 1 })
    // Only the first price of a topic may have an age: that of a new subscriber. Behind the answers to hundreds of subscribe
    // messages, the next one may have waited for a pong too.
    // A price that waited for another process on a busy machine has an age too.
    const firstPrices = count > 100 ? 2 * count : count
    expect(quick.aged()).toBeLessThanOrEqual(firstPrices + quick.count() / 20)
    for (const topic of topics) expectSamePrices(slow.prices.get(topic)!.slice(-1), quick.prices.get(topic)!)
  })
})

describe('a slow consumer of a gateway', () => {
  it('gets every price again when its link is quick again', async () => {
    const topics = topicsOf(4)
    const behind = collectMessages('svc-streams:gateway-behind')
    const caughtUp = collectMessages('svc-streams:gateway-caught-up')
    const { gateway } = await startGateway(topics, 400)
    const { host } = new URL(gateway.baseUrl)
    const link = await slowLinkTo(gateway.priceWsUrl)
    const [quick, slow] = [consume(gateway.priceWsUrl, topics), consume(link.url, topics)]
    await eventually(() => expect(gateway.inspect().droppedPrices).toBeGreaterThan(400))
    expect(behind).toContainEqual({ host })
    link.bytesPerSecond(Infinity)
    await eventually(() => expect(gateway.inspect().behindConnections).toBe(0))
    const { droppedPrices: dropped } = gateway.inspect()
    // On a busy machine, the quick consumer may be behind for a moment too: of the messages, one is that of the slow one.
    expect(caughtUp).toHaveLength(behind.length)
    const ofSlow = caughtUp.reduce((most, each) => (each.dropped > most.dropped ? each : most))
    expect(ofSlow).toEqual({ host, behindForMs: expect.any(Number) as number, dropped: ofSlow.dropped })
    expect(caughtUp.reduce((sum, each) => sum + each.dropped, 0)).toBe(dropped)
    const lengths = topics.map((topic) => slow.prices.get(topic)!.length)
    const count = slow.count()
    await eventually(() => expect(slow.count()).toBeGreaterThan(count + 400))
    for (const [index, topic] of topics.entries())
      expectSamePrices(slow.prices.get(topic)!, quick.prices.get(topic)!, lengths[index])
    expect(gateway.inspect().droppedPrices).toBe(dropped)
    expect(slow.oldest()).toBeLessThan(maxAgeHere())
  })

  it('that stops for seconds continues with the newest prices on its connection', async () => {
    const topics = topicsOf(4)
    const { gateway } = await startGateway(topics, 400)
    const [quick, stopped] = [consume(gateway.priceWsUrl, topics), consume(gateway.priceWsUrl, topics)]
    await eventually(() => expect(stopped.count()).toBeGreaterThan(100))
    stopped.webSocket.pause()
    await eventually(() => expect(gateway.inspect().droppedPrices).toBeGreaterThan(1_000))
    const resumedAt = now()
    stopped.webSocket.resume()
    await eventually(() => expect(gateway.inspect().behindConnections).toBe(0))
    for (const topic of topics) {
      const prices = stopped.prices.get(topic)!
      expect(isIncreasing(prices)).toBe(true)
      // What was written before the hold, and nothing of the time in which it was stopped.
      const before = prices.filter((price) => price < resumedAt - 1_000).length
      expect(prices.slice(before, before + 3).every((price) => price > resumedAt - 500)).toBe(true)
      const from = prices.length
      await eventually(() => expect(stopped.prices.get(topic)!.length).toBeGreaterThan(from + 50))
      expectSamePrices(stopped.prices.get(topic)!, quick.prices.get(topic)!, from)
    }
    expect(gateway.inspect()).toMatchObject({ connections: 2, behindConnections: 0 })
  })

  it('that has never answered a ping gets every price', async () => {
    const topics = topicsOf(4)
    const { gateway } = await startGateway(topics, 400)
    const [quick, naive] = [
      consume(gateway.priceWsUrl, topics),
      consume(gateway.priceWsUrl, topics, { autoPong: false }),
    ]
    await eventually(() => expect(naive.count()).toBeGreaterThan(800))
    for (const topic of topics) expectSamePrices(naive.prices.get(topic)!, quick.prices.get(topic)!, 1)
    expect(gateway.inspect()).toMatchObject({ behindConnections: 0, droppedPrices: 0 })
  })

  it('gets nothing of a topic behind the answer to its unsubscribe, and nothing behind a close frame', async () => {
    const topics = topicsOf(4)
    const { gateway } = await startGateway(topics, 400)
    const link = await slowLinkTo(gateway.priceWsUrl)
    const slow = consume(link.url, topics)
    const [left] = topics
    const frames: string[] = []
    slow.webSocket.on('message', (data: Buffer) => frames.push(data.toString()))
    await eventually(() => expect(gateway.inspect().droppedPrices).toBeGreaterThan(400))
    slow.webSocket.send(JSON.stringify({ method: 'unsubscribe', topic: left }))
    frames.length = 0
    const answeredAt = (): number => frames.findIndex((frame) => frame.includes('"subscriptions"'))
    await eventually(() => answeredAt() >= 0)
    await eventually(() => frames.length > answeredAt() + 50)
    expect(frames.slice(answeredAt()).filter((frame) => frame.includes(left!))).toEqual([])
    let afterClose = 0
    slow.webSocket.on('close', (code) => {
      expect(code).toBe(1001)
      slow.webSocket.on('message', () => afterClose++)
    })
    await gateway.close()
    await eventually(() => slow.webSocket.readyState === WebSocket.CLOSED)
    expect(afterClose).toBe(0)
  })

  it('is one of 120 on one link: each gets prices in time, and the gateway keeps no queue for them', async () => {
    const topics = topicsOf(4)
    const { gateway } = await startGateway(topics, 100)
    const link = await slowLinkTo(gateway.priceWsUrl, 400_000)
    const consumers = Array.from({ length: 120 }, () => consume(link.url, topics))
    const quick = consume(gateway.priceWsUrl, topics)
    await eventually(() => expect(gateway.inspect().behindConnections).toBe(120))
    await eventually(() => expect(gateway.inspect().droppedPrices).toBeGreaterThan(120 * 150))
    for (const { prices, oldest, webSocket } of consumers) {
      expect(webSocket.readyState).toBe(WebSocket.OPEN)
      for (const each of prices.values()) expect(each.length).toBeGreaterThan(3)
      expect(oldest()).toBeLessThan(maxAgeHere())
    }
    expect(gateway.inspect()).toMatchObject({ connections: 121, behindConnections: 120 })
    const all = quick.prices.get(topics[0]!)!
    expectSamePrices(consumers[0]!.prices.get(topics[0]!)!.slice(-1), all)
    link.bytesPerSecond(Infinity)
    await eventually(() => expect(gateway.inspect().behindConnections).toBe(0))
  })

  it('may be a gateway: its own consumers get prices with their true age, in order', async () => {
    const topics = topicsOf(4)
    const { gateway } = await startGateway(topics, 400)
    const link = await slowLinkTo(gateway.priceWsUrl)
    const { priceBaseUrl } = gateway
    const second = await startTestGateway(clientOf({ priceBaseUrl, priceWsUrl: link.url }))
    const last = consume(second.priceWsUrl, topics)
    await eventually(() => expect(gateway.inspect().droppedPrices).toBeGreaterThan(800))
    expect(last.oldest()).toBeLessThan(maxAgeHere())
    expect(last.wrongAge()).toBeLessThan(50)
    expect(last.aged()).toBeGreaterThan(0)
    for (const prices of last.prices.values()) {
      expect(prices.length).toBeGreaterThan(3)
      expect(isIncreasing(prices)).toBe(true)
    }
    expect(second.inspect()).toMatchObject({ connections: 1, behindConnections: 0, droppedPrices: 0 })
    link.bytesPerSecond(Infinity)
    await eventually(() => expect(gateway.inspect().behindConnections).toBe(0))
  })
})
