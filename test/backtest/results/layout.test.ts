import { chromium } from 'playwright-core'
import { market, renderReport, type PaperEvent } from 'svc-streams/paper'
import { expect, inject, it, onTestFinished } from 'vitest'
import { eventually } from '../../support/time/eventually.js'
import { violationsOf } from '../../dashboard/support/axe.js'

const start = 1_700_000_000_000

/** 2000 fills, of 1000 round trips, whose prices go around a circle. */
const events = Array.from({ length: 2_000 }, (_, index): readonly PaperEvent[] => {
  const at = start + index * 60_000
  const price = 100 + 10 * Math.sin(index / 30)
  const side = index % 2 === 0 ? 'buy' : 'sell'
  return [
    {
      ...{ _tag: 'Filled', id: String(index), order: market('X', side, { units: 1n }), symbol: 'X', side },
      ...{
        decidedAt: at,
        at,
        price,
        quantity: 1n,
        valueUsd: price,
        remaining: 0n,
        feeUsd: 0,
        slippageUsd: 0,
      },
    },
    { _tag: 'Equity', at, equityUsd: 1_000 + Math.cos(index / 30), isCurrent: true, prices: { X: price } },
  ]
}).flat()

const rejected: PaperEvent = {
  ...{
    _tag: 'Rejected',
    id: 'a',
    order: market('X', 'buy', { units: 1n }),
    decidedAt: start,
    at: start + 60_000,
  },
  reason: 'there is no cash',
}

it('a report with 2000 fills is at most 4000 px high, and its long tables scroll in place', async () => {
  const browser = await chromium.connect(inject('chromium'))
  onTestFinished(() => browser.close())
  const page = await (await browser.newContext({ viewport: { width: 1_280, height: 800 } })).newPage()
  await page.setContent(renderReport([...events, rejected], { title: 'Run', notes: ['Depth is assumed.'] }))
  const height = () => page.evaluate<number>('document.documentElement.scrollHeight')
  expect(await height()).toBeLessThan(4_000)
  const trips = page.getByRole('region', { name: 'Round trips: 1,000' })
  const shown = (await trips.boundingBox())?.height
  expect(shown).toBeLessThan(500)
  const saved = await page.getByRole('link', { name: 'Save the round trips as CSV' }).getAttribute('href')
  const lines = decodeURIComponent(saved ?? '')
    .trimEnd()
    .split('\n')
  expect(lines).toHaveLength(1_001)
  expect(lines[1]).toContain('"X","buy","2023-11-14 22:13:20.000","2023-11-14 22:14:20.000",1,100,')
  // What limits the figures is between them and the charts.
  const top = async (selector: string) => (await page.locator(selector).first().boundingBox())?.y ?? NaN
  expect(await top('dl')).toBeLessThan(await top('section'))
  expect(await top('section')).toBeLessThan(await top('figure'))
  expect(await page.locator('section').textContent()).toMatch(/Depth is assumed.*there is no cash/s)
  // Marks that are near each other are one.
  const marks = await page.locator('use.buy').count()
  expect(marks).toBeLessThan(500)
  await page.setContent(renderReport([...events.slice(0, 40), rejected], { title: 'Run' }))
  expect(await violationsOf(page)).toEqual([])
})

it('the pointer and the keys move a crosshair on each chart, with the time and the value', async () => {
  const browser = await chromium.connect(inject('chromium'))
  onTestFinished(() => browser.close())
  const page = await (await browser.newContext({ viewport: { width: 1_280, height: 800 } })).newPage()
  const problems: string[] = []
  page.on('console', (message) => problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(String(error)))
  await page.setContent(renderReport(events.slice(0, 40), { title: 'Run' }))
  const slider = page.getByRole('slider', { name: 'Time on the chart Equity, USD' })
  const readout = page.locator('figure').first().locator('.readout')
  expect(await readout.isVisible()).toBe(false)
  await slider.hover({ position: { x: 1, y: 50 } })
  await eventually(async () => expect(await readout.textContent()).toBe('2023-11-14 22:13:20 · 1,001.00'))
  await page.mouse.move(0, 0)
  expect(await readout.isVisible()).toBe(false)
  // The last figure, whose meaning is shown with the focus, is before the first chart.
  const figure = page.locator('dl div').last()
  const opacity = () =>
    page.evaluate<string>("getComputedStyle([...document.querySelectorAll('.meaning')].at(-1)).opacity")
  expect(await opacity()).toBe('0')
  await figure.focus()
  expect(await opacity()).toBe('1')
  await page.keyboard.press('Tab')
  expect(await readout.textContent()).toBe('2023-11-14 22:32:20 · 1,000.81')
  await page.keyboard.press('ArrowLeft')
  expect(await slider.getAttribute('aria-valuetext')).toBe('2023-11-14 22:31:20 · 1,000.83')
  await page.keyboard.press('Home')
  expect(await slider.getAttribute('aria-valuenow')).toBe('0')
  await page.keyboard.press('Escape')
  expect(await readout.isVisible()).toBe(false)
  // A part of the time fills the chart, and the chart the page, as on the dashboard.
  const whole = page.getByRole('button', { name: 'Whole range' })
  const timesOf = () => page.locator('figure').first().locator('.times text').allTextContents()
  const before = await timesOf()
  await page.keyboard.press('+')
  expect(await whole.isVisible()).toBe(true)
  expect(await timesOf()).not.toEqual(before)
  await whole.click()
  expect(await timesOf()).toEqual(before)
  await slider.press('Enter')
  const widthOf = async () => (await page.locator('figure').first().boundingBox())?.width
  expect(await widthOf()).toBe(1_280)
  await page.keyboard.press('Escape')
  expect(await widthOf()).toBeLessThan(1_280)
  expect(problems).toEqual([])
})
