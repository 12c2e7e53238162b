import type { Page } from 'playwright-core'
import { weth } from '../../support/tokens.js'

/** Where the chart of ETH has a line: shares of its width, from each start to its end. */
export const linesOf = (page: Page): Promise<readonly (readonly [from: number, to: number])[]> =>
  page.locator(`[data-token="${weth}"] path.line`).evaluate((line) => {
    const width = Number(line.parentElement?.getAttribute('viewBox')?.split(' ')[2])
    const parts = (line.getAttribute('d') ?? '').split('M').slice(1)
    return parts.map((part) => {
      const ends = [part, ...part.split('H').slice(1)].map((text) => parseFloat(text) / width)
      return [ends[0] ?? 0, ends.at(-1) ?? 0] as const
    })
  })
