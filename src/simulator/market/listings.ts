import type { Address } from '../../base/domain/topic.js'
import { SimulatorError } from '../simulator-error.js'
import { lowerCase, type Market, type Quote, type Token } from './market.js'
import { priceOption } from './token-options.js'

/** A supported token with its latest quote. Both addresses are lower-case. */
export interface Listing {
  readonly token: Token
  readonly quote: Quote
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

/** Publishes each new price, and again every `repeatAfter` ms without one. Throws into a market that emits an invalid quote. */
export class Listings {
  private readonly listed = new Map<Address, ListedToken>()
  /** The open markets, and the functions that stop them. */
  private readonly markets = new Map<Market, () => void>()
  private isOpen = false
  private isClosed = false

  constructor(
    market: Market,
    private readonly repeatAfter: number,
    private readonly publishPrice: PublishPrice,
  ) {
    this.list(market)
  }

  get tokens(): readonly Token[] {
    return [...this.listed.values()].filter(({ isListed }) => isListed).map(({ token }) => token)
  }

  /** `undefined` if the token is unsupported: not listed, or without a quote. The first call opens the market. */
  find(address: Address): Listing | undefined {
    if (!this.isOpen) this.openMarkets()
    const listed = this.listed.get(address)
    return listed?.isListed === true && listed.quote !== undefined
      ? { token: listed.token, quote: listed.quote }
      : undefined
  }

  /** Lists the market's tokens. A token that was listed before keeps its market and its quote. */
  list(market: Market): void {
    for (const token of market.tokens) {
      const address = lowerCase(token.address)
      const listed = this.listed.get(address)
      if (listed === undefined) {
        this.listed.set(address, { token: { ...token, address }, market, isListed: true })
      } else {
        listed.isListed = true
        this.publish(listed)
      }
    }
    if (this.isOpen) this.openMarkets()
  }

  delist(address: Address): void {
    const listed = this.listed.get(lowerCase(address))
    if (listed !== undefined) listed.isListed = false
  }

  close(): void {
    this.isClosed = true
    for (const close of this.markets.values()) close()
    for (const { repeatTimer } of this.listed.values()) clearTimeout(repeatTimer)
  }

  private openMarkets(): void {
    if (this.isClosed) return
    this.isOpen = true
    for (const { market } of this.listed.values()) {
      if (this.markets.has(market)) continue
      const close = market.open((quote) => this.update(market, quote))
      this.markets.set(market, close)
    }
  }

  private update(market: Market, quote: Quote): void {
    const address = lowerCase(quote.token)
    const listed = this.listed.get(address)
    if (listed?.market !== market)
      throw new SimulatorError('market', `emitted a quote for ${address}, which it does not list`)
    if (!isValidQuote(quote))
      throw new SimulatorError('market', `emitted a quote for ${address} with an invalid price or quantity`)
    const isPriceChange = listed.quote?.price !== quote.price
    listed.quote = { ...quote, token: address }
    if (isPriceChange) this.publish(listed)
  }

  private publish(listed: ListedToken): void {
    if (this.isClosed || !listed.isListed || listed.quote === undefined) return
    listed.repeatTimer =
      listed.repeatTimer?.refresh() ?? setTimeout(() => this.publish(listed), this.repeatAfter)
    this.publishPrice(listed.quote.token, listed.quote.price)
  }
}

const isValidQuote = ({ price, buy, sell }: Quote): boolean =>
  priceOption.holds(price) && [buy, sell].every((units) => typeof units === 'bigint' && units >= 0n)
