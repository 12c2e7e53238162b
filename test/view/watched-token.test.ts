import { describe, expect, it } from 'vitest'
import type { Address } from 'svc-streams'
import { PageStore } from '../../src/view/page-store.js'
import type { WatchedToken } from '../../src/view/watched-token.js'
import { httpError, stale } from '../../src/base/errors/constructors.js'
import type { DisplayEvent } from '../../src/view/display.js'
import { ethTopic, weth } from '../support/tokens.js'
import { depthFailed, depthRead, priced, priceFailed } from '../dashboard/support/events.js'
import { config, eth } from '../dashboard/support/tokens.js'

const minutes = 300_000

/** A token of a store. */
const initial = () => {
  const store = new PageStore({ ...config, tokens: [eth] })
  const [token] = store.tokens
  if (token === undefined) throw new Error('no token')
  stores.set(token, store)
  return token
}

const stores = new WeakMap<WatchedToken, PageStore>()

/** Applies these events. Returns what each of them newly reaches, by the log. */
const watch = (token: WatchedToken, events: readonly DisplayEvent[]) =>
  events.map((event) => {
    const store = stores.get(token)
    const before = store?.log.length
    store?.receive(event, event.at)
    const [newest] = store?.log.length === before ? [] : (store?.log ?? [])
    return /^the price is (above|below) /.exec(newest?.text ?? '')?.[1]
  })

const prices = (values: readonly number[], address: Address = weth): readonly DisplayEvent[] =>
  values.map((usd, index) => priced((index + 1) * 1000, usd, address))

describe('the figures of a token', () => {
  it('are not known before the first price', () => {
    const { price, change, age, lag } = initial().figures(1000, minutes)
    expect([price, change, age, lag]).toEqual(new Array(4).fill(undefined))
  })

  it('have the age, and the lowest and the highest price', () => {
    const token = initial()
    watch(token, prices([100, 110, 105]))
    expect(token.figures(4000, minutes)).toMatchObject({
      price: 105,
      age: 1000,
      low: 100,
      high: 110,
    })
  })

  it('have the change over the range, and none for less than 10 s', () => {
    const token = initial()
    watch(token, [priced(1000, 100), priced(30_000, 110), priced(60_999, 105)])
    expect(token.figures(10_999, minutes)).toMatchObject({ change: undefined, spanMs: 9999 })
    const { change, spanMs } = token.figures(62_000, minutes)
    expect([change?.toFixed(6), spanMs]).toEqual(['5.000000', 61_000])
    // The price that held at the start of the minute.
    expect(token.figures(95_000, 60_000)).toMatchObject({ spanMs: 60_000, low: 105, high: 110 })
  })

  it('contain a new price at once, and are of the range', () => {
    const token = initial()
    watch(token, prices([100]))
    token.figures(1000, minutes)
    watch(token, prices([100, 120]))
    expect(token.figures(1100, minutes)).toMatchObject({ low: 100, high: 120 })
  })

  it('have no change and lag while the price is not current', () => {
    const token = initial()
    watch(token, [...prices([100]), priceFailed(2000, stale(ethTopic, 30_000, undefined))])
    expect(token.figures(2000, minutes)).toMatchObject({ state: 'stale', price: 100, change: undefined })
    expect(token.figures(3000, minutes)).toMatchObject({ change: undefined, lag: undefined })
  })

  it('have as lag the age that the price had when it arrived, and how far behind the connection is', () => {
    const token = initial()
    const aged = priced(1000, 100)
    watch(token, [{ ...aged, at: 1250 }])
    expect(token.figures(9000, minutes).lag).toBe(250)
    watch(token, [aged, priceFailed(2000, stale(ethTopic, 20, undefined, 5200))])
    expect(token.figures(9000, minutes).lag).toBe(5200)
  })

  it('have depth until the next result is overdue, or a request for it fails', () => {
    const token = initial()
    watch(token, [depthRead(1000)])
    const receivedAt = token.state.depth?.receivedAt ?? NaN
    expect(token.isDepthCurrent(receivedAt + 7000)).toBe(true)
    expect(token.isDepthCurrent(receivedAt + 7001)).toBe(false)
    watch(token, [depthRead(1000), depthFailed(2000, httpError(429, '', undefined))])
    expect(token.isDepthCurrent(receivedAt)).toBe(false)
  })
})

describe('the threshold of a token', () => {
  it('is newly reached once per crossing, and not by the first price', () => {
    const token = initial()
    token.setThreshold({ above: 110 })
    expect(watch(token, prices([120, 100, 110, 111, 100, 130]))).toEqual([
      undefined,
      undefined,
      'above',
      undefined,
      undefined,
      'above',
    ])
    expect(token.reached).toEqual({ symbol: 'ETH', side: 'above', threshold: 110 })
  })

  it('is not reached while the price is not current, and not newly reached when it is current again', () => {
    const token = initial()
    token.setThreshold({ above: 110 })
    const silent = priceFailed(4000, stale(ethTopic, 30_000, undefined))
    expect(watch(token, [...prices([100, 120]), silent])).toEqual([undefined, 'above', undefined])
    expect(token.reached).toBeUndefined()
    expect(watch(token, prices([121]))).toEqual([undefined])
    expect(token.reached?.side).toBe('above')
  })

  it('is reached at once, but not newly, if the price is beyond it when it is set', () => {
    const token = initial()
    const events = prices([120, 121])
    watch(token, events.slice(0, 1))
    token.setThreshold({ above: 110 })
    expect(token.reached?.side).toBe('above')
    expect(watch(token, events)).toEqual([undefined, undefined])
    token.setThreshold({})
    expect(token.reached).toBeUndefined()
  })
})
