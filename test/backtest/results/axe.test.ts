import { chromium } from 'playwright-core'
import { renderReport } from 'svc-streams/paper'
import fc from 'fast-check'
import { expect, inject, it, onTestFinished } from 'vitest'
import { violationsOf } from '../../dashboard/support/axe.js'
import { renderSweep } from '../../../src/cli/render/sweep-page.js'
import { randomEvents } from './support/events.js'

it.each(['dark', 'light'] as const)(
  'a report and the page of a sweep have no violation that axe-core finds (%s)',
  async (colorScheme) => {
    const browser = await chromium.connect(inject('chromium'))
    onTestFinished(() => browser.close())
    const page = await (await browser.newContext({ colorScheme })).newPage()
    for (const events of [[], ...fc.sample(randomEvents, { seed: 1, numRuns: 4 })]) {
      await page.setContent(renderReport(events, { title: 'Run', notes: ['Depth is assumed.'] }))
      expect(await violationsOf(page)).toEqual([])
    }
    const rows = [1, 2, 3].flatMap((fast) =>
      [4, 5, 6].map((slow) => ({
        ...{ name: `${fast} ${slow}`, fields: { fast, slow }, figures: { profit: fast * slow } },
        ...{ curve: [], failure: undefined },
      })),
    )
    for (const some of [rows, rows.slice(0, 3)]) {
      const sweep = { title: 'Sweep', metric: 'profit', notes: ['A note.'], command: 'npx x' }
      await page.setContent(renderSweep(some, sweep))
      expect(await violationsOf(page)).toEqual([])
    }
  },
)
