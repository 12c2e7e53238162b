import { createClient, type Client } from 'svc-streams'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { closeAfterTest } from '../support/close-after-test.js'
import { collectEvents } from '../support/collect-events.js'
import {
  confirmAndSendPrice,
  createPriceClient,
  startScriptedService,
} from '../support/network/scripted-service.js'
import { startHttpServer } from '../support/network/servers.js'
import { authKey } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic, weth } from '../support/tokens.js'

// What a client does at the moment of a suspend: it waits for a dial or a response, or a handler closes it.

const hour = 3_600_000

/** Returns the function that suspends the machine for another hour: the other clock proceeds for a moment only. */
const suspendableMachine = (): (() => void) => {
  const now = Date.now.bind(Date)
  let suspended = 0
  const uptime = performance.now.bind(performance)
  vi.spyOn(Date, 'now').mockImplementation(() => now() + suspended * hour)
  vi.spyOn(performance, 'now').mockImplementation(() => uptime() + suspended)
  onTestFinished(() => void vi.restoreAllMocks())
  return () => suspended++
}

describe('a suspend of the machine', () => {
  it('while the client is disconnected drops no price of the next connection', async () => {
    const suspend = suspendableMachine()
    let acceptsUpgrades = false
    const service = await startScriptedService({
      onSubscribe: confirmAndSendPrice,
      onUpgrade: (_dial, tcpSocket) => {
        if (!acceptsUpgrades) tcpSocket.destroy()
        return !acceptsUpgrades
      },
    })
    const { tags, values } = collectEvents(createPriceClient(service.url).price$(ethTopic))
    await eventually(() => expect(tags()).toContain('Disconnected'))
    suspend()
    acceptsUpgrades = true
    await eventually(() => expect(values()).toMatchObject([{ price: 1, epoch: 1 }]))
    expect(tags()).not.toContain('Stale')
  })

  it('lets a handler of its Stale close the client', async () => {
    const suspend = suspendableMachine()
    const service = await startScriptedService({ onSubscribe: confirmAndSendPrice })
    const client = createPriceClient(service.url)
    const { tags, events } = collectEvents(client.price$(ethTopic))
    let closed: Promise<void> | undefined
    client.price$(ethTopic).subscribe((event) => {
      if (event._tag === 'Left') closed = client.close()
    })
    await eventually(() => expect(tags()).toEqual(['Right']))
    suspend()
    await eventually(() => expect(closed).toBeDefined())
    const late = collectEvents(client.price$(ethTopic))
    expect(late.tags()).toEqual(['ClientClosed'])
    expect(late.isComplete()).toBe(true)
    expect(events.length).toBeLessThanOrEqual(2)
    await closed
    expect(client.inspect()).toMatchObject({ status: { _tag: 'Closed' }, topics: [] })
    expect(service.connections).toHaveLength(1)
  })

  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['depth', (client) => client.depth(weth)()],
    ['price', (client) => client.price(ethTopic)()],
  ])('between a request of %s and its response causes a second request', async (_name, request) => {
    const suspend = suspendableMachine()
    let responses = 0
    const baseUrl = await startHttpServer((_request, response) => {
      response.end('{}')
      if (++responses === 1) suspend()
    })
    const client = closeAfterTest(
      createClient({ environment: 'mainnet', baseUrl, priceBaseUrl: baseUrl, authKey }),
    )
    expect(await request(client)).toMatchObject({ left: { _tag: 'DecodeError' } })
    expect(responses).toBe(2)
  })
})
