import type { Page } from 'playwright-core'
import { startTcpProxy } from 'svc-streams/simulator'
import { describe, expect, it } from 'vitest'
import { closeAfterTest } from '../support/close-after-test.js'
import { startServiceThread } from '../support/network/service-thread.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic } from '../support/tokens.js'
import { logOf, openPage, type PageScope } from './support/page.js'

const maxLag = 1000

/** The two processes read the wall clock in whole ms, and the clock is read before the handler runs. */
const tolerance = 100

interface LoggedPrice {
  readonly _tag: 'Right'
  /** Time from the sending of the price to its delivery, in ms. */
  readonly age: number
}

interface LoggedError {
  readonly _tag: 'Left'
  readonly left: { readonly _tag: string; readonly behindMs?: number; readonly reason?: string }
}

const open = async (bytesPerSecond: number): Promise<Page> => {
  const service = closeAfterTest(await startServiceThread({ tick: 4, stamped: true }))
  const { priceBaseUrl, priceWsUrl } = service.addresses
  const link = closeAfterTest(await startTcpProxy({ target: priceWsUrl, bytesPerSecond }))
  const page = await openPage()
  const options = { environment: 'testnet', priceBaseUrl, priceWsUrl: link.url, maxLag } as const
  await page.evaluate(
    ([clientOptions, topic]) => {
      const scope = globalThis as unknown as PageScope
      scope.client = scope.svcStreams.createClient(clientOptions)
      scope.client.price$(topic).subscribe((event) => {
        scope.log.push(
          event._tag === 'Right' ? { _tag: 'Right', age: Date.now() - event.right.price } : event,
        )
      })
    },
    [options, ethTopic] as const,
  )
  return page
}

const eventsOf = async (page: Page) => (await logOf(page)) as readonly (LoggedPrice | LoggedError)[]

const agesOf = (events: readonly (LoggedPrice | LoggedError)[]): readonly number[] =>
  events.flatMap((event) => (event._tag === 'Right' ? [event.age] : []))

describe('a page, whose socket has no pings,', () => {
  it('receives no price older than maxLag over a slow link, and fresh ones with each new connection', async () => {
    const page = await open(5_000)
    await eventually(async () => {
      const events = await eventsOf(page)
      const ended = events.findIndex((event) => event._tag === 'Left' && event.left._tag === 'Disconnected')
      expect(ended).toBeGreaterThan(0)
      expect(events.slice(ended).some(({ _tag }) => _tag === 'Right')).toBe(true)
    })
    const events = await eventsOf(page)
    const errors = events.flatMap((event) => (event._tag === 'Left' ? [event.left] : []))
    expect(errors[0]).toMatchObject({ _tag: 'Stale', behindMs: expect.any(Number) as number })
    // A page that catches up for a moment is behind a second time.
    expect(errors.find(({ _tag }) => _tag !== 'Stale')).toMatchObject({
      _tag: 'Disconnected',
      reason: expect.stringMatching(/^the prices are \d+\.\d s behind/) as string,
    })
    expect(Math.max(...agesOf(events))).toBeLessThan(maxLag + tolerance)
  })

  it('receives every price over a quick one, for several times maxLag', async () => {
    const page = await open(Infinity)
    await eventually(async () => expect(agesOf(await eventsOf(page)).length).toBeGreaterThan(1000))
    const events = await eventsOf(page)
    expect(events.filter(({ _tag }) => _tag === 'Left')).toEqual([])
  })
})
