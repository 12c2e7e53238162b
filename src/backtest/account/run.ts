import {
  distinctUntilChanged,
  map,
  ReplaySubject,
  startWith,
  Subject,
  type Subscriber,
  type Observable,
} from 'rxjs'
import { isRight } from 'fp-ts/lib/Either.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { describeValue } from '../../base/errors/text.js'
import { dataWallClock, rxClock } from '../../base/time/clock.js'
import type { Client } from '../../client/client.js'
import { otherRxjsError, withCheckedOperators$ } from '../../testing/other-rxjs.js'
import { writeError } from '../recording/codec/errors.js'
import type { Equity, Filled, OpenOrder, PaperEvent, Position } from './events.js'
import { continueFrom, journalLines, savedStateOf, startLine, type Journal } from './journal/journal.js'
import type { Settings } from './options.js'
import { OrderGate, type MarketEvent } from './order-gate.js'
import type { Order } from './orders.js'
import { onDepth, onEnd, onOrder, onPrice, sample } from './rules.js'
import { gated$, SharedStream } from './shared-stream.js'
import { AccountState } from './state.js'
import { onActiveClock, type AccountTerms } from './terms.js'
import type { TokenState } from './token-state.js'

/** The part of a client that an account needs: live, of a replay, or of a test. */
export type MarketClient = Pick<Client, 'price$' | 'depth$'>

/** The account, as a strategy sees it. It has received all data of its tokens that the strategy has. */
export interface PaperAccount {
  /** Each fill. Inside a handler, `position` contains it. */
  readonly fill$: Observable<Filled>
  /** Throws a `ConfigurationError` for a symbol that is not one of the account. */
  readonly position: (symbol: string) => Position
  /** At once, and after each fill of the token. Throws as `position`. */
  readonly position$: (symbol: string) => Observable<Position>
  /** The last value of the account, if there is one, then each new one. */
  readonly equity$: Observable<Equity>
  /** The open orders: at once, and after each change. */
  readonly open$: Observable<readonly OpenOrder[]>
}

/** A strategy: orders from a client and an account. */
export type PaperStrategy<C> = (client: C, account: PaperAccount) => Observable<Order>

/** One run of an account. Inputs change the state at once; the events of an order of a handler come after those before it. */
export class PaperRun {
  private readonly state: AccountState
  private readonly fill$ = new Subject<Filled>()
  private readonly equity$ = new ReplaySubject<Equity>(1)
  /** Orders, cash or positions have changed. */
  private readonly change$ = new Subject<void>()
  private isEmitting = false
  /** False during a warm-up. */
  private isCounted: boolean
  /** The end of the warm-up, in ms since the Unix epoch: known from the first data on. */
  private countsFrom = Infinity
  private isOver = false
  /** True for an account that continues: it has no start to wait for. */
  private readonly continues: boolean = false
  private unwrittenStart = startLine(rxClock.wallClock())

  constructor(
    private readonly subscriber: Subscriber<PaperEvent>,
    private readonly settings: Settings,
    private readonly terms: AccountTerms = {},
    private readonly journal?: Journal,
  ) {
    this.isCounted = terms.isCounted?.() ?? settings.warmUp === 0
    this.state = new AccountState(settings)
    this.state.liveDecision = terms.liveDecision
    const saved = journal?.saved ?? terms.saved
    if (saved === undefined) return
    this.continues = true
    continueFrom(this.state, saved)
    sample(this.state)
  }

  /** The account subscribes before the strategy, so that it receives each event first. */
  start<C extends MarketClient>(client: C, strategy$: PaperStrategy<C>): void {
    const { state, subscriber } = this
    const { depthInterval } = this.settings
    this.emit()
    const tokens = [...state.tokens.values()]
    // Only a replay has a history. At a finite speed, its data are older than the wall clock, and its timers real.
    const isReplay = 'history' in client
    const wallClock = isReplay && !rxClock.isVirtual ? () => -Infinity : dataWallClock
    const gate = new OrderGate(subscriber, wallClock, (...given) => this.onOrder(...given))
    let open = 2 * tokens.length
    const onComplete = (): void => {
      if (--open === 0) this.end()
    }
    const share = <E extends MarketEvent>(source$: Observable<E>, apply: (event: E) => void) =>
      new SharedStream<E>(subscriber, source$, gate, (event) => this.onData(event, apply), onComplete)
    const markets = tokens.map((token) => ({
      token: token.token,
      price: share(client.price$(token.token.topic), (event) => onPrice(state, token, event, gate.isLate)),
      depth: share(client.depth$(token.token.address, depthInterval), (event) =>
        onDepth(state, token, event),
      ),
    }))
    for (const { price, depth } of markets) {
      price.start()
      depth.start()
    }
    if (subscriber.closed) return
    const prices = new Map(markets.map(({ token, price }) => [token.topic, price.event$]))
    const depths = new Map(markets.map(({ token, depth }) => [token.address, depth.event$]))
    const shared: C = {
      ...client,
      price$: (topic) => prices.get(topic) ?? gated$(gate, client.price$(topic)),
      depth$: (mint, interval) =>
        (interval === depthInterval ? depths.get(mint) : undefined) ??
        gated$(gate, client.depth$(mint, interval)),
    }
    const next = onActiveClock((order: Order) => gate.onOrder(order))
    const error = (thrown: unknown): void => subscriber.error(thrown)
    const order$ = strategy$(shared, this.account)
    // In a replay, timers of another copy would stay real, and their orders would be lost.
    const onOther = (): void => error(otherRxjsError('strategy'))
    subscriber.add((isReplay ? withCheckedOperators$(order$, onOther) : order$).subscribe({ next, error }))
  }

