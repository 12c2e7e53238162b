import { chromium, type Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { openTab } from '../../browser/support/tab.js'
import { eventually } from '../../support/time/eventually.js'
import { buildStorePages, frameworks, startStoreMarket, type Probe } from '../support/store-pages.js'

let servePages: () => Promise<string>
beforeAll(async () => {
  servePages = await buildStorePages()
})

const openPage = async (url: string): Promise<Page> => {
  const browser = await chromium.connect(inject('chromium'))
  const page = await browser.newPage()
  const errors: unknown[] = []
  page.on('pageerror', (error) => errors.push(error))
  onTestFinished(async () => {
    await browser.close()
    expect(errors).toEqual([])
  })
  await page.goto(url)
  return page
}

const probeOf = (page: Pick<Page, 'evaluate'>): Promise<Probe> => page.evaluate('({ ...probe })')

/** The distinct texts of the rows, without their symbols. */
const distinctRows = (page: Pick<Page, 'evaluate'>): Promise<readonly string[]> =>
  page.evaluate(
    `[...new Set(Array.from(document.querySelectorAll('tbody tr'), (row) =>
      Array.from(row.cells).slice(1).map((cell) => cell.textContent).join(' ')))]`,
  )

const rowCount = (page: Pick<Page, 'evaluate'>): Promise<number> =>
  page.evaluate('document.querySelectorAll("tbody tr").length')

describe.each(frameworks)('the store page for %s', (framework) => {
  test('shows 50 prices over one connection, and which of them are not current', async () => {
    const { simulator, query, publish, countTopics } = await startStoreMarket()
    const page = await openPage(`${await servePages()}/${framework}/${query}`)
    await eventually(async () => expect(await distinctRows(page)).toEqual(['1 0% live']))
    expect(await rowCount(page)).toBe(50)
    publish()
    await eventually(async () => expect(await distinctRows(page)).toEqual(['2 +100% live']))
    expect({ upgrades: simulator.upgrades, subscribed: countTopics('subscribe') }).toEqual({
      upgrades: 1,
      subscribed: 50,
    })
    await simulator.close()
    await eventually(async () => expect(await distinctRows(page)).toEqual(['2 +100% down']))
    expect(await page.evaluate('getComputedStyle(document.querySelector("td")).textDecorationLine')).toBe(
      'line-through',
    )
  })

  test('names its table, columns and rows for assistive technology', async () => {
    const { query } = await startStoreMarket()
    const page = await openPage(`${await servePages()}/${framework}/${query}`)
    const table = page.getByRole('table', { name: 'Prices in USD' })
    await table.getByRole('row', { name: 'T50 1 0% live' }).waitFor()
    expect(await table.getByRole('columnheader').allTextContents()).toEqual([
      'Token',
      'Price',
      'Change',
      'State',
    ])
    expect(await table.getByRole('rowheader').count()).toBe(50)
    expect(await page.getByRole('checkbox', { name: 'Show prices' }).isChecked()).toBe(true)
    expect(await page.title()).toBe('Live prices')
    expect(await page.getAttribute('html', 'lang')).toBe('en')
  })

  test('keeps its connection when the prices are hidden and shown again, and unsubscribes when they stay hidden', async () => {
    const { simulator, query, countTopics } = await startStoreMarket()
    const page = await openPage(`${await servePages()}/${framework}/${query}`)
    await eventually(async () => expect(await distinctRows(page)).toEqual(['1 0% live']))
    // In one run of timers: the second click is due before the topics have lingered.
    await page.evaluate(async () => {
      const scope = globalThis as unknown as {
        readonly document: { querySelector: (selector: string) => { click: () => void } }
      }
      scope.document.querySelector('input').click()
      await new Promise((resolve) => setTimeout(resolve))
      scope.document.querySelector('input').click()
    })
    await eventually(async () => expect(await distinctRows(page)).toEqual(['1 0% live']))
    expect(await probeOf(page)).toMatchObject({ sockets: 1 })
    expect(simulator.upgrades).toBe(1)
    expect([countTopics('subscribe'), countTopics('unsubscribe')]).toEqual([50, 0])
    await page.getByRole('checkbox').uncheck()
    expect(await rowCount(page)).toBe(0)
    await eventually(() => expect(countTopics('unsubscribe')).toBe(50))
    await eventually(() => expect(simulator.connections).toEqual([]))
  })

  test('in a hidden tab renders nothing and queues nothing, and shows the newest prices on return', async () => {
    const { query, publishMany } = await startStoreMarket()
    const tab = await openTab()
    await tab.navigate(`${await servePages()}/${framework}/${query}`)
    await eventually(async () => expect(await distinctRows(tab)).toEqual(['1 0% live']))
    await tab.hide()
    await eventually(async () => expect(await tab.evaluate('document.visibilityState')).toBe('hidden'))
    const before = await probeOf(tab)
    const rendered = await distinctRows(tab)
    const newest = await publishMany(2000)
    await eventually(async () =>
      expect((await probeOf(tab)).messages).toBeGreaterThanOrEqual(before.messages + 2000),
    )
    const hidden = await probeOf(tab)
    // A frame may have begun before.
    expect(hidden.frames).toBeLessThanOrEqual(before.frames + 1)
    expect(hidden.waiting).toBe(50)
    expect(await distinctRows(tab)).toEqual(rendered)
    await tab.show()
    await eventually(async () => expect((await distinctRows(tab))[0]).toMatch(`${newest} `))
    expect(await distinctRows(tab)).toHaveLength(1)
  })
})
