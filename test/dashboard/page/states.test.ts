import { describe, expect, it } from 'vitest'
import { httpError, subscriptionRejected } from '../../../src/errors/constructors.js'
import { eventually } from '../../support/time/eventually.js'
import { btcTopic, wbtc, weth } from '../../support/tokens.js'
import {
  connectionOf,
  field,
  logOf,
  openDashboard,
  startTestDashboard,
  valueOf,
} from '../support/open-dashboard.js'
import { TestMarket } from '../support/test-market.js'

describe('a card of the dashboard', () => {
  it('shows the values that the client delivers', async () => {
    const market = new TestMarket()
    const page = await openDashboard(await startTestDashboard(market.client))
    expect(await valueOf(page, weth, 'symbol')).toBe('ETH')
    expect(await valueOf(page, weth, 'state')).toBe('waiting')
    await eventually(async () => expect(await connectionOf(page)).toBe('connected'))
    const buy = { totalQuantity: 50_973_900_000_000_000_000n, totalQuantityUsd: 136_737.74 }
    market.sendDepth(buy, { totalQuantity: 1n, totalQuantityUsd: 999.5 })
    for (const usd of [2500, 2682.505, 0.000012, 123_456.789]) {
      market.sendEth(usd)
      await eventually(async () => expect(Number(await valueOf(page, weth, 'price'))).toBe(usd))
      expect(await valueOf(page, weth, 'state')).toBe('live')
    }
    await eventually(async () => expect(await valueOf(page, weth, 'buy')).toBe('136737'))
    expect(await valueOf(page, weth, 'sell')).toBe('999.50')
    expect(await valueOf(page, wbtc, 'state')).toBe('waiting')
  })

  it('is stale when no price arrives, and counts its age up', async () => {
    const market = new TestMarket()
    const page = await openDashboard(await startTestDashboard(market.client, { staleAfter: 300 }))
    market.sendEth(2500)
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('stale'))
    expect(await valueOf(page, weth, 'price')).toBe('2500.0000')
    const ages = new Set<number>()
    await eventually(async () => {
      ages.add(parseInt(await valueOf(page, weth, 'age')))
      expect(ages.size).toBeGreaterThan(2)
    })
    expect([...ages]).toEqual([...ages].sort((a, b) => a - b))
    expect((await logOf(page))[0]).toMatch(/^ETH, BTC: no price for/)
  })

  it('is rejected, with the text of the service', async () => {
    const market = new TestMarket()
    market.failBtc(subscriptionRejected(btcTopic, 'Unsupported token pair'))
    const page = await openDashboard(await startTestDashboard(market.client))
    await eventually(async () => expect(await valueOf(page, wbtc, 'state')).toBe('rejected'))
    expect(await page.locator(`[data-token="${wbtc}"] .reason`).textContent()).toBe('Unsupported token pair')
  })

  it('shows why there is no depth, whatever the price', async () => {
    const market = new TestMarket()
    const page = await openDashboard(await startTestDashboard(market.client))
    market.sendEth(2500)
    market.failDepth(httpError(429, 'too many requests', undefined))
    await eventually(async () => expect(await valueOf(page, weth, 'buy')).toBe('HTTP 429'))
    expect(await valueOf(page, weth, 'sell')).toBe('HTTP 429')
    // Depth and prices arrive by different connections, in any order.
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('live'))
  })

  it('looks different while its price is not current', async () => {
    const market = new TestMarket()
    const page = await openDashboard(await startTestDashboard(market.client, { staleAfter: 300 }))
    const look = () =>
      field(page, weth, 'price').evaluate((element) => {
        const { color, textDecorationLine } = getComputedStyle(element)
        return { color, textDecorationLine }
      })
    market.sendEth(2500)
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('stale'))
    const stale = await look()
    market.disconnect('reset')
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('down'))
    const down = await look()
    market.connect()
    const live = await eventually(async () => {
      market.sendEth(2501)
      expect(await valueOf(page, weth, 'state')).toBe('live')
      return look()
    })
    expect(live).toMatchObject({ textDecorationLine: 'none' })
    expect(stale).toMatchObject({ textDecorationLine: 'underline' })
    expect(down).toMatchObject({ textDecorationLine: 'line-through', color: stale.color })
    expect(stale.color).not.toBe((live as typeof stale).color)
  })
})

describe('the connection of the dashboard', () => {
  it('shows that the service is lost and why, on every card, and that it is back, without a reload', async () => {
    const market = new TestMarket()
    const page = await openDashboard(await startTestDashboard(market.client))
    market.sendEth(2500)
    market.sendBtc(60_000)
    await eventually(async () => expect(await valueOf(page, wbtc, 'state')).toBe('live'))
    market.disconnect('connection refused')
    await eventually(async () => expect(await connectionOf(page)).toBe('service lost'))
    await eventually(async () => {
      expect(await valueOf(page, weth, 'state')).toBe('down')
      expect(await valueOf(page, wbtc, 'state')).toBe('down')
    })
    expect(await page.locator('[role="status"]').textContent()).toContain('connection refused')
    market.connect()
    await eventually(async () => expect(await connectionOf(page)).toBe('connected'))
    market.sendEth(2501)
    market.sendBtc(60_001)
    await eventually(async () => {
      expect(await valueOf(page, weth, 'price')).toBe('2501.0000')
      expect(await valueOf(page, wbtc, 'state')).toBe('live')
    })
    const log = await logOf(page)
    expect(log.at(-1)).toBe('Connected to the service.')
    expect(log.at(-2)).toBe('Service lost: connection refused. Connecting again.')
    expect(log.at(-3)).toMatch(/^Connected again after \d+ s\.$/)
  })

  it('shows that its own server is gone, and connects to the next one', async () => {
    const market = new TestMarket()
    const server = await startTestDashboard(market.client)
    const page = await openDashboard(server)
    market.sendEth(2500)
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('live'))
    await server.close()
    await eventually(async () => expect(await connectionOf(page)).toBe('dashboard stopped'))
    expect(await valueOf(page, weth, 'state')).toBe('down')
    await startTestDashboard(market.client, {}, Number(new URL(server.url).port))
    await eventually(async () => expect(await connectionOf(page)).toBe('connected'))
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('live'))
  })
})
