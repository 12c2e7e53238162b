import { isLeft, isRight, right, type Either } from 'fp-ts/lib/Either.js'
import {
  concat,
  defer,
  EMPTY,
  from,
  ignoreElements,
  map,
  mergeMap,
  reduce,
  Subscription,
  takeUntil,
  tap,
  timer,
  type Observable,
} from 'rxjs'
import type { PriceClient } from '../../client/client.js'
import type { History } from '../../backtest/history/history.js'
import { canonicalAddress, type Address } from '../../base/domain/address.js'
import type { PastEvent } from '../../base/domain/past.js'
import { addressOf, type Topic } from '../../base/domain/topic.js'
import type { HistoryError } from '../../base/errors/model.js'
import { priceRow$ } from '../../backtest/recording/write/client-rows.js'
import { rxClock } from '../../base/time/rx-clock.js'
import {
  hour,
  isSeam,
  PriceSamples,
  recentWindow,
  type ChartData,
  type PastPrices,
} from '../../view/samples.js'
import type { PageConfig, PastRow } from '../../view/served.js'

/** Longest time for which a page waits for the history of the source, in ms. */
const historyTimeout = 5_000

/** Number of topics whose history is read at the same time. */
const maxReadings = 4

/**
 * The past of the tokens of a page: the prices since a page first showed them, and earlier prices from the history of
 * the source, if any.
 */
export class PagePast {
  /** An hour, or less for many tokens: a page waits for the history. In ms. */
  private readonly historyWindow: number
  private readonly tokens: ReadonlyMap<Address, TokenPast>

  constructor(
    client: PriceClient,
    { service, tokens }: PageConfig,
    private readonly history: History | undefined,
  ) {
    this.historyWindow = Math.max(recentWindow, Math.min(hour, (6 * hour) / tokens.length))
    const addresses = tokens.map(({ address }) => canonicalAddress(address))
    this.tokens = new Map(
      addresses.map((address) => [address, new TokenPast(client, `${service}-${address}`)]),
    )
  }

  /** Samples a topic from now on, also while no page wants it. Not earlier: a recording starts when a page is opened. */
  record(topic: Topic): void {
    this.tokens.get(canonicalAddress(addressOf(topic)))?.start()
  }

  /**
   * The past of each token. A history that is late or fails is omitted, and read again for the next page.
   */
  read$(): Observable<PastRow> {
    return concat(
      this.history === undefined ? EMPTY : this.readHistory$(this.history),
      defer(() => this.tokens).pipe(
        map(([address, token]): PastRow => ({
          _tag: 'Past',
          address,
          prices: token.past(rxClock.wallClock()),
        })),
      ),
    )
  }

  close(): void {
    for (const token of this.tokens.values()) token.stop()
  }

  private readHistory$(history: History): Observable<never> {
    return from(this.tokens.values()).pipe(
      mergeMap((token) => token.readHistory$(history, this.historyWindow), maxReadings),
      takeUntil(timer(historyTimeout)),
    )
  }
}

class TokenPast {
  private readonly samples = new PriceSamples()
  private prices = Subscription.EMPTY
  private history: PastPrices | undefined

  constructor(
    private readonly client: PriceClient,
    private readonly topic: Topic,
  ) {}

  /** Idempotent. Subscribes again to a topic that was rejected. */
  start(): void {
    if (!this.prices.closed) return
    this.prices = priceRow$(this.client, this.topic).subscribe((row) => {
      if (row._tag === 'Price' && isRight(row.event)) this.samples.add(row.at, row.event.right.price)
      else this.samples.interrupt(row.at)
    })
  }

  stop(): void {
    this.prices.unsubscribe()
  }

  /** Adds the history once. Completes when it is read or has failed. */
  readHistory$(history: History, windowMs: number): Observable<never> {
    if (this.history !== undefined) return EMPTY
    return readPast$(history, this.topic, windowMs).pipe(
      tap((past) => {
        if (isRight(past)) this.history ??= past.right
      }),
      ignoreElements(),
    )
  }

  past(now: number): PastPrices {
    const [recent, day] = this.samples.past(now)
    if (this.history === undefined) return [recent, day]
    return [joined(this.history[0], recent), joined(this.history[1], day)]
  }
}

/**
 * The samples of a history, then the own ones. If the history ends before them, there is a gap between; the page knows
 * whether there is one after the history alone.
 */
const joined = (history: ChartData, own: ChartData): ChartData => {
  const [first] = own.times
  if (first === undefined) return history
  const earlier = history.times.filter((time) => time < first)
  const prices: (number | null)[] = history.prices.slice(0, earlier.length)
  const end = earlier.at(-1)
  if (end !== undefined && earlier.length === history.times.length && !isSeam(end, first))
    prices[earlier.length - 1] = null
  return { times: [...earlier, ...own.times], prices: [...prices, ...own.prices] }
}

/**
 * Reads the last `windowMs` of a topic from a history. One value: a `Left` if not all of them can be read. The
 * clock of a recorder may be ahead: a later time than the current one counts as that.
 */
export const readPast$ = (
  history: History,
  topic: Topic,
  windowMs: number,
): Observable<Either<HistoryError, PastPrices>> =>
  defer(() => {
    const now = rxClock.wallClock()
    const samples = new PriceSamples()
    const read = (
      result: Either<HistoryError, unknown>,
      event: Either<HistoryError, PastEvent>,
    ): Either<HistoryError, unknown> => {
      if (isLeft(event)) return event
      const { right: past } = event
      if (past._tag === 'Gap') samples.interrupt(Math.min(past.from, now))
      else samples.add(Math.min(past.at, now), past.price)
      return result
    }
    return history.prices$(topic, { from: now - windowMs }).pipe(
      reduce(read, right(undefined)),
      map((result) => (isLeft(result) ? result : right(samples.past(now)))),
    )
  })
