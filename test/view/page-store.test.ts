import { describe, expect, it } from 'vitest'
import { PageStore } from '../../src/view/page-store.js'
import type { FillEntry } from '../../src/view/served.js'
import { stale } from '../../src/base/errors/constructors.js'
import { ethTopic, wbtc, weth } from '../support/tokens.js'
import { depthRead, open, priced, priceFailed, waiting } from '../dashboard/support/events.js'
import { config } from '../dashboard/support/tokens.js'

const fill = (symbol: string): FillEntry => ({
  ...{ id: 1, at: 5, tone: 'neutral', text: 'buy 1', symbols: [symbol] },
  mark: { side: 'buy', price: 9 },
})

/** The symbols of the tokens that an event changes. */
const receive = (
  store: PageStore,
  ...[event, now = 'at' in event ? event.at : 0]: readonly [Event, number?]
) => {
  return store.receive(event, now).map(({ state }) => state.token.symbol)
}

type Event = Parameters<PageStore['receive']>[0]

describe('the store of the page', () => {
  it('names the tokens that an event changes, whose state is the new one', () => {
    const store = new PageStore(config)
    const [eth, btc] = store.tokens
    expect(receive(store, priced(1, 2500))).toEqual(['ETH'])
    expect(receive(store, depthRead(2, wbtc))).toEqual(['BTC'])
    expect(receive(store, open(3))).toEqual([])
    expect(receive(store, waiting(4, 'reset'))).toEqual(['ETH', 'BTC'])
    expect([eth?.state.state, btc?.state.state]).toEqual(['down', 'down'])
    expect(eth?.state.price?.price).toBe(2500)
    expect(receive(store, { _tag: 'Page', pageId: 'a' })).toEqual([])
  })

  it('has the connection and the log of all events', () => {
    const store = new PageStore(config)
    expect(store.connection.state).toBe('connecting')
    receive(store, open(1))
    expect(store.connection.state).toBe('connected')
    receive(store, priceFailed(2, stale(ethTopic, 30_000, undefined)))
    expect(store.log.map(({ text }) => text)).toEqual(['no price for 30 s.', 'Connected to the service.'])
  })

  it('keeps the prices of a token, with a gap while none is current', () => {
    const store = new PageStore(config)
    receive(store, priced(1000, 10))
    receive(store, waiting(2000, 'reset'))
    receive(store, priced(3000, 11))
    expect(store.tokens[0]?.samples.data(3000, 60_000)).toEqual({
      times: [1000, 2000, 2001, 3000, 3000],
      values: [10, 10, null, 11, 11],
    })
    expect(store.tokens[1]?.samples.data(3000, 60_000).values).toEqual([])
  })

  it('has the past of a token in its chart, and in none of its values', () => {
    const store = new PageStore(config)
    const data = { times: [1000, 2000], values: [10, 11] }
    expect(receive(store, { _tag: 'Past', address: weth, prices: [data, data] }, 3000)).toEqual(['ETH'])
    expect(store.tokens[0]?.samples.data(3000, 60_000).values).toEqual([10, null, null])
    expect(store.tokens[0]?.state).toMatchObject({ state: 'waiting', price: undefined })
  })

  it('has the fills of a journal, and each token its own', () => {
    const store = new PageStore(config)
    expect(store.fills).toBeUndefined()
    const fills = [fill('ETH'), fill('OTHER')]
    expect(receive(store, { _tag: 'Fills', fills })).toEqual(['ETH', 'BTC'])
    expect(store.fills).toEqual(fills)
    expect(store.tokens.map((token) => token.fills)).toEqual([[fills[0]], []])
  })

  it('logs a threshold that is newly reached, once', () => {
    const store = new PageStore(config)
    store.tokens[0]?.setThreshold({ above: 2600 })
    receive(store, priced(1, 2500))
    expect(store.log).toEqual([])
    receive(store, priced(2, 2600))
    receive(store, priced(3, 2601))
    expect(store.log).toMatchObject([{ symbols: ['ETH'], text: 'the price is above 2600 USD.', at: 2 }])
  })
})
