import { tap } from 'rxjs'
import { createClient, defineTokens, isRight } from 'svc-streams'
import { priceStore, type PriceStoreSnapshot, type Store } from 'svc-streams/store'

// The prices of the three pages: a store per token, over the one connection of a client.

export interface Row {
  readonly symbol: string
  readonly store: Store<PriceStoreSnapshot>
  /** The texts of the cells of a snapshot. */
  readonly cells: (snapshot: PriceStoreSnapshot) => Cells
}

export interface Cells {
  readonly price: string
  /** Since the first price of the page. */
  readonly change: string
  readonly state: PriceStoreSnapshot['state']
}

/**
 * The rows of a page, by its query: the addresses of a service, as `priceBaseUrl=…&priceWsUrl=…`, and tokens, as
 * `tokens=ETH=0x82af…,BTC=0x2f2a…`. The client connects when a store has a listener.
 */
export const openMarket = (query: string): readonly Row[] => {
  const { tokens = defaultTokens, ...addresses } = Object.fromEntries(new URLSearchParams(query))
  const client = createClient({
    environment: 'testnet',
    priceBaseUrl: 'http://127.0.0.1:3000',
    ...addresses,
  })
  const definitions = tokens.split(',').map((token) => {
    const [symbol = '', address = ''] = token.split('=')
    return [symbol, { address, decimals: 18 }] as const
  })
  return Object.values(defineTokens(Object.fromEntries(definitions))).map(({ symbol, topic }) => {
    let first: number | undefined
    const price$ = client.price$(topic).pipe(
      tap((event) => {
        if (isRight(event)) first ??= event.right.price
      }),
    )
    const cells = ({ state, last }: PriceStoreSnapshot): Cells => ({
      state,
      price: last === undefined ? '–' : usd.format(last.price),
      change: last === undefined || first === undefined ? '–' : percent.format(last.price / first - 1),
    })
    return { symbol, store: priceStore(price$), cells }
  })
}

const defaultTokens =
  'ETH=0x82af49447d8a07e3bd95bd0d56f35241523fbab1,BTC=0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f'

const usd = new Intl.NumberFormat('en', { maximumSignificantDigits: 7 })
const percent = new Intl.NumberFormat('en', {
  style: 'percent',
  maximumFractionDigits: 2,
  signDisplay: 'exceptZero',
})
