/** The events of a page or a worker that are used here. The types of Node have none. */
interface Page {
  addEventListener(type: string, listener: () => void): void
  removeEventListener(type: string, listener: () => void): void
  /** Absent in a worker. */
  readonly document?: Omit<Page, 'document'> & { readonly visibilityState: string }
}

/**
 * Calls back when the network has returned, when the page is shown again, also from the back-forward cache, and when its
 * tab becomes visible. Returns the function that stops it.
 */
export const onWake = (wake: (isOnline: boolean) => void): (() => void) => {
  const page = globalThis as unknown as Page
  const { document } = page
  const onOnline = (): void => wake(true)
  const onShow = (): void => wake(false)
  const onVisibility = (): void => {
    if (document?.visibilityState === 'visible') wake(false)
  }
  page.addEventListener('online', onOnline)
  page.addEventListener('pageshow', onShow)
  document?.addEventListener('visibilitychange', onVisibility)
  return () => {
    page.removeEventListener('online', onOnline)
    page.removeEventListener('pageshow', onShow)
    document?.removeEventListener('visibilitychange', onVisibility)
  }
}
