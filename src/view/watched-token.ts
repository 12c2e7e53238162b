import type { DisplayToken, TokenState } from './token-state.js'
import type { TopicState } from '../base/domain/snapshot.js'
import { partOf, rangeOf, type ChartData, type Span } from './chart/chart-data.js'
import { PriceSamples, type PastPrices } from './samples.js'
import type { FillEntry } from './served.js'
import { reachedSide, type Reached, type Threshold, type ThresholdSide } from './threshold.js'

/** `undefined`: not known. */
export interface Figures {
  readonly token: DisplayToken
  readonly state: TopicState
  /** The last price in USD. Current only while the state is `live`. */
  readonly price: number | undefined
  /** Of the price over `spanMs`, in percent; `undefined` unless the price is current, and for less than 10 s. */
  readonly change: number | undefined
  /** The part of the range that has prices, in ms. */
  readonly spanMs: number
  /** The lowest and the highest price of the range, in USD. */
  readonly low: number | undefined
  readonly high: number | undefined
  /** Time since the price was received from the service, in ms. */
  readonly age: number | undefined
  /** Age that the price had when it arrived, in ms; while the connection is behind, the upper bound of it. */
  readonly lag: number | undefined
}

/** The prices of a range, at a time in ms since the Unix epoch. */
export interface ShownPrices {
  readonly at: number
  readonly rangeMs: number
  readonly data: ChartData
  readonly range: Span | undefined
}

/** In ms. A request for depth that takes longer has failed, and a change over a shorter time has no meaning. */
const [requestTimeout, minSpan] = [5000, 10_000]

/** A token of the page: its state, the samples of its chart, and its threshold. */
export class WatchedToken {
  readonly samples = new PriceSamples()
  /** Of an account, the newest first. */
  fills: readonly FillEntry[] = []
  /** True while no price is known to be current. */
  isLate = false
  #state: TokenState
  #threshold: Threshold = {}
  /** The side that the last current price has reached. */
  #side: ThresholdSide | undefined
  #shown: ShownPrices | undefined

  /** `depthInterval`: as in the configuration of the page. */
  constructor(
    state: TokenState,
    private readonly depthInterval: number | null,
  ) {
    this.#state = state
  }

  get state(): TokenState {
    return this.isLate && this.#state.state === 'live' ? { ...this.#state, state: 'stale' } : this.#state
  }

  /** The address in lower case. */
  get address(): string {
    return this.state.token.address.toLowerCase()
  }

  get threshold(): Threshold {
    return this.#threshold
  }

  /** The threshold that the price has reached; `undefined` while the price is not current. */
  get reached(): Reached | undefined {
    const side = this.#side
    const threshold = side === undefined ? undefined : this.#threshold[side]
    if (side === undefined || threshold === undefined || this.state.state !== 'live') return undefined
    return { symbol: this.state.token.symbol, side, threshold }
  }

  /**
   * Replaces the state. `at`: the time of the change, in ms since the Unix epoch. Returns true if a threshold is newly reached. The
   * first price reaches none, because the threshold may have been reached before the page was opened.
   */
  receive(state: TokenState, at: number): boolean {
    const before = this.#state
    if (state === before) return false
    this.#state = state
    const { price } = state
    if (state.state !== 'live' || price === undefined) {
      this.samples.interrupt(at)
      return false
    }
    if (price === before.price) return false
    this.samples.add(at, price.price)
    const side = this.#side
    this.#side = reachedSide(this.#threshold, price.price, side)
    return before.price !== undefined && this.#side !== side && this.#side !== undefined
  }

  /** Replaces the threshold. A threshold that the current price has already reached is not newly reached. */
  setThreshold(threshold: Threshold): void {
    this.#threshold = threshold
    const { state, price } = this.state
    this.#side = state === 'live' && price ? reachedSide(threshold, price.price, undefined) : undefined
  }

  /** Adds the prices from before the page was opened to the chart alone: none of them is current. */
  addPast(past: PastPrices): void {
    this.samples.fill(past)
    this.#shown = undefined
  }

  /** The prices of the last `rangeMs`. At most a second old, unless there was none: they are for figures that change slowly. */
  shown(now: number, rangeMs: number): ShownPrices {
    const shown = this.#shown
    if (shown?.range !== undefined && shown.rangeMs === rangeMs && now - shown.at < 1000) return shown
    const data = partOf(this.samples.data(now, rangeMs), { from: now - rangeMs, to: now })
    return (this.#shown = { at: now, rangeMs, data, range: rangeOf(data.values) })
  }

  /** False if the last request failed or the next result is overdue. `undefined` before the first result, and without depth. */
  isDepthCurrent(now: number): boolean | undefined {
    const { depth, depthError } = this.state
    if (depthError !== undefined) return false
    if (depth === undefined || this.depthInterval === null) return undefined
    return now - depth.receivedAt <= 2 * this.depthInterval + requestTimeout
  }

  /** `now`: in ms since the Unix epoch. `rangeMs`: the time of change, low and high. */
  figures(now: number, rangeMs: number): Figures {
    const { token, state, price } = this.state
    const { data, range } = this.shown(now, rangeMs)
    const index = data.values.findIndex((each) => each !== null)
    const first = data.values[index] ?? undefined
    const spanMs = Math.min(rangeMs, now - (data.times[index] ?? now))
    const isCurrent = state === 'live' && price !== undefined && first !== undefined && spanMs >= minSpan
    const newest = state === 'live' && price !== undefined ? [price.price] : []
    return {
      token,
      state,
      price: price?.price,
      change: isCurrent ? (price.price / first - 1) * 100 : undefined,
      spanMs,
      low: range && Math.min(range.from, ...newest),
      high: range && Math.max(range.to, ...newest),
      age: price === undefined ? undefined : Math.max(0, now - price.receivedAt),
      lag: lagOf(this.state),
    }
  }
}

const lagOf = ({ state, price, priceAt, priceError }: TokenState): number | undefined => {
  if (priceError?._tag === 'Stale' && priceError.behindMs !== undefined) return priceError.behindMs
  return state !== 'live' || price === undefined ? undefined : Math.max(0, priceAt - price.receivedAt)
}
