import { chromium } from 'playwright-core'
import { expect, inject, onTestFinished } from 'vitest'
import { eventually } from '../../support/time/eventually.js'
import { attach } from './attach.js'
import type { Evaluator } from './page.js'

/** A page that can be hidden, frozen and left. Playwright keeps its own pages visible. */
export interface Tab extends Evaluator {
  /** Minimizes the window of the tab: Chromium throttles its timers. */
  readonly hide: () => Promise<unknown>
  readonly show: () => Promise<unknown>
  /** Stops the scripts and timers of the tab, as Chromium does to tabs that stay in the background. */
  readonly freeze: () => Promise<unknown>
  readonly resume: () => Promise<unknown>
  /** Loads a page in the tab. */
  readonly navigate: (url: string) => Promise<void>
}

/** The result of the method `Runtime.evaluate`. */
interface Evaluation {
  readonly result: { readonly value?: unknown }
  readonly exceptionDetails?: unknown
}

/** Opens a tab that has loaded the library. Closes it after the test. */
export const openTab = async (): Promise<Tab> => {
  const browser = await chromium.connect(inject('chromium'))
  onTestFinished(() => browser.close())
  const session = await browser.newBrowserCDPSession()
  // Playwright ignores the pages of a context that it has not created.
  const { browserContextId } = await session.send('Target.createBrowserContext')
  onTestFinished(async () => {
    await session.send('Target.disposeBrowserContext', { browserContextId })
  })
  const { targetId } = await session.send('Target.createTarget', { url: 'about:blank', browserContextId })
  const { windowId } = await session.send('Browser.getWindowForTarget', { targetId })
  const call = await attach(session, targetId)

  const setWindowState = (windowState: 'minimized' | 'normal') =>
    session.send('Browser.setWindowBounds', { windowId, bounds: { windowState } })

  const evaluate = async (code: string | (() => unknown), argument?: unknown): Promise<unknown> => {
    const expression = typeof code === 'string' ? code : `(${code.toString()})(${JSON.stringify(argument)})`
    const options = { expression, awaitPromise: true, returnByValue: true }
    const { result, exceptionDetails } = (await call('Runtime.evaluate', options)) as Evaluation
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return result.value
  }

  const navigate = async (url: string): Promise<void> => {
    await call('Page.navigate', { url })
    await eventually(async () =>
      expect(await evaluate('[document.readyState, location.href]')).toEqual(['complete', url]),
    )
  }

  await navigate(inject('pageUrl'))
  return {
    evaluate: evaluate as Evaluator['evaluate'],
    hide: () => setWindowState('minimized'),
    show: () => setWindowState('normal'),
    freeze: async () => {
      await evaluate(
        `document.addEventListener('freeze', () => (globalThis.isFrozen = true), { once: true })`,
      )
      await call('Page.setWebLifecycleState', { state: 'frozen' })
      // The command ends before a busy tab has stopped its scripts.
      await eventually(async () => expect(await evaluate('globalThis.isFrozen')).toBe(true))
    },
    resume: () => call('Page.setWebLifecycleState', { state: 'active' }),
    navigate,
  }
}