  private onData<E extends MarketEvent>(event: E, apply: (event: E) => void): void {
    if (!this.isCounted) {
      const at = isRight(event) ? event.right.receivedAt : undefined
      if (at !== undefined && this.countsFrom === Infinity) this.countsFrom = at + this.settings.warmUp
      this.countFrom(at)
    }
    apply(event)
    this.emit()
  }

  /** `at`: in ms since the Unix epoch. It is not before the data, which another clock may have stamped. */
  private onOrder(order: Order, at: number, isInformed: boolean): void {
    const decidedAt = Math.max(at, this.state.now)
    this.countFrom(decidedAt)
    if (!this.isCounted || this.isOver) return
    onOrder(this.state, order, decidedAt, isInformed)
    this.emit()
  }

  private end(): void {
    this.isOver = true
    this.countFrom(undefined)
    onEnd(this.state, this.terms.endsFlat === true)
    this.emit()
  }

  /** Ends the warm-up with an input at or after its end. `at`: in ms since the Unix epoch; undefined without a time. */
  private countFrom(at = -Infinity): void {
    if (this.isCounted || !(this.terms.isCounted?.() ?? at >= this.countsFrom)) return
    this.isCounted = true
    if (!this.continues) this.state.begin()
  }

  private emit(): void {
    const { state } = this
    if (this.isEmitting || (state.events.length === 0 && !state.isChanged)) return
    this.isEmitting = true
    while (state.events.length > 0 || state.isChanged) this.emitBatch()
    this.isEmitting = false
    if (!this.isOver) return
    for (const subject$ of [this.fill$, this.equity$, this.change$]) subject$.complete()
    this.subscriber.complete()
  }

  /** Positions and open orders come first: a handler of a fill sees what they are after it. */
  private emitBatch(): void {
    const { state } = this
    const { events, isChanged } = state
    state.events = []
    state.isChanged = false
    // A subscriber may leave while events are emitted: the journal is then closed.
    if (this.subscriber.closed) return
    const isEmitted = this.isCounted || this.continues
    if (isEmitted && this.journal !== undefined && !this.isWritten(this.journal, events)) return
    if (isChanged) this.change$.next()
    for (const event of events) {
      if (isEmitted) this.subscriber.next(event)
      if (event._tag === 'Filled') this.fill$.next(event)
      if (event._tag === 'Equity') this.equity$.next(event)
    }
  }

  private isWritten(journal: Journal, events: readonly PaperEvent[]): boolean {
    try {
      journal.write(this.unwrittenStart + journalLines(events, savedStateOf(this.state)))
      this.unwrittenStart = ''
      return true
    } catch (thrown) {
      this.subscriber.next(writeError(thrown))
      this.subscriber.complete()
      return false
    }
  }

  private tokenOf(symbol: string): TokenState {
    const { tokens } = this.state
    const token = tokens.get(symbol)
    if (token !== undefined) return token
    const expected = `expected a token of the account (${[...tokens.keys()].join(', ')})`
    throw new ConfigurationError('symbol', `${expected}, got ${describeValue(symbol)}`)
  }

  private get account(): PaperAccount {
    /** A value at once and after each change. Without a subscriber, it is not computed. */
    const current$ = <A>(value: () => A, isEqual: (a: A, b: A) => boolean = Object.is): Observable<A> =>
      this.change$.pipe(startWith(undefined), map(value), distinctUntilChanged(isEqual))
    return {
      fill$: this.fill$.asObservable(),
      position: (symbol) => this.tokenOf(symbol).position,
      position$: (symbol) => {
        const token = this.tokenOf(symbol)
        return current$(() => token.position)
      },
      equity$: this.equity$.asObservable(),
      open$: current$(() => this.state.openOrders, areEqual),
    }
  }
}

const areEqual = (a: readonly OpenOrder[], b: readonly OpenOrder[]): boolean =>
  a.length === b.length &&
  a.every(({ id, order, remaining }, i) => {
    const other = b[i]
    return id === other?.id && order === other.order && remaining === other.remaining
  })
