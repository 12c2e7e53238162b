import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { httpError, subscriptionRejected } from '../../../src/base/errors/constructors.js'
import { whenMeasured } from '../../base/diagnostics/support/connection-state.js'
import { createClientFor, startTestSimulator } from '../../support/simulator.js'
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
import { btc, eth } from '../support/tokens.js'

/** The number of loads of a page from now on. */
const countLoads = (page: Page): (() => number) => {
  let loads = 0
  page.on('load', () => (loads += 1))
  return () => loads
}

describe('a card of the dashboard', () => {
  it('shows the values that the client delivers', async () => {
    const market = new TestMarket()
    const page = await openDashboard(await startTestDashboard(market.client))
    expect(await valueOf(page, weth, 'symbol')).toBe('ETH')
    expect(await valueOf(page, weth, 'state')).toBe('waiting')
    await eventually(async () => expect(await connectionOf(page)).toBe('connected'))
    const buy = { totalQuantity: 50_973_900_000_000_000_000n, totalQuantityUsd: 136_737.74 }
    market.sendDepth(buy, { totalQuantity: 7_104_346_000_000_000_000_000n, totalQuantityUsd: 999.5 })
    for (const usd of [2500, 2682.505, 0.000012, 123_456.789]) {
      market.sendEth(usd)
      await eventually(async () => expect(Number(await valueOf(page, weth, 'price'))).toBe(usd))
      expect(await valueOf(page, weth, 'state')).toBe('live')
    }
    await eventually(async () => expect(await valueOf(page, weth, 'buy')).toBe('136737'))
    expect(await valueOf(page, weth, 'sell')).toBe('999.50')
    // Groups of digits are separated alike in prices, amounts and quantities.
    const groups = page.locator(`[data-token="${weth}"] .group`)
    expect(await groups.allTextContents()).toEqual(['456.78', '737', '104.346 ETH'])
    const quantities = await page.locator(`[data-token="${weth}"] .quantity`).allInnerTexts()
    expect(quantities.map((text) => text.trim())).toEqual(['50.974 ETH', '7104.346 ETH'])
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
    expect((await logOf(page))[0]).toMatch(/\bETH\b.*: no price for/)
  })

  it('is stale after the machine has slept, until the next price', async () => {
    const market = new TestMarket()
    const page = await openDashboard(await startTestDashboard(market.client))
    market.sendEth(2500)
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('live'))
    // The clock of timers has stood still.
    await page.evaluate(() => {
      const real = Date.now
      Date.now = () => real() + 3_600_000
    })
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('stale'))
    expect(await page.getByRole('status').getAttribute('data-health')).toBe('bad')
    market.sendEth(2501)
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('live'))
  })

  it('is not live with a price from before a suspend, while the service has not answered since', async () => {
    const simulator = await startTestSimulator()
    const confirmations: unknown[] = []
    const page = await openDashboard(
      await startTestDashboard(createClientFor(simulator)),
      {},
      async (opened) =>
        void opened.on('websocket', (socket) =>
          socket.on('framereceived', ({ payload }) => {
            if (String(payload).includes('subscriptions')) confirmations.push(payload)
          }),
        ),
    )
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('live'))
    // Those of two tokens, then the answers to probes of the page.
    await eventually(() => expect(confirmations.length).toBeGreaterThan(3))
    simulator.inject({ stall: true })
    const shown = await page.evaluate(async (card) => {
      const real = Date.now
      Date.now = () => real() + 20_000
      const textOf = (name: string) => document.querySelector(`${card} [data-field="${name}"]`)?.textContent
      const texts = new Set<string>()
      while (textOf('state') === 'live') {
        texts.add(`${textOf('state')} ${textOf('age')}`)
        await new Promise(requestAnimationFrame)
      }
      return [...texts]
    }, `[data-token="${weth}"]`)
    expect(shown.filter((text) => /^live [12]\d s$/.test(text))).toEqual([])
  })

  it('is rejected, with the text of the service', async () => {
    const market = new TestMarket()
    market.failBtc(subscriptionRejected(btcTopic, 'Unsupported token pair'))
    const page = await openDashboard(await startTestDashboard(market.client))
    await eventually(async () => expect(await valueOf(page, wbtc, 'state')).toBe('rejected'))
    expect(await page.locator(`[data-token="${wbtc}"] .reason`).textContent()).toBe('Unsupported token pair')
  })

  it('has a label in its chart while that is empty', async () => {
    const market = new TestMarket()
    const page = await openDashboard(await startTestDashboard(market.client))
    const labelOf = (token: string) => page.locator(`[data-token="${token}"] .chart .none`).textContent()
    market.sendEth(2500)
    await eventually(async () => expect(await labelOf(weth)).toBe(''))
    expect(await labelOf(wbtc)).toBe('No prices')
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
    // The state and the look at one time: the next state may come at any time.
    const lookWhile = async (state: string, prepare: () => void = () => undefined) => {
      let look = { color: '', line: '' }
      await eventually(async () => {
        prepare()
        const now = await field(page, weth, 'price').evaluate((element) => {
          const { color, textDecorationLine: line } = getComputedStyle(element)
          return { state: element.closest('article')?.dataset['state'], look: { color, line } }
        })
        expect(now.state).toBe(state)
        look = now.look
      })
      return look
    }
    market.sendEth(2500)
    const stale = await lookWhile('stale')
    market.disconnect('reset')
    const down = await lookWhile('down')
    market.connect()
    const live = await lookWhile('live', () => market.sendEth(2501))
    expect(live.line).toBe('none')
    expect(stale.line).toBe('underline')
    expect(down).toEqual({ line: 'underline', color: stale.color })
    expect(stale.color).not.toBe(live.color)
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
    const status = page.locator('[role="status"]')
    expect(await status.textContent()).toContain('connecting again')
    expect(await status.getAttribute('title')).toBe('connection refused')
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
    expect(log.at(-2)).toBe('Service lost, connecting again: connection refused.')
    expect(log.at(-3)).toMatch(/^Connected again after \d+ s\.$/)
  })

  it('shows that the prices are behind, on every card, until they are current again', async () => {
    const market = new TestMarket()
    const page = await openDashboard(await startTestDashboard(market.client))
    market.sendEth(2500)
    market.sendBtc(60_000)
    await eventually(async () => expect(await valueOf(page, wbtc, 'state')).toBe('live'))
    market.fallBehind(5234)
    await eventually(async () => expect(await connectionOf(page)).toBe('behind'))
    expect(await valueOf(page, weth, 'state')).toBe('stale')
    expect(await valueOf(page, wbtc, 'state')).toBe('stale')
    expect(await page.locator(`[data-token="${weth}"] .reason`).textContent()).toBe('the prices are behind')
    market.catchUp()
    market.sendEth(2501)
    market.sendBtc(60_000)
    await eventually(async () => {
      expect(await valueOf(page, weth, 'state')).toBe('live')
      expect(await valueOf(page, wbtc, 'state')).toBe('live')
      expect(await connectionOf(page)).toBe('connected')
    })
    expect((await logOf(page)).slice(0, 2)).toEqual([
      'The prices are current again.',
      'The prices are 5.2 s behind, and are held until they are current.',
    ])
  })

  it('is shown with the prices and the depths: the worst of them, in the title too', async () => {
    const market = new TestMarket()
    const page = await openDashboard(await startTestDashboard(market.client, { staleAfter: 300 }))
    const status = page.getByRole('status')
    const expectHealth = (health: string, text: string, title = text) =>
      eventually(async () => {
        // A check may come later than `staleAfter`.
        if (health !== 'bad') market.sendEth(2500)
        if (health === 'good') market.sendBtc(60_000)
        expect(await status.getAttribute('data-health')).toBe(health)
        expect((await status.textContent())?.trim()).toBe(`connected ${text}`)
        expect(await page.title()).toBe(`${title === '' ? '' : `${title} · `}Live prices · svc-streams`)
      })
    await expectHealth('good', 'all 2 prices are current', '')
    await expectHealth('warn', 'the price of BTC is not current')
    market.failDepth(httpError(429, 'too many requests', undefined))
    await expectHealth('warn', 'the price of BTC is not current, the depth of ETH is not current')
    await expectHealth('bad', 'no price is current, the depth of ETH is not current')
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('stale'))
    // A usual lag is not shown.
    expect(await page.locator(`[data-token="${weth}"] .flow`).textContent()).toBe('')
  })

  it('shows that a service which answers no ping is behind, and that it has caught up, over real sockets', async () => {
    const simulator = await startTestSimulator()
    // Longer than the interval at which the page asks its server.
    const client = createClientFor(simulator, { maxLag: 4_000, reconnect: { initialDelay: 1 } })
    const page = await openDashboard(await startTestDashboard(client))
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('live'))
    await whenMeasured(simulator.priceWsUrl)
    simulator.inject({ stall: true })
    await eventually(async () => expect(await connectionOf(page)).toBe('behind'))
    expect(await valueOf(page, weth, 'state')).toBe('stale')
    simulator.inject({})
    await eventually(async () => {
      expect(await valueOf(page, weth, 'state')).toBe('live')
      expect(await connectionOf(page)).toBe('connected')
    })
  })

  it('shows that its own server is gone, and connects to the next one', async () => {
    const market = new TestMarket()
    const server = await startTestDashboard(market.client)
    const page = await openDashboard(server)
    market.sendEth(2500)
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('live'))
    const loads = countLoads(page)
    await server.close()
    await eventually(async () => expect(await connectionOf(page)).toBe('dashboard stopped'))
    expect(await valueOf(page, weth, 'state')).toBe('down')
    const [stopped, connected] = await logOf(page)
    expect(stopped).toMatch(/^The server of this page does not answer/)
    expect(connected).toBe('Connected to the service.')
    await startTestDashboard(market.client, {}, Number(new URL(server.url).port))
    await eventually(async () => expect(await connectionOf(page)).toBe('connected'))
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('live'))
    expect(loads()).toBe(0)
  })

  it('reloads when the next server of the page shows other tokens', async () => {
    const market = new TestMarket()
    const server = await startTestDashboard(market.client, { tokens: [eth] })
    const page = await openDashboard(server)
    await eventually(async () => expect(await connectionOf(page)).toBe('connected'))
    const loads = countLoads(page)
    await server.close()
    await startTestDashboard(market.client, { tokens: [btc] }, Number(new URL(server.url).port))
    await page.locator(`[data-token="${wbtc}"]`).waitFor()
    expect(await page.locator('[data-token]').count()).toBe(1)
    await eventually(() => loads() === 1)
  })
})
