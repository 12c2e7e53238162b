import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { BehaviorSubject, from, interval, map, ReplaySubject, type Observable, type Subscription } from 'rxjs'
import type {
  Address,
  Client,
  ConnectionStatus,
  Depth,
  DepthError,
  DepthSide,
  Price,
  PriceError,
} from 'svc-streams'
import type { Gap, History, PastPrice } from 'svc-streams/history'
import { createTestClient, depth, disconnected, price, stale } from 'svc-streams/testing'
import type { DisplayToken } from '../../src/view/token-state.js'
import { subscriptionRejected, timeout } from '../../src/base/errors/constructors.js'

interface Listing {
  readonly token: DisplayToken
  readonly topic: `svc-${Address}`
  readonly price$: ReplaySubject<Either<PriceError, Price>>
  readonly depth$: ReplaySubject<Either<DepthError, Depth>>
  usd: number
  isSilent: boolean
  hasDepth: boolean
}

/** A token of the pictures. Addresses are made up, and need no deployment. */
export interface Start {
  readonly symbol: string
  readonly usd: number
  readonly decimals: number
}

/** A market for pictures and for the benchmark: random walks with a seed, and faults. */
export class PictureMarket {
  readonly client: Client
  readonly tokens: readonly DisplayToken[]
  private readonly listings: readonly Listing[]
  private readonly status$ = new BehaviorSubject<ConnectionStatus>({ _tag: 'Open', epoch: 1, since: 0 })
  private readonly ticks: Subscription
  private seed = 7

  /** `tick`: time between two prices of a token, in ms. */
  constructor(starts: readonly Start[], tick: number) {
    this.listings = starts.map(listingOf)
    this.tokens = this.listings.map(({ token }) => token)
    const entries = <A>(key: (listing: Listing) => string, value$: (listing: Listing) => Observable<A>) =>
      Object.fromEntries(this.listings.map((listing) => [key(listing), value$(listing)]))
    this.client = createTestClient({
      prices: entries(
        ({ topic }) => topic,
        (listing) => listing.price$,
      ),
      depths: entries(
        ({ token }) => token.address,
        (listing) => listing.depth$,
      ),
      status$: this.status$,
      stamp: true,
    })
    this.ticks = interval(tick).subscribe(() => this.move())
  }

  silence(symbol: string): void {
    this.find(symbol).isSilent = true
  }

  reject(symbol: string): void {
    const listing = this.find(symbol)
    listing.isSilent = true
    const text = `Unsupported token pair ${listing.token.address}`
    listing.price$.next(left(subscriptionRejected(listing.topic, text)))
  }

  failDepth(symbol: string): void {
    const listing = this.find(symbol)
    listing.hasDepth = false
    listing.depth$.next(left(timeout(5000)))
  }

  /** Simulates a service whose prices are behind by so many ms. */
  fallBehind(behindMs: number): void {
    this.ticks.unsubscribe()
    this.status$.next({ _tag: 'Open', epoch: 1, since: 0, behindMs })
    for (const { topic, price$, usd } of this.listings) {
      price$.next(left(stale(topic, behindMs, price(topic, usd), behindMs)))
    }
  }

  /** Simulates a service that has not sent a price yet. */
  wait(): void {
    this.ticks.unsubscribe()
  }

  /** The prices of the last 5 minutes, with a gap of 40 s. */
  history(): History {
    return {
      prices$: (topic, { to = Date.now() }) => {
        const start = to - 300_000
        let usd = this.listings.find((listing) => listing.topic === topic)?.usd ?? 1
        const gap: Gap = {
          _tag: 'Gap',
          topic,
          from: start + 100_000,
          to: start + 140_000,
          cause: 'disconnected',
        }
        const pasts = Array.from({ length: 600 }, (_, index): PastPrice => {
          usd *= 1 + (this.random() - 0.5) * 0.0009
          return { _tag: 'PastPrice', topic, price: usd, at: start + index * 500 }
        })
        const events = [
          ...pasts.filter(({ at }) => at < gap.from),
          gap,
          ...pasts.filter(({ at }) => at >= gap.to),
        ]
        return from(events).pipe(map((event) => right(event)))
      },
      topics: () => () => Promise.resolve(right([])),
    }
  }

  /** Simulates a lost connection to the service. */
  disconnect(reason: string): void {
    this.ticks.unsubscribe()
    this.status$.next({ _tag: 'Waiting', attempt: 1, retryInMs: 60_000, reason })
    const down = left(disconnected({ code: 1006, reason, attempt: 1, retryInMs: 60_000 }))
    for (const { price$ } of this.listings) price$.next(down)
  }

  close(): Promise<void> {
    this.ticks.unsubscribe()
    return this.client.close()
  }

  private find(symbol: string): Listing {
    const found = this.listings.find(({ token }) => token.symbol === symbol)
    if (found === undefined) throw new Error(`no token ${symbol}`)
    return found
  }

  private move(): void {
    for (const listing of this.listings) {
      if (listing.isSilent) continue
      listing.usd *= 1 + (this.random() - 0.5) * 0.0009
      listing.price$.next(right(price(listing.topic, listing.usd)))
      if (!listing.hasDepth || this.random() > 0.2) continue
      const [buy, sell] = [this.side(listing), this.side(listing)]
      listing.depth$.next(right(depth(listing.token.address, { buy, sell })))
    }
  }

  private side({ usd, token }: Listing): DepthSide {
    const totalQuantityUsd = 40_000 * (0.4 + this.random())
    const units = BigInt(Math.round((totalQuantityUsd / usd) * 1e6))
    return { totalQuantity: units * 10n ** BigInt((token.decimals ?? 18) - 6), totalQuantityUsd }
  }

  /** From 0 to 1, the same in every run. */
  private random(): number {
    this.seed = (this.seed * 48_271) % 2_147_483_647
    return this.seed / 2_147_483_647
  }
}

const listingOf = ({ symbol, usd, decimals }: Start, index: number): Listing => {
  const address: Address = `0x${String(index + 10).repeat(20)}`
  return {
    token: { address, symbol, decimals },
    topic: `svc-${address}`,
    price$: new ReplaySubject(1),
    depth$: new ReplaySubject(1),
    usd,
    isSilent: false,
    hasDepth: true,
  }
}
