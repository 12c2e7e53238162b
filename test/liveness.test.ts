import { createClient, type ClientOptions, type PriceClient } from 'svc-streams'
import { describe, expect, it, vi } from 'vitest'
import { block, startForeignService } from './support/foreign-service.js'
import { btcTopic, clientOf, closing, ethTopic, record, startService } from './support/service.js'

const until = (condition: () => void): Promise<void> => vi.waitFor(condition, { timeout: 5000, interval: 5 })

const clientOfForeign = async (options: Partial<ClientOptions>): Promise<PriceClient> => {
  const { priceWsUrl } = closing(await startForeignService())
  const priceBaseUrl = 'http://127.0.0.1:1'
  return closing(createClient({ environment: 'testnet', priceBaseUrl, priceWsUrl, ...options }))
}

describe("a blocked event loop is not the service's fault", () => {
  it('when a topic would have gone stale', async () => {
    const client = await clientOfForeign({ staleAfter: 150 })
    const eth = record(client.price$(ethTopic))
    await until(() => expect(eth.rights().length).toBeGreaterThan(0))
    for (let times = 0; times < 3; times++) {
      block(400)
      const before = eth.rights().length
      await until(() => expect(eth.rights().length).toBeGreaterThan(before))
    }
    expect(new Set(eth.tags())).toEqual(new Set(['Right']))
  })

  it('when a pong is overdue, or a confirmation', async () => {
    const client = await clientOfForeign({ pingInterval: 100, pongTimeout: 100, confirmTimeout: 100 })
    const eth = record(client.price$(ethTopic))
    await until(() => expect(eth.rights().length).toBeGreaterThan(0))
    const btc = record(client.price$(btcTopic))
    // Let the subscribe go out, then block until its answer and the pong are long overdue.
    await new Promise((resolve) => setImmediate(resolve))
    block(500)
    await until(() => expect(btc.rights().length).toBeGreaterThan(0))
    expect(new Set([...eth.tags(), ...btc.tags()])).toEqual(new Set(['Right']))
    expect(eth.rights().at(-1)?.epoch).toBe(1)
  })
})

describe('a clock that jumps', () => {
  it('changes no age, and makes nothing stale', async () => {
    const simulator = await startService()
    const client = clientOf(simulator, { staleAfter: 2000 })
    const eth = record(client.price$(ethTopic))
    await until(() => expect(eth.rights().length).toBeGreaterThan(0))
    const now = Date.now.bind(Date)
    const clock = vi.spyOn(Date, 'now')
    for (const jump of [3_600_000, -3_600_000]) {
      clock.mockImplementation(() => now() + jump)
      const before = eth.rights().length
      await until(() => expect(eth.rights().length).toBeGreaterThan(before + 3))
      expect(Math.abs(client.inspect().topics[0]?.lastPriceAgeMs ?? NaN)).toBeLessThan(2000)
      expect(Math.abs((eth.rights().at(-1)?.receivedAt ?? 0) - now())).toBeGreaterThan(3_000_000)
    }
    clock.mockRestore()
    expect(new Set(eth.tags())).toEqual(new Set(['Right']))
  })
})
