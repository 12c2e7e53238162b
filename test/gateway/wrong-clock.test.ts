import { createClient, type Client, type DepthClientOptions } from 'svc-streams'
import { describe, expect, it, vi } from 'vitest'
import { closeAfterTest } from '../support/close-after-test.js'
import { collectEvents } from '../support/collect-events.js'
import { manualMarket } from '../support/manual-market.js'
import { getDepth } from '../support/network/signed-request.js'
import { authKey, createClientFor, startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic, weth } from '../support/tokens.js'
import { startTestGateway } from './support/start-test-gateway.js'

const hour = 3_600_000

/** A client with a wall clock of its own, which it reads from the `Date` of the time at which it is created. */
const createWithClock = (offset: number, create: () => Client): Client => {
  const realDate = Date
  class OtherDate extends realDate {
    static override now = () => realDate.now() + offset
  }
  vi.stubGlobal('Date', OtherDate)
  try {
    return create()
  } finally {
    vi.unstubAllGlobals()
  }
}

describe.each([5 * hour, -5 * hour])('a consumer whose clock is wrong by %d ms', (offset) => {
  const start = async () => {
    const market = manualMarket()
    const upstream = createClientFor(await startTestSimulator({ market, authKey }))
    const gateway = await startTestGateway(upstream, { keys: { one: authKey }, depthEvery: 1 })
    const connect = (options: Partial<DepthClientOptions> = {}) =>
      createWithClock(offset, () =>
        closeAfterTest(
          createClient({
            environment: 'mainnet',
            baseUrl: gateway.baseUrl,
            priceBaseUrl: gateway.priceBaseUrl,
            priceWsUrl: gateway.priceWsUrl,
            authKey,
            ...options,
          }),
        ),
      )
    return { market, upstream, gateway, connect }
  }
  /** The time since, by the clock of the consumer. */
  const sinceOf = (time: number): number => Date.now() + offset - time

  it('receives depth: it corrects its clock by the Date of a 401', async () => {
    const { gateway, connect } = await start()
    const refused = await getDepth({ baseUrl: gateway.baseUrl, authKey }, weth, Date.now() + offset + 10_000)
    expect(refused.status).toBe(401)
    const depth = collectEvents(connect().depth$(weth, 5))
    await eventually(() => expect(depth.tags().length).toBeGreaterThan(3))
    expect(new Set(depth.tags())).toEqual(new Set(['Right']))
  })

  it('receives an earlier price with its age', async () => {
    const { upstream, connect } = await start()
    collectEvents(connect().price$(ethTopic))
    await eventually(() => expect(upstream.inspect().topics[0]?.lastPriceAgeMs).toBeGreaterThan(50))
    const late = collectEvents(connect().price$(ethTopic))
    await eventually(() => expect(late.tags()).toEqual(['Right']))
    const since = sinceOf(late.values()[0]?.receivedAt ?? NaN)
    expect(since).toBeGreaterThan(50)
    expect(since).toBeLessThan(hour)
  })

  it('has Stale after staleAfter, and for a price that is too old', async () => {
    const { market, upstream, connect } = await start()
    const first = collectEvents(connect({ staleAfter: 100 }).price$(ethTopic))
    await eventually(() => expect(first.tags()).toEqual(['Right', 'Stale']))
    expect(upstream.inspect().topics[0]?.lastPriceAgeMs).toBeGreaterThan(90)
    const late = collectEvents(connect({ staleAfter: 50 }).price$(ethTopic))
    await eventually(() => expect(late.tags()).toEqual(['Stale']))
    market.update({ price: 2501 })
    await eventually(() => expect(first.tags().slice(0, 3)).toEqual(['Right', 'Stale', 'Right']))
    await eventually(() => expect(late.tags().slice(0, 2)).toEqual(['Stale', 'Right']))
  })
})
