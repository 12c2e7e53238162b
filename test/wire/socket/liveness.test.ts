import { createClient, type ClientOptions, type PriceClient } from 'svc-streams'
import { describe, expect, it, vi } from 'vitest'
import { eventually } from '../../support/time/eventually.js'
import { WebSocket } from 'ws'
import { blockEventLoop } from '../../support/time/event-loop.js'
import { startServiceThread } from '../../support/network/service-thread.js'
import { createClientFor, startTestSimulator } from '../../support/simulator.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { ethTopic } from '../../support/tokens.js'
import { collectEvents } from '../../support/collect-events.js'

const clientOfThread = async (options: Partial<ClientOptions>): Promise<PriceClient> => {
  const { priceWsUrl } = closeAfterTest(await startServiceThread({ tick: 20 })).addresses
  const priceBaseUrl = 'http://127.0.0.1:1'
  return closeAfterTest(createClient({ environment: 'testnet', priceBaseUrl, priceWsUrl, ...options }))
}

describe('a blocked event loop', () => {
  it('causes no `Stale`', async () => {
    const client = await clientOfThread({ staleAfter: 150 })
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(eth.values().length).toBeGreaterThan(0))
    for (let times = 0; times < 3; times++) {
      blockEventLoop(400)
      const before = eth.values().length
      await eventually(() => expect(eth.values().length).toBeGreaterThan(before))
    }
    expect(new Set(eth.tags())).toEqual(new Set(['Right']))
  })

  it.each([
    { deadline: 'pongTimeout', after: 'ping' as const, options: { pingInterval: 100, pongTimeout: 100 } },
    { deadline: 'confirmTimeout', after: 'send' as const, options: { confirmTimeout: 100 } },
    { deadline: 'pongTimeout, for unsent bytes,', after: 'send' as const, options: { pongTimeout: 100 } },
  ])('causes no error when $deadline passes during the block', async ({ after, options }) => {
    const client = await clientOfThread(options)
    // The client reads nothing between this call and the end of the block, when the deadline has passed.
    const original = Reflect.get(WebSocket.prototype, after) as (...args: unknown[]) => void
    const spy = vi.spyOn(WebSocket.prototype, after).mockImplementation(function (
      this: WebSocket,
      ...args: unknown[]
    ) {
      Reflect.apply(original, this, args)
      // After this phase, Node runs timers first, then reads the sockets.
      setImmediate(() => blockEventLoop(400))
    })
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => {
      expect(spy.mock.calls.length).toBeGreaterThan(after === 'ping' ? 1 : 0)
      expect(eth.values().length).toBeGreaterThan(3)
    })
    spy.mockRestore()
    expect(new Set(eth.tags())).toEqual(new Set(['Right']))
    expect(eth.values().at(-1)?.epoch).toBe(1)
  })
})

describe('a system clock that is set back', () => {
  it('changes no age and causes no `Stale`', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator, { staleAfter: 2000 })
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(eth.values().length).toBeGreaterThan(0))
    const now = Date.now.bind(Date)
    const dateNow = vi.spyOn(Date, 'now')
    for (const jump of [-3_600_000, -7_200_000]) {
      dateNow.mockImplementation(() => now() + jump)
      expect(Math.abs(client.inspect().topics[0]?.lastPriceAgeMs ?? NaN)).toBeLessThan(2000)
      const before = eth.values().length
      await eventually(() => expect(eth.values().length).toBeGreaterThan(before + 3))
      expect(Math.abs((eth.values().at(-1)?.receivedAt ?? 0) - now())).toBeGreaterThan(3_000_000)
    }
    dateNow.mockRestore()
    expect(new Set(eth.tags())).toEqual(new Set(['Right']))
  })
})
