import { describe, expect, inject, it } from 'vitest'
import { startScriptedService, type ServiceConnection } from '../support/network/scripted-service.js'
import { startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic } from '../support/tokens.js'
import { logPrices, tagsOf, type Evaluator, type PageScope } from './support/page.js'
import { openSilentPage, optionsFor } from './support/silent-page.js'
import { openTab, type Tab } from './support/tab.js'

const staleAfter = 100

/** Resolves when a time has passed. */
const elapsed = (ms: number): Promise<unknown> => {
  const start = performance.now()
  return eventually(() => performance.now() - start > ms)
}

/** Sends the number of the price as its value, from the first subscribe. */
const startCountingService = () => {
  let price = 0
  const sendNext = (connection: ServiceConnection | undefined) => connection?.sendPrice(ethTopic, ++price)
  const service = startScriptedService({
    onSubscribe: (connection, topic) => {
      connection.sendConfirmation(topic)
      sendNext(connection)
    },
  })
  return { service, sendNext }
}

/** The prices and the tags of the errors that a page has logged. */
const eventsOf = (page: Evaluator): Promise<readonly unknown[]> =>
  page.evaluate(() =>
    (globalThis as unknown as PageScope).log.map((event) => {
      const { left, right } = event as { left?: { _tag: string }; right?: { price: number } }
      return left?._tag ?? right?.price
    }),
  )

const pricesIn = (events: readonly unknown[]): readonly number[] =>
  events.filter((event) => typeof event === 'number')

/** A page that was frozen after its first price, and whose second one has been sent since. */
const freezeWithPrice = async () => {
  const { service, sendNext } = startCountingService()
  const { url, connections } = await service
  const tab = await openTab()
  await logPrices(tab, { ...optionsFor(url), staleAfter }, ethTopic)
  await eventually(async () => expect(await eventsOf(tab)).toContain(1))
  await tab.freeze()
  sendNext(connections[0])
  return { tab, connection: connections[0] }
}

describe('a frozen page', () => {
  it('delivers no price that arrived meanwhile, after a freeze longer than maxLag, but the newest one', async () => {
    const maxLag = 400
    let price = 0
    const { url, connections } = await startScriptedService({
      onSubscribe: (connection, topic) => {
        connection.sendConfirmation(topic)
        connection.sendPrice(ethTopic, ++price)
      },
    })
    const tab = await openTab()
    await logPrices(tab, { ...optionsFor(url), staleAfter: 30_000, maxLag }, ethTopic)
    // The service has answered probes.
    await eventually(async () => expect((await eventsOf(tab)).length).toBeGreaterThan(3))
    await tab.freeze()
    const before = price
    const sent = Array.from({ length: 5 }, () => ++price)
    for (const each of sent) connections[0]?.sendPrice(ethTopic, each)
    await elapsed(2 * maxLag)
    await tab.resume()
    await eventually(async () =>
      expect(Math.max(...pricesIn(await eventsOf(tab)))).toBeGreaterThan(before + 5),
    )
    const old = sent.slice(0, -1)
    expect(pricesIn(await eventsOf(tab)).filter((each) => old.includes(each))).toEqual([])
  })

  it('delivers the price that arrived meanwhile, after a shorter freeze', async () => {
    const { tab } = await freezeWithPrice()
    await elapsed(staleAfter)
    await tab.resume()
    await eventually(async () => expect((await eventsOf(tab)).slice(0, 2)).toEqual([1, 2]))
  })

  it('keeps a connection whose answer arrived before the page resumed', async () => {
    const { tab, connections, nextProbe } = await openSilentPage()
    await nextProbe()
    await tab.freeze()
    await elapsed(200)
    await tab.resume()
    await nextProbe()
    expect(await eventsOf(tab)).toEqual([])
    expect(connections).toHaveLength(1)
  })

  it('whose connection was closed meanwhile emits one Disconnected, then current prices', async () => {
    const { tab, connection } = await freezeWithPrice()
    // Not `end()`: the service would still count a subscribe that the page sends before it has read the end.
    connection?.tcpSocket.destroy()
    await elapsed(staleAfter)
    await tab.resume()
    await eventually(async () => expect((await eventsOf(tab)).slice(0, 4)).toEqual([1, 2, 'Disconnected', 3]))
  })
})

interface ReturnedPage {
  readonly location: { readonly pathname: string }
  readonly performance: {
    getEntriesByType(type: 'navigation'): readonly {
      readonly notRestoredReasons: { readonly reasons: readonly { readonly reason: string }[] } | null
    }[]
  }
}

describe('a page that the user leaves', () => {
  /** Why Chromium does not restore the page on return. It masks the reason that a headless browser restores none. */
  const reasonsAfterReturn = async (tab: Tab): Promise<unknown> => {
    await tab.navigate(`${inject('pageUrl')}other`)
    // After the result of this call, which a navigation would drop.
    await tab.evaluate('void setTimeout(() => history.back())')
    let reasons: unknown
    await eventually(async () => {
      const state = await tab.evaluate(() => {
        const { location, performance } = globalThis as unknown as ReturnedPage
        const reasonsOf = performance.getEntriesByType('navigation')[0]?.notRestoredReasons
        return { path: location.pathname, reasons: reasonsOf?.reasons.map(({ reason }) => reason) }
      })
      expect(state.path).toBe('/')
      reasons = state.reasons
    })
    return reasons
  }

  it('closes its connection, which alone excludes it from the back-forward cache', async () => {
    const simulator = await startTestSimulator()
    const tab = await openTab()
    await logPrices(tab, optionsFor(simulator.priceWsUrl), ethTopic)
    await eventually(async () => expect(await tagsOf(tab)).toContain('Right'))
    expect(await reasonsAfterReturn(tab)).toEqual(['masked', 'websocket'])
    await eventually(() => expect(simulator.connections).toEqual([]))
  })

  it('without a subscriber may enter the back-forward cache', async () => {
    const simulator = await startTestSimulator()
    const tab = await openTab()
    await tab.evaluate(
      ([options, topic]) => {
        const { svcStreams, rxjs } = globalThis as unknown as PageScope
        const client = svcStreams.createClient({ ...options, linger: 0 })
        return rxjs.firstValueFrom(client.price$(topic))
      },
      [optionsFor(simulator.priceWsUrl), ethTopic] as const,
    )
    await eventually(() => expect(simulator.connections).toEqual([]))
    expect(await reasonsAfterReturn(tab)).toEqual(['masked'])
  })
})
