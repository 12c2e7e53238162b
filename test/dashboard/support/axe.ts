import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core finds on a page: the violations of WCAG 2.1, levels A and AA, and of good practice. */
export const violationsOf = async (page: Page): Promise<readonly string[]> => {
  // The protocol of the browser evaluates it: the page's own policy refuses other scripts.
  await page.evaluate(source)
  const { violations, passes } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run: () => Promise<AxeResults> } }).axe.run(),
  )
  if (passes.length === 0) return ['axe-core has checked nothing']
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 100)).join(' ')}`,
  )
}
