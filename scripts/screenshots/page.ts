import type { Browser, Page } from 'playwright-core'

/** A size of the window, in CSS pixels, and a theme. */
export interface Look {
  readonly width: number
  readonly height: number
  readonly colorScheme: 'dark' | 'light'
}

/**
 * Opens the page with a clock that is faster than that of the system, so that charts are soon full. `script`: runs before those of
 * the page.
 */
export const openFast = async (
  browser: Browser,
  url: string,
  { width, height, colorScheme }: Look,
  script = '',
): Promise<Page> => {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, timezoneId: 'UTC' })
  const page = await context.newPage()
  await page.addInitScript({ content: `${fastClock};${script}` })
  await page.goto(url)
  return page
}

/** Lets the clock of the page run at the speed of the system. */
export const slowDown = (page: Page): Promise<unknown> => page.evaluate('slowDown()')

/** A picture as WebP, which is half the size of PNG: the pictures of the guide are in the package. */
export const webpOf = async (browser: Browser, png: Buffer): Promise<Buffer> => {
  const page = await browser.newPage()
  const data = await page.evaluate(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${png.toString('base64')}'
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.width
    canvas.height = image.height
    canvas.getContext('2d').drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', 0.55).split(',')[1]
  })()`)
  await page.close()
  return Buffer.from(String(data), 'base64')
}

/** A script as text, because a compiler adds helpers to functions, which do not exist in a page. */
const fastClock = `
  const [realDate, realTime] = [Date.now, performance.now.bind(performance)]
  let [since, gained, factor] = [realTime(), 0, 12]
  const gain = () => gained + (realTime() - since) * (factor - 1)
  Date.now = () => Math.floor(realDate() + gain())
  performance.now = () => realTime() + gain()
  const { parse } = JSON
  JSON.parse = (text) => {
    const event = parse(text)
    // The server has the clock of the system.
    if (event?._tag === 'Depth') event.at += gain()
    return event
  }
  globalThis.slowDown = () => {
    gained = gain()
    since = realTime()
    factor = 1
  }`
