import type { Address } from '../../domain/address.js'
import { SimulatorError } from '../simulator-error.js'
import { lowerCase, type Market, type Quote, type Token } from './market.js'
import { positiveNumber } from './token-options.js'

/** A supported token with its latest quote. Both addresses are lower-case. */
export interface Listing {
  readonly token: Token
  readonly quote: Quote
}

/** The listed tokens and their latest quotes. */
export interface Listings {
  readonly tokens: readonly Token[]
  /** `undefined` if the token is unsupported: not listed, or without a quote. The first call opens the market. */
  readonly find: (address: Address) => Listing | undefined
  /** Lists the market's tokens. A token that was listed before keeps its market and its quote. */
  readonly list: (market: Market) => void
  readonly delist: (address: Address) => void
  readonly close: () => void
}

/** Publishes a price in USD. */
export type PublishPrice = (address: Address, price: number) => void

interface ListedToken {
  readonly token: Token
  readonly market: Market
  isListed: boolean
  quote?: Quote
  repeatTimer?: NodeJS.Timeout
}

/**
 * Publishes the price of a listed token when it changes, and again after every `repeatAfter` ms without a change.
 * Throws a `SimulatorError` into a market that emits an invalid quote.
 */
export const createListings = (
  initialMarket: Market,
  repeatAfter: number,
  publishPrice: PublishPrice,
): Listings => {
  const listedTokens = new Map<Address, ListedToken>()
  const unopened: Market[] = []
  const closers: (() => void)[] = []
  let isOpen = false
  let isClosed = false

  const publish = (listed: ListedToken): void => {
    if (isClosed || !listed.isListed || listed.quote === undefined) return
    listed.repeatTimer = listed.repeatTimer?.refresh() ?? setTimeout(() => publish(listed), repeatAfter)
    publishPrice(listed.quote.token, listed.quote.price)
  }

  const update = (market: Market, quote: Quote): void => {
    const address = lowerCase(quote.token)
    const listed = listedTokens.get(address)
    if (listed?.market !== market)
      throw new SimulatorError('market', `emitted a quote for ${address}, which it does not list`)
    if (!isValidQuote(quote))
      throw new SimulatorError('market', `emitted a quote for ${address} with an invalid price or quantity`)
    const isPriceChange = listed.quote?.price !== quote.price
    listed.quote = { ...quote, token: address }
    if (isPriceChange) publish(listed)
  }

  const openMarkets = (): void => {
    if (isClosed) return
    isOpen = true
    for (const market of unopened.splice(0)) closers.push(market.open((quote) => update(market, quote)))
  }

  const list = (market: Market): void => {
    for (const token of market.tokens) {
      const address = lowerCase(token.address)
      const listed = listedTokens.get(address)
      if (listed === undefined) {
        listedTokens.set(address, { token: { ...token, address }, market, isListed: true })
        if (!unopened.includes(market)) unopened.push(market)
      } else {
        listed.isListed = true
        publish(listed)
      }
    }
    if (isOpen) openMarkets()
  }

  list(initialMarket)
  return {
    get tokens() {
      return [...listedTokens.values()].filter(({ isListed }) => isListed).map(({ token }) => token)
    },
    find: (address) => {
      if (!isOpen) openMarkets()
      const listed = listedTokens.get(address)
      return listed?.isListed === true && listed.quote !== undefined
        ? { token: listed.token, quote: listed.quote }
        : undefined
    },
    list,
    delist: (address) => {
      const listed = listedTokens.get(lowerCase(address))
      if (listed !== undefined) listed.isListed = false
    },
    close: () => {
      isClosed = true
      for (const close of closers.splice(0)) close()
      for (const { repeatTimer } of listedTokens.values()) clearTimeout(repeatTimer)
    },
  }
}

const isValidQuote = ({ price, buy, sell }: Quote): boolean =>
  positiveNumber.holds(price) &&
  typeof buy === 'bigint' &&
  buy >= 0n &&
  typeof sell === 'bigint' &&
  sell >= 0n
