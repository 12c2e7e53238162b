import { right } from 'fp-ts/lib/Either.js'
import type { Page } from 'playwright-core'
import { from } from 'rxjs'
import type { History } from 'svc-streams/history'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../support/time/eventually.js'
import { weth } from '../../support/tokens.js'
import { openDashboard, startTestDashboard, valueOf } from '../support/open-dashboard.js'
import { historyOf, past } from '../support/history.js'
import { TestMarket } from '../support/test-market.js'
import { eth } from '../support/tokens.js'
import { linesOf } from './chart-lines.js'

const card = `[data-token="${weth}"]`

/** A page with two prices of ETH in its chart, in different slots. */
const openChart = async (history?: History) => {
  const market = new TestMarket()
  const page = await openDashboard(await startTestDashboard(market.client, {}, 0, history))
  market.sendEth(2400)
  await eventually(async () => expect(await valueOf(page, weth, 'age')).toMatch(/^[1-9]/))
  market.sendEth(2500)
  await eventually(async () => expect(await valueOf(page, weth, 'price')).toBe('2500.0000'))
  return { market, page, slider: page.getByRole('slider', { name: 'Time on the chart of ETH' }) }
}

const readoutOf = async (page: Page): Promise<string> =>
  (await page.locator(`${card} .readout`).textContent()) ?? ''

const moment = /^\d\d:\d\d:\d\d\.\d{3}$/

