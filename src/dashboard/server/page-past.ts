import { isRight } from 'fp-ts/lib/Either.js'
import {
  concat,
  defer,
  EMPTY,
  every,
  filter,
  from,
  ignoreElements,
  map,
  mergeMap,
  Subscription,
  takeUntil,
  tap,
  timer,
  type Observable,
} from 'rxjs'
import type { PriceClient } from '../../client/client.js'
import type { History } from '../../backtest/history/history.js'
import { canonicalAddress, type Address, addressOf, type Topic } from '../../base/domain/topic.js'
import type { PastEvent } from '../../base/domain/past.js'
import { priceRow$ } from '../../backtest/recording/write/client-rows.js'
import { rxClock } from '../../base/time/clock.js'
import { hour, PriceSamples, recentWindow, type PastPrices } from '../../view/samples.js'
import type { PageConfig, PastRow } from '../../view/served.js'

/** Longest time for which a page waits for the history of the source, in ms. */
const historyTimeout = 5_000

/** Number of topics whose history is read at the same time. */
const maxReadings = 4

interface TokenPast {
  readonly topic: Topic
  readonly samples: PriceSamples
  prices: Subscription
  hasHistory: boolean
}

/** The prices since a page first showed a token, and earlier ones from the history of the source, if any. */
export class PagePast {
  /** An hour, or less for many tokens: a page waits for the history. In ms. */
  private readonly historyWindow: number
  private readonly tokens: ReadonlyMap<Address, TokenPast>

  constructor(
    private readonly client: PriceClient,
    { service, tokens }: PageConfig,
    private readonly history: History | undefined,
  ) {
    this.historyWindow = Math.max(recentWindow, Math.min(hour, (6 * hour) / tokens.length))
    this.tokens = new Map(
      tokens.map(({ address: given }) => {
        const address = canonicalAddress(given)
        const samples = new PriceSamples()
        return [
          address,
          { topic: `${service}-${address}`, samples, prices: Subscription.EMPTY, hasHistory: false },
        ]
      }),
    )
  }

  /** Not earlier: a recording starts when a page is opened. Idempotent. Subscribes again to a topic that was rejected. */
  record(topic: Topic): void {
    const token = this.tokens.get(canonicalAddress(addressOf(topic)))
    if (token?.prices.closed !== true) return
    const { samples } = token
    token.prices = priceRow$(this.client, token.topic).subscribe((row) => {
      if (row._tag === 'Price' && isRight(row.event)) samples.add(row.at, row.event.right.price)
      else samples.interrupt(row.at)
    })
  }

  /** The past of each token. A history that is late or fails is omitted, and read again for the next page. */
  read$(): Observable<PastRow> {
    return concat(
      this.history === undefined ? EMPTY : this.readHistory$(this.history),
      defer(() => this.tokens).pipe(
        map(([address, { samples }]): PastRow => {
          return { _tag: 'Past', address, prices: samples.past(rxClock.wallClock()) }
        }),
      ),
    )
  }

  close(): void {
    for (const { prices } of this.tokens.values()) prices.unsubscribe()
  }

  /** Adds the history of each token once, below its own samples. Completes when each is read or has failed, or after a time. */
  private readHistory$(history: History): Observable<never> {
    const read$ = (token: TokenPast): Observable<unknown> =>
      token.hasHistory
        ? EMPTY
        : readPast$(history, token.topic, this.historyWindow).pipe(
            tap((past) => {
              if (token.hasHistory) return
              token.samples.fill(past)
              token.hasHistory = true
            }),
          )
    return from(this.tokens.values()).pipe(
      mergeMap(read$, maxReadings),
      ignoreElements(),
      takeUntil(timer(historyTimeout)),
    )
  }
}

/**
 * Reads the last `windowMs` of a topic from a history. One value, or none if not all of them can be read. The clock of a recorder
 * may be ahead: a later time than the current one counts as that.
 */
export const readPast$ = (history: History, topic: Topic, windowMs: number): Observable<PastPrices> =>
  defer(() => {
    const now = rxClock.wallClock()
    const samples = new PriceSamples()
    const add = (past: PastEvent): void => {
      if (past._tag === 'Gap') samples.interrupt(Math.min(past.from, now))
      else samples.add(Math.min(past.at, now), past.price)
    }
    return history.prices$(topic, { from: now - windowMs }).pipe(
      tap((event) => isRight(event) && add(event.right)),
      every(isRight),
      filter(Boolean),
      map(() => samples.past(now)),
    )
  })
