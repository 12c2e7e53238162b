import { startSimulator, startTcpProxy } from 'svc-streams/simulator'
import { describe, expect, it } from 'vitest'
import { closeAfterTest } from '../support/close-after-test.js'
import { startScriptedService } from '../support/network/scripted-service.js'
import { fastMarket, startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic } from '../support/tokens.js'
import { logOf, logPrices, openPage, tagsOf } from './support/page.js'

const optionsFor = ({ priceBaseUrl, priceWsUrl }: { priceBaseUrl: string; priceWsUrl: string }) =>
  ({ environment: 'testnet', priceBaseUrl, priceWsUrl, pingInterval: 300, pongTimeout: 200 }) as const

/** The reason of the first `Disconnected`. */
const reasonOf = (events: readonly unknown[]): string | undefined =>
  events
    .map((event) => (event as { left?: { reason?: string } }).left?.reason)
    .find((reason) => reason !== undefined)

describe('a page', () => {
  it('replaces a connection that delivers nothing, once the service has answered a probe', async () => {
    const { tokens } = fastMarket
    const simulator = await startTestSimulator({ tokens, tick: 600_000, cors: true })
    const network = closeAfterTest(await startTcpProxy({ target: simulator.priceWsUrl }))
    const page = await openPage()
    await logPrices(page, optionsFor({ ...simulator, priceWsUrl: network.url }), ethTopic)
    const subscribes = () => simulator.frames.filter(({ text }) => text.includes('"subscribe"')).length
    // Without prices, the client probes. The second probe is sent after the answer to the first one.
    await eventually(() => expect(subscribes()).toBeGreaterThan(2))
    network.freeze()
    await eventually(async () => expect(await tagsOf(page)).toContain('Disconnected'))
    expect(reasonOf(await logOf(page))).toBe('no frame within 200 ms of a probe')
    network.heal()
    await eventually(async () => {
      const tags = await tagsOf(page)
      expect(tags.at(-1)).toBe('Right')
    })
  })

  it('does not replace a connection whose service ignores probes, while a price is current', async () => {
    const { url, connections } = await startScriptedService({
      onSubscribe: (connection, topic) => {
        if (connection.receivedMessages.length === 1) connection.sendPrice(topic, 1)
      },
    })
    const page = await openPage()
    await logPrices(page, optionsFor({ priceBaseUrl: 'http://127.0.0.1:1', priceWsUrl: url }), ethTopic)
    await eventually(() => expect(connections[0]?.receivedMessages.length).toBeGreaterThan(3))
    expect(await tagsOf(page)).toEqual(['Right'])
    expect(connections).toHaveLength(1)
  })

  it('receives prices again after a restart of the service, without a reload', async () => {
    const first = await startSimulator({ ...fastMarket, cors: true })
    const page = await openPage()
    await logPrices(page, optionsFor(first), ethTopic)
    await eventually(async () => expect(await tagsOf(page)).toContain('Right'))
    await first.close()
    await eventually(async () => expect(await tagsOf(page)).toContain('Disconnected'))
    const wsPort = Number(new URL(first.priceWsUrl).port)
    await startTestSimulator({ ...fastMarket, wsPort, cors: true })
    await eventually(async () =>
      expect(await logOf(page)).toContainEqual({
        _tag: 'Right',
        right: expect.objectContaining({ epoch: 2 }) as unknown,
      }),
    )
  })

  it('dials at once when the network returns', async () => {
    const first = await startSimulator({ ...fastMarket, cors: true })
    const page = await openPage()
    const reconnect = { initialDelay: 1e9, maxDelay: 1e9 }
    await logPrices(page, { ...optionsFor(first), reconnect }, ethTopic)
    await eventually(async () => expect(await tagsOf(page)).toContain('Right'))
    await first.close()
    await eventually(async () => expect(await tagsOf(page)).toContain('Disconnected'))
    const wsPort = Number(new URL(first.priceWsUrl).port)
    await startTestSimulator({ ...fastMarket, wsPort, cors: true })
    await page.context().setOffline(true)
    await page.context().setOffline(false)
    await eventually(async () => expect((await tagsOf(page)).at(-1)).toBe('Right'))
  })

  it('probes at once when it is shown again', async () => {
    const simulator = await startTestSimulator({ ...fastMarket, tick: 600_000, cors: true })
    const page = await openPage()
    await logPrices(page, { ...optionsFor(simulator), pingInterval: 1e9 }, ethTopic)
    await eventually(async () => expect(await tagsOf(page)).toContain('Right'))
    const subscribes = () => simulator.frames.filter(({ text }) => text.includes('"subscribe"')).length
    expect(subscribes()).toBe(1)
    await page.evaluate(() => (globalThis as unknown as EventTarget).dispatchEvent(new Event('pageshow')))
    await eventually(() => expect(subscribes()).toBe(2))
  })

  it('has current prices after it was frozen and the service has restarted', async () => {
    const first = await startSimulator({ ...fastMarket, cors: true })
    const page = await openPage()
    await logPrices(page, optionsFor(first), ethTopic)
    await eventually(async () => expect(await tagsOf(page)).toContain('Right'))
    const session = await page.context().newCDPSession(page)
    await session.send('Page.setWebLifecycleState', { state: 'frozen' })
    await first.close()
    const wsPort = Number(new URL(first.priceWsUrl).port)
    await startTestSimulator({ ...fastMarket, wsPort, cors: true })
    await session.send('Page.setWebLifecycleState', { state: 'active' })
    await eventually(async () =>
      expect(await logOf(page)).toContainEqual({
        _tag: 'Right',
        right: expect.objectContaining({ epoch: 2 }) as unknown,
      }),
    )
    // No price of the first connection follows the loss of that connection.
    const events = (await logOf(page)) as readonly { _tag: string; right?: { epoch: number } }[]
    const lost = events.findIndex(({ _tag }) => _tag === 'Left')
    expect(events.slice(lost).filter(({ right }) => right?.epoch === 1)).toEqual([])
  })

  it('closes a connection that sends a message above maxFrameBytes with 1009', async () => {
    const { url } = await startScriptedService({
      onSubscribe: (connection, topic) =>
        connection.send(JSON.stringify({ topic, price: 1, padding: 'ä'.repeat(2000) })),
    })
    const page = await openPage()
    const options = optionsFor({ priceBaseUrl: 'http://127.0.0.1:1', priceWsUrl: url })
    await logPrices(page, { ...options, maxFrameBytes: 4000 }, ethTopic)
    await eventually(async () =>
      expect(await logOf(page)).toContainEqual({
        _tag: 'Left',
        left: expect.objectContaining({ code: 1009 }) as unknown,
      }),
    )
  })
})

describe('close()', () => {
  it('ends all connections, and completes the streams', async () => {
    const simulator = await startTestSimulator({ ...fastMarket, cors: true })
    const page = await openPage()
    await logPrices(page, optionsFor(simulator), ethTopic)
    await eventually(async () => expect(await tagsOf(page)).toContain('Right'))
    await page.evaluate(() =>
      (globalThis as unknown as { client: { close(): Promise<void> } }).client.close(),
    )
    await eventually(() => expect(simulator.connections).toEqual([]))
  })
})
