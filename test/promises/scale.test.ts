import { isRight } from 'fp-ts/lib/Either.js'
import { createClient, type ClientOptions, type PriceClient } from 'svc-streams'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '../support/time/eventually.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { startServiceThread, type Report, type ServiceThread } from '../support/network/service-thread.js'
import { createTopics } from './support/collected-prices.js'

// Many topics. The service runs in its own thread, so that a busy client does not slow it.

const pricesOf = ({ addresses: { priceBaseUrl, priceWsUrl } }: ServiceThread) => ({
  priceBaseUrl,
  priceWsUrl,
})

interface Subscriptions {
  readonly service: ServiceThread
  readonly client: PriceClient
  /** Number of topics with a price on this connection or a later one. */
  readonly countTopicsWithPrice: (epoch: number) => number
  /** Number of Disconnected events per topic. */
  readonly disconnects: () => readonly number[]
  readonly unsubscribeAll: () => void
}

const subscribeToTopics = async (
  count: number,
  options: Partial<ClientOptions> = {},
): Promise<Subscriptions> => {
  const service = closeAfterTest(await startServiceThread())
  const client = closeAfterTest(
    createClient({
      environment: 'testnet',
      ...pricesOf(service),
      reconnect: { initialDelay: 1, maxDelay: 1 },
      ...options,
    }),
  )
  const epochs = new Array<number>(count).fill(0)
  const disconnects = new Array<number>(count).fill(0)
  const subscriptions = createTopics(count).map((topic, index) =>
    client.price$(topic).subscribe((event) => {
      if (isRight(event)) epochs[index] = event.right.epoch
      else disconnects[index]! += 1
    }),
  )
  return {
    service,
    client,
    countTopicsWithPrice: (from) => epochs.filter((epoch) => epoch >= from).length,
    disconnects: () => disconnects,
    unsubscribeAll: () => subscriptions.forEach((subscription) => subscription.unsubscribe()),
  }
}

interface Bursts {
  /** Largest number of frames sent in one event-loop turn. */
  readonly most: () => number
  /** Number of event-loop turns since the first frame. */
  readonly turns: () => number
}

/** Counts the frames that are sent per event-loop turn. */
const watchBursts = (): Bursts => {
  let [frames, total, most, turns] = [0, 0, 0, 0]
  const send = Reflect.get(WebSocket.prototype, 'send') as (...args: unknown[]) => void
  const spy = vi.spyOn(WebSocket.prototype, 'send').mockImplementation(function (
    this: WebSocket,
    ...args: unknown[]
  ) {
    total += 1
    most = Math.max(most, ++frames)
    Reflect.apply(send, this, args)
  })
  const beat = (): void => {
    if (total > 0) turns += 1
    frames = 0
    heartbeat = setImmediate(beat)
  }
  let heartbeat = setImmediate(beat)
  onTestFinished(() => {
    clearImmediate(heartbeat)
    spy.mockRestore()
  })
  return { most: () => most, turns: () => turns }
}

/** Polls the report of the service until the check passes. */
const reported = (service: ServiceThread, check: (report: Report) => void): Promise<void> =>
  vi.waitFor(async () => check(await service.run({ name: 'report' })), { timeout: 4000, interval: 10 })

const totals = ({ openConnections }: Report) => ({
  connections: openConnections.length,
  topics: openConnections.reduce((sum, { topicCount }) => sum + topicCount, 0),
  most: Math.max(...openConnections.map(({ maxSubscribes }) => maxSubscribes)),
  fullest: Math.max(...openConnections.map(({ topicCount }) => topicCount)),
})

describe.each([
  { count: 10_000, options: {}, connections: 1, fullest: 10_000 },
  { count: 1000, options: { maxTopicsPerConnection: 100 }, connections: 10, fullest: 100 },
])('$count topics over $connections connections', ({ count, options, connections, fullest }) => {
  const once = { connections, topics: count, most: 1, fullest }

  it('are each subscribed once, each receive one Disconnected after a drop and are subscribed once again', async () => {
    const { service, countTopicsWithPrice, disconnects } = await subscribeToTopics(count, options)
    await eventually(() => expect(countTopicsWithPrice(1)).toBe(count))
    const first = await service.run({ name: 'report' })
    expect(totals(first)).toEqual(once)
    expect(first.upgradeCount).toBe(connections)
    await service.run({ name: 'terminate' })
    await eventually(() => expect(countTopicsWithPrice(connections + 1)).toBe(count))
    expect(new Set(disconnects())).toEqual(new Set([1]))
    const report = await service.run({ name: 'report' })
    expect(totals(report)).toEqual(once)
    expect(report.upgradeCount).toBe(2 * connections)
  })
})

describe('10 000 topics', () => {
  it('are subscribed in batches with event-loop turns in between', async () => {
    const bursts = watchBursts()
    const { service, countTopicsWithPrice } = await subscribeToTopics(10_000)
    await eventually(() => expect(countTopicsWithPrice(1)).toBe(10_000))
    await service.run({ name: 'terminate' })
    await eventually(() => expect(countTopicsWithPrice(2)).toBe(10_000))
    expect(bursts.most()).toBeLessThanOrEqual(1000)
    expect(bursts.turns()).toBeGreaterThanOrEqual(20)
  })

  it('can all be unsubscribed, which closes the connection', async () => {
    const { service, client, countTopicsWithPrice, unsubscribeAll } = await subscribeToTopics(10_000, {
      linger: 0,
    })
    await eventually(() => expect(countTopicsWithPrice(1)).toBe(10_000))
    unsubscribeAll()
    await reported(service, ({ openConnections }) => expect(openConnections).toEqual([]))
    expect(client.inspect()).toMatchObject({ status: { _tag: 'Idle' }, topics: [] })
  })
})
