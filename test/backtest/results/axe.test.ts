import { chromium } from 'playwright-core'
import { renderReport } from 'svc-streams/paper'
import fc from 'fast-check'
import { expect, inject, it, onTestFinished } from 'vitest'
import { violationsOf } from '../../dashboard/support/axe.js'
import { randomEvents } from './support/events.js'

it.each(['dark', 'light'] as const)(
  'a report has no violation that axe-core finds (%s)',
  async (colorScheme) => {
    const browser = await chromium.connect(inject('chromium'))
    onTestFinished(() => browser.close())
    const page = await (await browser.newContext({ colorScheme })).newPage()
    for (const events of [[], ...fc.sample(randomEvents, { seed: 1, numRuns: 4 })]) {
      await page.setContent(renderReport(events, { title: 'Run', notes: ['Depth is assumed.'] }))
      expect(await violationsOf(page)).toEqual([])
    }
  },
)