describe('the chart of the dashboard', () => {
  it('shows the exact time and price at the pointer', async () => {
    const { page, slider } = await openChart()
    const { width, height } = (await slider.boundingBox()) ?? { width: 0, height: 0 }
    const readout = page.locator(`${card} .readout`)
    expect(await readout.isVisible()).toBe(false)
    const times: string[] = []
    for (const [x, price] of [
      [3, 'no price'],
      [width - 2, '2,500.0000 USD'],
    ] as const) {
      // The last price is at the right end until the line has moved on.
      await eventually(async () => {
        await slider.hover({ position: { x, y: height / 2 } })
        expect(await readoutOf(page)).toMatch(new RegExp(` · ${price}$`))
      })
      const [time = ''] = (await readoutOf(page)).split(' · ')
      expect(time).toMatch(moment)
      times.push(time)
    }
    expect(times[0]).not.toBe(times[1])
    await page.getByRole('searchbox').hover()
    expect(await readout.isVisible()).toBe(false)
  })

  it('shows them to the keyboard and to a screen reader, price by price', async () => {
    // The gap begins at the time of the price before it: two samples have one time.
    const at = Date.now() - 100_000
    const gap = { _tag: 'Gap', topic: 'svc-0x', from: at, to: at + 50_000, cause: 'stale' } as const
    const { page, slider } = await openChart(historyOf(from([right(past(at, 2300)), right(gap)])))
    const label = () => page.locator(`${card} .chart`).getAttribute('aria-label')
    await eventually(async () => expect(await label()).toContain('lowest 2,300.0000'))
    await page.getByRole('button', { name: 'Theme' }).focus()
    await page.keyboard.press('Tab')
    expect(await slider.evaluate((element) => element === document.activeElement)).toBe(true)
    const valueOfSlider = () => slider.getAttribute('aria-valuetext')
    expect(await valueOfSlider()).toMatch(/ · 2,500\.0000 USD$/)
    await page.keyboard.press('ArrowLeft')
    expect(await valueOfSlider()).toMatch(/ · 2,400\.0000 USD$/)
    expect(await readoutOf(page)).toBe(await valueOfSlider())
    await page.keyboard.press('End')
    expect(await valueOfSlider()).toMatch(/ · 2,500\.0000 USD$/)
    await page.keyboard.press('Home')
    expect(await slider.getAttribute('aria-valuenow')).toBe('0')
    await page.keyboard.press('ArrowRight')
    expect(await valueOfSlider()).toMatch(/ · no price$/)
    await page.keyboard.press('ArrowLeft')
    expect(await valueOfSlider()).toMatch(/ · 2,300\.0000 USD$/)
    await page.keyboard.press('Escape')
    expect(await page.locator(`${card} .readout`).isVisible()).toBe(false)
  })

  it('fills the page below the tools after a click or Enter, until Escape', async () => {
    const { page, slider } = await openChart()
    const { width: windowWidth } = page.viewportSize() ?? { width: 0 }
    const widthOf = async () => (await page.locator(`${card}.card`).boundingBox())?.width ?? 0
    for (const enlarge of [() => slider.click(), () => slider.press('Enter')]) {
      expect(await widthOf()).toBeLessThan(windowWidth)
      await enlarge()
      expect(await widthOf()).toBe(windowWidth)
      await page.locator('[data-range="1h"]').click()
      await slider.focus()
      await page.keyboard.press('Escape')
    }
    expect(await widthOf()).toBeLessThan(windowWidth)
  })

  it('has at least three prices beside it, whatever the last price covers', async () => {
    const market = new TestMarket()
    const page = await openDashboard(await startTestDashboard(market.client, { tokens: [eth] }))
    const texts = page.locator(`${card} .values text`)
    for (const usd of [2500, 2510, 2503, 2507.5, 2505]) {
      market.sendEth(usd)
      await eventually(async () => expect(await valueOf(page, weth, 'price')).toBe(usd.toFixed(4)))
      await eventually(async () => {
        const numbers = (await texts.allTextContents()).map((text) => Number(text.replaceAll(',', '')))
        expect(numbers.at(-1)).toBe(usd)
        expect(numbers.length).toBeGreaterThan(3)
      })
      const boxes = await texts.evaluateAll((all) =>
        all.map((text) => text.getBoundingClientRect().toJSON() as DOMRect),
      )
      const sorted = boxes.toSorted((a, b) => a.top - b.top)
      for (const [index, { bottom }] of sorted.slice(0, -1).entries())
        expect(bottom).toBeLessThanOrEqual((sorted[index + 1]?.top ?? 0) + 1)
    }
  })

  it('is drawn on a busy page, which learns with one call that it was off and on the screen', async () => {
    const market = new TestMarket()
    const page = await openDashboard(await startTestDashboard(market.client), {}, (opened) =>
      opened.addInitScript(() => {
        const { IntersectionObserver } = globalThis
        globalThis.IntersectionObserver = class extends IntersectionObserver {
          constructor(callback: IntersectionObserverCallback, options?: IntersectionObserverInit) {
            const opposite = ({ target, isIntersecting }: IntersectionObserverEntry) =>
              ({ target, isIntersecting: !isIntersecting }) as IntersectionObserverEntry
            super((entries, observer) => callback([...entries.map(opposite), ...entries], observer), options)
          }
        }
      }),
    )
    market.sendEth(2400)
    const slider = page.getByRole('slider', { name: 'Time on the chart of ETH' })
    await slider.focus()
    // A chart that is not drawn has no times to choose from.
    await eventually(async () => {
      await page.keyboard.press('End')
      expect(await slider.getAttribute('aria-valuetext')).toMatch(/ · 2,400\.0000 USD$/)
    })
  })

  it('shows that there is no current price in a gap', async () => {
    const { market, page, slider } = await openChart()
    market.disconnect('reset')
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('down'))
    await slider.focus()
    await page.keyboard.press('End')
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/ · no price$/)
  })

  it('ends at the printed price, whenever that changes', async () => {
    const { market, page, slider } = await openChart()
    await slider.focus()
    await page.keyboard.press('End')
    await page.evaluate((selector) => {
      const scope = globalThis as unknown as { pairs: (readonly [string, string])[] }
      const [price, readout] = ['[data-field=price]', '.readout'].map((part) =>
        document.querySelector(`${selector} ${part}`),
      )
      scope.pairs = []
      // It is called when the frame that has changed the price is complete.
      const record = () => scope.pairs.push([price?.textContent ?? '', readout?.textContent ?? ''])
      new MutationObserver(record).observe(price!, { subtree: true, childList: true, characterData: true })
    }, card)
    for (let usd = 2501; usd <= 2520; usd += 1) {
      market.sendEth(usd)
      await eventually(async () => expect(await valueOf(page, weth, 'price')).toBe(`${usd}.0000`))
    }
    const pairs = await page.evaluate(
      () => (globalThis as unknown as { pairs: (readonly [string, string])[] }).pairs,
    )
    expect(pairs.length).toBeGreaterThanOrEqual(20)
    expect(
      pairs.filter(([price, readout]) => !readout.replaceAll(',', '').endsWith(` · ${price} USD`)),
    ).toEqual([])
    // A screen reader announces each change of it.
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/ · 2,500\.0000 USD$/)
  })

  it('has the width of its range from the first seconds on', async () => {
    const { page } = await openChart()
    await eventually(async () => {
      const [line] = await linesOf(page)
      expect(line?.[0]).toBeGreaterThan(0.9)
      expect(line?.[1]).toBeGreaterThan(0.95)
    })
  })

  it('shows a selected time, until the whole range is chosen, with the pointer and the keyboard', async () => {
    const { page, slider } = await openChart(historyOf(from([right(past(Date.now() - 100_000, 2300))])))
    const whole = page.locator(card).getByRole('button', { name: 'Whole range' })
    const firstOf = async () => (await linesOf(page))[0]?.[0] ?? 1
    const { x, y, width, height } = (await slider.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    expect(await whole.isVisible()).toBe(false)
    await eventually(async () => expect(await firstOf()).toBeLessThan(0.8))
    const before = await firstOf()
    await page.mouse.move(x + width * 0.4, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + width - 2, y + height / 2)
    await page.mouse.up()
    await eventually(async () => expect(await firstOf()).toBeLessThan(before - 0.1))
    const selected = await firstOf()
    await slider.focus()
    await page.keyboard.press('+')
    await eventually(async () => expect(await firstOf()).toBeLessThan(selected - 0.1))
    await whole.click()
    await eventually(async () => expect(await whole.isVisible()).toBe(false))
    await slider.focus()
    await page.keyboard.press('+')
    await eventually(async () => expect(await whole.isVisible()).toBe(true))
    await page.keyboard.press('Escape')
    await eventually(async () => expect(await whole.isVisible()).toBe(false))
  })
})
