import { left, right } from 'fp-ts/lib/Either.js'
import { defer, EMPTY, firstValueFrom, from, NEVER, of, Subject } from 'rxjs'
import { createClient } from 'svc-streams'
import type { History, PastEvent } from 'svc-streams/history'
import { createTestClient } from 'svc-streams/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { PagePast, readPast$ } from '../../../src/dashboard/server/page-past.js'
import { startDashboard } from '../../../src/dashboard/server/start-dashboard.js'
import type { PastPrices } from '../../../src/view/samples.js'
import type { PastRow } from '../../../src/view/served.js'
import { networkError, stale } from '../../../src/base/errors/constructors.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic, ethTopic as topic, wbtc, weth } from '../../support/tokens.js'
import { historyOf, past } from '../support/history.js'
import { servedEvents } from '../support/served-events.js'
import { TestMarket } from '../support/test-market.js'
import { config } from '../support/tokens.js'

/** A dashboard, and a consumer in place of its page. */
const start = async (history?: History) => {
  const market = new TestMarket()
  const files = { html: '', style: '', script: '' }
  const server = await startDashboard(market.client, { port: 0, closedReason: '', files, config, history })
  onTestFinished(() => server.close())
  /** What a page receives when it is opened. */
  const pastOf = async (): Promise<Readonly<Record<string, PastPrices>>> => {
    const { allOf } = servedEvents(server.url)
    await eventually(() => allOf('Past').length === config.tokens.length)
    return Object.fromEntries(allOf('Past').map(({ address, prices }) => [address, prices]))
  }
  const consume = () =>
    collectEvents(
      closeAfterTest(
        createClient({
          environment: 'mainnet',
          priceBaseUrl: server.url,
          priceWsUrl: server.url.replace('http', 'ws'),
          linger: 0,
        }),
      ).price$(ethTopic),
    )
  return { market, pastOf, consume }
}

const nothing = [
  { times: [], values: [] },
  { times: [], values: [] },
]

describe('the past of a page', () => {
  it('is empty before a page has wanted a price', async () => {
    const { market, pastOf } = await start()
    market.sendEth(1)
    expect(await pastOf()).toEqual({ [weth]: nothing, [wbtc]: nothing })
    expect(market.client.inspect().topics).toEqual([])
  })

  it('has the prices since then, also those that no page wanted, and a gap while none is current', async () => {
    const { market, pastOf, consume } = await start()
    const page = consume()
    market.sendEth(1)
    await eventually(() => page.values().length === 1)
    page.subscription.unsubscribe()
    market.sendEth(2)
    const { [weth]: eth, [wbtc]: btc } = await pastOf()
    expect(eth?.[0].values.at(-1)).toBe(2)
    expect(btc).toEqual(nothing)
    market.disconnect('reset')
    expect((await pastOf())[weth]?.[0].values.slice(-4)).toEqual([2, 2, null, null])
    market.sendEth(3)
    expect((await pastOf())[weth]?.[0].values.slice(-5)).toEqual([2, 2, null, 3, 3])
  })

  it('has the prices of the history before its own, each once', async () => {
    let readings = 0
    const history = historyOf(
      defer(() => {
        readings += 1
        return from([past(Date.now() - 60_000, 7), past(Date.now() - 30_000, 8)].map(right))
      }),
    )
    const { market, pastOf, consume } = await start(history)
    const page = consume()
    market.sendEth(9)
    await eventually(() => page.values().length === 1)
    await pastOf()
    expect((await pastOf())[weth]?.[0].values).toEqual([7, 8, 9, 9])
    expect(readings).toBe(config.tokens.length)
  })

  it('is there without a history that fails, which is read again for the next page', async () => {
    const results$ = [of(left(stale(ethTopic, 1, undefined) as never)), of(right(past(Date.now() - 9000, 7)))]
    const history: History = {
      ...historyOf(EMPTY),
      prices$: (topic) => (topic === ethTopic ? (results$.shift() ?? NEVER) : EMPTY),
    }
    const { pastOf } = await start(history)
    expect((await pastOf())[weth]).toEqual(nothing)
    expect((await pastOf())[weth]?.[0].values[0]).toBe(7)
  })

  it('does not wait for a history that is late', () => {
    const late$ = new Subject<never>()
    const served: PastRow[] = []
    runInVirtualTime(({ at }) => {
      const pagePast = new PagePast(createTestClient({}), config, historyOf(late$))
      pagePast.read$().subscribe((row) => served.push(row))
      at(4_999, () => expect([late$.observed, served]).toEqual([true, []]))
      at(5_001, () => expect(served).toHaveLength(2))
    })
    expect(served.map(({ address, prices }) => [address, prices])).toEqual([
      [weth, nothing],
      [wbtc, nothing],
    ])
    expect(late$.observed).toBe(false)
  })
})

const now = Date.UTC(2026, 10, 22, 10)

/** The samples of the last minutes. */
const read = async (events: readonly PastEvent[]) => {
  vi.useFakeTimers({ now, toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const [recent] = await firstValueFrom(readPast$(historyOf(from(events.map(right))), topic, 60_000))
  return recent
}

const gap = (start: number, end: number): PastEvent => ({
  _tag: 'Gap',
  topic,
  from: start,
  to: end,
  cause: 'disconnected',
})

describe('the samples of a history', () => {
  it('are its prices in the window, and its gaps', async () => {
    const samples = await read([
      gap(now - 60_000, now - 50_000),
      past(now - 50_000, 10),
      gap(now - 40_000, now - 30_000),
      past(now - 30_000, 11),
    ])
    expect(samples).toEqual({
      times: [now - 50_000, now - 40_000, now - 39_999, now - 30_000, now],
      values: [10, 10, null, 11, 11],
    })
  })

  it('end in a gap if the history does', async () => {
    expect(await read([past(now - 3000, 10), gap(now - 2000, now)])).toMatchObject({
      values: [10, 10, null, null],
    })
  })

  it('have the current time if the clock of the recorder is ahead', async () => {
    expect(await read([past(now - 3000, 10), past(now + 9000, 11), gap(now + 10_000, now + 20_000)])).toEqual(
      { times: [now - 3000, now, now, now + 1, now + 1], values: [10, 11, 11, null, null] },
    )
  })

  it('are none if the history fails, also after its first prices', async () => {
    const failure = left(networkError(new Error('reset')))
    const history = historyOf(of(right(past(Date.now(), 10)), failure))
    expect(await firstValueFrom(readPast$(history, topic, 60_000), { defaultValue: 'none' })).toBe('none')
  })
})
