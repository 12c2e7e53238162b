import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'

/** The CPU time of the main thread of a page, as a percentage of one core. */
export interface PageCpu {
  /** Scripts. */
  readonly scripts: number
  /** All tasks: scripts, style, layout, paint. */
  readonly tasks: number
}

/** Measures a page in consecutive windows of time, in ms. */
export const pageCpu = async (page: Page, windows: number, windowMs: number): Promise<readonly PageCpu[]> => {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    const seconds = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? NaN
    return {
      scripts: seconds('ScriptDuration'),
      tasks: seconds('ThreadTime'),
      at: seconds('Timestamp'),
    }
  }
  const values: PageCpu[] = []
  let before = await read()
  while (values.length < windows) {
    await delay(windowMs)
    const after = await read()
    const percent = (name: keyof PageCpu) => (100 * (after[name] - before[name])) / (after.at - before.at)
    values.push({ scripts: percent('scripts'), tasks: percent('tasks') })
    before = after
  }
  await session.detach()
  return values
}
