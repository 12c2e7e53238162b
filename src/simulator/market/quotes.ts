import type { Address } from '../../domain/address.js'
import { SimulatorError } from '../simulator-error.js'
import type { Market, Quote, Token } from './market.js'
import { lowerCased, positive } from './token.js'

/** What the service knows of a token at this moment. Addresses are lower-cased. */
export interface Listing {
  readonly token: Token
  readonly quote: Quote
}

/** The latest quote of every token, and who is told when a price is published. */
export interface Quotes {
  readonly tokens: readonly Token[]
  /** `undefined` where the token is not supported: not listed, or not quoted yet. */
  readonly find: (address: Address) => Listing | undefined
  /** Adds the market's tokens. Those that are there already come back as they were. */
  readonly list: (market: Market) => void
  readonly delist: (address: Address) => void
  readonly close: () => void
}

/** Hears of every change of a price, and of the last price again when it has not changed for long. */
export type PriceListener = (address: Address, price: number) => void

interface ListedToken {
  readonly token: Token
  readonly from: Market
  listed: boolean
  quote?: Quote
  repeat?: NodeJS.Timeout
}

export const createQuotes = (first: Market, repeatAfter: number, published: PriceListener): Quotes => {
  const entries = new Map<Address, ListedToken>()
  const waiting: Market[] = []
  const ends: (() => void)[] = []
  let isOpen = false
  let isClosed = false

  const publish = (entry: ListedToken): void => {
    if (isClosed || !entry.listed || entry.quote === undefined) return
    entry.repeat = entry.repeat?.refresh() ?? setTimeout(() => publish(entry), repeatAfter)
    published(entry.quote.token, entry.quote.price)
  }

  const accept = (market: Market, quote: Quote): void => {
    const address = lowerCased(quote.token)
    const entry = entries.get(address)
    if (entry?.from !== market)
      throw new SimulatorError('market', `quoted ${address}, which it does not list`)
    if (!isSound(quote))
      throw new SimulatorError('market', `quoted ${address} without a good price or quantity`)
    const isNews = entry.quote?.price !== quote.price
    entry.quote = { ...quote, token: address }
    if (isNews) publish(entry)
  }

  const openWaiting = (): void => {
    if (isClosed) return
    isOpen = true
    for (const market of waiting.splice(0)) ends.push(market.open((quote) => accept(market, quote)))
  }

  const list = (market: Market): void => {
    for (const token of market.tokens) {
      const address = lowerCased(token.address)
      const known = entries.get(address)
      if (known === undefined) {
        entries.set(address, { token: { ...token, address }, from: market, listed: true })
        if (!waiting.includes(market)) waiting.push(market)
      } else {
        known.listed = true
        publish(known)
      }
    }
    if (isOpen) openWaiting()
  }

  list(first)
  return {
    get tokens() {
      return [...entries.values()].filter(({ listed }) => listed).map(({ token }) => token)
    },
    find: (address) => {
      if (!isOpen) openWaiting()
      const entry = entries.get(address)
      return entry?.listed === true && entry.quote !== undefined
        ? { token: entry.token, quote: entry.quote }
        : undefined
    },
    list,
    delist: (address) => {
      const entry = entries.get(lowerCased(address))
      if (entry !== undefined) entry.listed = false
    },
    close: () => {
      isClosed = true
      for (const end of ends.splice(0)) end()
      for (const { repeat } of entries.values()) clearTimeout(repeat)
    },
  }
}

const isSound = ({ price, buy, sell }: Quote): boolean =>
  positive.holds(price) && typeof buy === 'bigint' && buy >= 0n && typeof sell === 'bigint' && sell >= 0n
