import { isLeft } from 'fp-ts/lib/Either.js'
import { createClient, type ClientOptions, type PriceError } from 'svc-streams'
import { startTcpProxy, type TcpProxy } from 'svc-streams/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { closeAfterTest } from '../support/close-after-test.js'
import { eventually } from '../support/time/eventually.js'
import { startScriptedService, type ServiceConnection } from '../support/network/scripted-service.js'
import { ethTopic } from '../support/tokens.js'

const maxLag = 1_000

interface Service {
  readonly url: string
  readonly network: TcpProxy
  /** False if the service sends no prices, but answers pings. */
  sends: boolean
  /** The number of subscribe frames so far. */
  subscribed: number
}

/**
 * Starts services that send the same price every 10 ms: a number that increases each time. A price that a line delivers late is
 * found because a later one has been delivered before.
 */
const startServices = async (
  count: number,
): Promise<{ readonly services: readonly Service[]; readonly newest: () => number }> => {
  const subscribed = new Map<ServiceConnection, Service>()
  let price = 0
  const services: Service[] = []
  for (let index = 0; index < count; index++) {
    const { url } = await startScriptedService({
      onSubscribe: (connection, topic) => {
        connection.sendConfirmation(topic)
        subscribed.set(connection, services[index]!)
        services[index]!.subscribed++
      },
    })
    const network = closeAfterTest(await startTcpProxy({ target: url }))
    services.push({ url: network.url, network, sends: true, subscribed: 0 })
  }
  const timer = setInterval(() => {
    price++
    for (const [connection, { sends }] of subscribed) if (sends) connection.sendPrice(ethTopic, price)
  }, 10)
  onTestFinished(() => clearInterval(timer))
  return { services, newest: () => price }
}

const start = async (options: Partial<ClientOptions> = {}, count = 2) => {
  const { services, newest } = await startServices(count)
  const client = createClient({
    environment: 'testnet',
    priceBaseUrl: 'http://127.0.0.1:1',
    priceWsUrl: services.map(({ url }) => url),
    lines: 2,
    maxLag,
    ...options,
  })
  onTestFinished(() => client.close())
  const prices: number[] = []
  const failures: PriceError[] = []
  client.price$(ethTopic).subscribe((event) => {
    if (isLeft(event)) failures.push(event.left)
    else prices.push(event.right.price)
  })
  /** Waits until prices that were sent from now on are delivered. */
  const untilCurrent = async (): Promise<void> => {
    const from = newest()
    await eventually(() => expect(prices.at(-1)).toBeGreaterThan(from))
  }
  /** Waits until each line is open to a host of its own, and has answered a ping. */
  const untilReady = () =>
    eventually(() => {
      const { lines } = client.inspect()
      expect(new Set(lines.map(({ url }) => url)).size).toBe(lines.length)
      expect(lines.map(({ state, lagMs }) => [state, lagMs !== null && lagMs < maxLag])).toEqual(
        lines.map(() => ['open', true]),
      )
    })
  const front = (): Service =>
    services.find(({ url }) => url === client.inspect().lines.find(({ isFront }) => isFront)?.url)!
  await untilReady()
  await untilCurrent()
  return { client, services, prices, failures, untilCurrent, untilReady, front }
}

const expectIncreasing = (prices: readonly number[]): void => {
  expect(prices.filter((price, index) => index > 0 && price <= prices[index - 1]!)).toEqual([])
}

describe('two lines', () => {
  const faults: readonly (readonly [string, (front: Service) => void])[] = [
    ['is reset', ({ network }) => network.reset()],
    ['is closed', ({ network }) => void network.close()],
    ['is frozen', ({ network }) => network.freeze()],
    ['sends prices, but receives nothing', ({ network }) => network.freeze('up')],
    ['receives frames, but sends nothing', ({ network }) => network.freeze('down')],
    ['is slow', ({ network }) => network.bytesPerSecond(2_000)],
    ['answers pings, but sends no prices', (front) => (front.sends = false)],
  ]

  it.each(faults)(
    'deliver each topic without a Left, and nothing old, when the front %s',
    async (_, fail) => {
      const { client, prices, failures, untilCurrent, front } = await start()
      const before = front()
      fail(before)
      await eventually(() => expect(front()).not.toBe(before))
      await untilCurrent()
      expect(failures).toEqual([])
      expectIncreasing(prices)
      const { status } = client.inspect()
      expect(status).toMatchObject({ _tag: 'Open', switches: 1 })
    },
  )

  it('deliver nothing old when one line is 300 ms later than the other one', async () => {
    const { services, prices, failures, untilCurrent, untilReady, front } = await start({ maxLag: 2_000 })
    const before = front()
    const late = services.find((service) => service !== before)!
    late.network.delay(300)
    await untilCurrent()
    before.network.reset()
    await eventually(() => expect(front()).toBe(late))
    await untilCurrent()
    late.network.delay(0)
    await untilReady()
    late.network.reset()
    await untilCurrent()
    expect(failures).toEqual([])
    expectIncreasing(prices)
  })

  it('emit no Left when each host is lost in turn, after the other one has returned', async () => {
    const { services, failures, prices, untilCurrent, untilReady } = await start()
    for (const service of [...services, ...services]) {
      await untilReady()
      // Both services send each price at once: both lines have received one when the front has delivered two.
      await untilCurrent()
      await untilCurrent()
      const { subscribed } = service
      service.network.reset()
      await eventually(() => expect(service.subscribed).toBeGreaterThan(subscribed))
    }
    await untilCurrent()
    expect(failures).toEqual([])
    expectIncreasing(prices)
  })

  it('emit a Left when both are lost, and recover', async () => {
    const { services, failures, prices, untilCurrent } = await start()
    for (const { network } of services) network.reset()
    await untilCurrent()
    expect(failures.map(({ _tag }) => _tag)).toContain('Disconnected')
    expectIncreasing(prices)
  })
})

describe('rotateAfter', () => {
  it.each([
    ['one line', 1],
    ['two lines', 2],
  ])('replaces each connection with %s: no price is missing or doubled', async (_, lines) => {
    const { client, prices, failures } = await start({ lines, rotateAfter: 300 }, lines)
    const { length } = prices
    await eventually(() => {
      const { status } = client.inspect()
      expect(status._tag === 'Open' && (status.switches ?? 0) >= 3).toBe(true)
    })
    expect(failures).toEqual([])
    const first = prices[0]!
    expect(prices).toEqual(prices.map((_, index) => first + index))
    expect(prices.length).toBeGreaterThan(length)
  })
})
