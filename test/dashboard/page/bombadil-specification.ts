import { always, now } from '@antithesishq/bombadil'
import { extract } from '@antithesishq/bombadil/browser'

// What holds in the dashboard of `bombadil.long.test.ts`, whatever is clicked and typed. Bombadil bundles and runs this file.

export * from '@antithesishq/bombadil/browser/defaults'

/** The market fails for longer than this time. A busy machine may render the page late. In ms. */
const oldest = 5_000

/** What is read from the page after each action. */
const page = extract(({ document, window }) => {
  // The ages of the prices that are shown as live, in ms.
  const liveAges: number[] = []
  for (const card of document.querySelectorAll('.card')) {
    const textOf = (name: string): string =>
      card.querySelector(`[data-field=${name}]`)?.textContent.trim() ?? ''
    if (textOf('state') !== 'live') continue
    // A price is the time at which it was sent, in s within a day.
    const sentAt = Number(textOf('price').replaceAll(',', '')) * 1000
    liveAges.push((Date.now() % 86_400_000) - sentAt)
  }
  const { usedJSHeapSize = 0 } = (window.performance as { memory?: { usedJSHeapSize?: number } }).memory ?? {}
  return {
    connection: document.querySelector('[data-field=connection]')?.textContent.trim() ?? '',
    liveAges,
    // By which the page is wider than its window, in CSS pixels.
    cutWidth: document.documentElement.scrollWidth - window.innerWidth,
    heapBytes: usedJSHeapSize,
  }
})

export const noOldPriceIsLive = always(() => page.current.liveAges.every((age) => age < oldest))

export const nothingIsLiveWithoutTheService = always(
  now(() => page.current.connection === 'service lost').implies(() => page.current.liveAges.length === 0),
)

export const nothingIsCut = always(() => page.current.cutWidth <= 0)

export const memoryIsBounded = always(() => page.current.heapBytes < 100e6)
