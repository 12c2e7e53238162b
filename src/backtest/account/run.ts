import { distinctUntilChanged, filter, map, Observable, startWith, Subject, type Subscriber } from 'rxjs'
import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { Address } from '../../base/domain/address.js'
import type { Depth } from '../../base/domain/depth.js'
import type { Price } from '../../base/domain/price.js'
import type { Topic } from '../../base/domain/topic.js'
import type { DepthError, PriceError } from '../../base/errors/model.js'
import type { Publish } from '../../base/diagnostics/messages.js'
import { SharedStream } from './shared-stream.js'
import type { Client } from '../../client/client.js'
import { priceFeedOf } from '../../client/price-feed.js'
import { writeError } from '../recording/codec/errors.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { describeValue } from '../../base/errors/text.js'
import { rxClock } from '../../base/time/rx-clock.js'
import type { Stream } from '../../base/time/stream.js'
import type { Equity, Filled, OpenOrder, PaperEvent, Position } from './events.js'
import { journalLines, startLine, type Journal } from './journal/journal.js'
import { continueFrom, savedStateOf } from './journal/saved-state.js'
import type { Settings } from './options.js'
import { OrderGate, type MarketEvent } from './order-gate.js'
import type { Order } from './orders.js'
import { eventsAfter, type AccountInput } from './rules.js'
import { AccountState } from './state.js'
import type { AccountTerms } from './terms.js'
import type { TokenState } from './token-state.js'

/** A smaller difference is an adjustment of the clock, in ms. */
const maxClockStep = 1_000

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

/**
 * One run of an account, from subscription to the end of the data. Inputs change the state at once. Events are emitted
 * one after another: those that follow from an order of a handler come after those of which the handler received one.
 */
export class PaperRun {
  private readonly state: AccountState
  /** The events that are not emitted yet. */
  private events: PaperEvent[] = []
  private readonly fills$ = new Subject<Filled>()
  private readonly equities$ = new Subject<Equity>()
  private lastEquity: Equity | undefined
  private readonly openChanges$ = new Subject<void>()
  /** The symbol of each position that has changed. */
  private readonly positionChanges$ = new Subject<string>()
  /** The version of the state that `open` has. */
  private emitted = 0
  private isEmitting = false
  /** False during a warm-up. */
  private isCounted: boolean
  /** The end of the warm-up, in ms since the Unix epoch: known from the first data on. */
  private countsFrom = Infinity
  private isOver = false
  private isClockBehind = false
  /** The first line of the run in the journal. */
  private unwrittenStart = startLine(rxClock.wallClock())

  constructor(
    private readonly subscriber: Subscriber<PaperEvent>,
    private readonly settings: Settings,
    private readonly terms: AccountTerms,
    private readonly publish: Publish,
    private readonly journal?: Journal,
  ) {
    this.isCounted = terms.isCounted?.() ?? settings.warmUp === 0
    this.state = new AccountState(settings)
    if (journal === undefined) return
    continueFrom(this.state, journal.start)
    this.events = eventsAfter(this.state, { _tag: 'Continue' })
  }

  /** The account subscribes before the strategy, so that it receives each event first. */
  start<C extends MarketClient>(client: C, strategy$: PaperStrategy<C>): void {
    const { state, subscriber } = this
    const { depthInterval } = this.settings
    if (this.events.length > 0) this.emit()
    const prices = new Map<Topic, Stream<Either<PriceError, Price>>>()
    const depths = new Map<Address, Stream<Either<DepthError, Depth>>>()
    let open = 2 * state.tokens.size
    const complete = (): void => {
      if (--open === 0) this.end()
    }
    const currentPrices = () =>
      [...state.tokens.values()]
        .filter(({ price }) => price !== undefined)
        .map(({ token }) => client.price$(token.topic))
    // The time of a timer is not before that of the data, which another clock may have stamped.
    const pass = (order: Order, decidedAt = state.now): void =>
      this.receive({ _tag: 'Order', order, decidedAt: Math.max(decidedAt, state.now) })
    const { isUpToDate } = priceFeedOf(client)
    const gate = new OrderGate(subscriber, depthInterval, isUpToDate, pass, currentPrices)
    const share = <E extends MarketEvent>(
      source$: Observable<E>,
      change: (event: E) => void,
    ): SharedStream<E> => new SharedStream(subscriber, source$, gate, change, complete)
    const streams = [...state.tokens.values()].flatMap((token) => {
      const { topic, address } = token.token
      const price = share(client.price$(topic), (event) =>
        this.receive({ _tag: 'Price', token, event, isLate: gate.isLate }),
      )
      const depth = share(client.depth$(address, depthInterval), (event) =>
        this.receive({ _tag: 'Depth', token, event }),
      )
      prices.set(topic, price.event$)
      depths.set(address, depth.event$)
      return [price, depth]
    })
    for (const each of streams) each.start()
    if (subscriber.closed) return
    const shared: C = {
      ...client,
      price$: (topic) => prices.get(topic) ?? client.price$(topic),
      depth$: (mint, interval) =>
        (interval === depthInterval ? depths.get(mint) : undefined) ?? client.depth$(mint, interval),
    }
    const next = (order: Order): void => gate.onOrder(order)
    const error = (thrown: unknown): void => subscriber.error(thrown)
    subscriber.add(strategy$(shared, this.account).subscribe({ next, error }))
  }

  /** Changes the state, and emits what follows from it. */
  private receive(input: AccountInput): void {
    const { state } = this
    if (!this.isCounted && this.counts(input)) {
      this.isCounted = true
      eventsAfter(state, { _tag: 'Begin' })
    }
    if (!this.isCounted && input._tag === 'Order') return
    const events = eventsAfter(state, input)
    this.checkClock()
    if (events.length > 0) this.events.push(...events)
    if (this.events.length > 0 || state.version !== this.emitted) this.emit()
  }

  /** True if an input comes after the warm-up. */
  private counts(input: AccountInput): boolean {
    const { isCounted } = this.terms
    if (isCounted !== undefined) return isCounted()
    if (input._tag === 'Order') return input.decidedAt >= this.countsFrom
    if (!('event' in input)) return false
    const event: Either<unknown, Price | Depth> = input.event
    if (isLeft(event)) return false
    const { receivedAt } = event.right
    if (this.countsFrom === Infinity) this.countsFrom = receivedAt + this.settings.warmUp
    return receivedAt >= this.countsFrom
  }

  /** Data time, the latest `receivedAt`, is not ahead of the clock unless that was set back. Nobody sets a virtual clock. */
  private checkClock(): void {
    if (rxClock.isVirtual) return
    const behindMs = this.state.now - rxClock.wallClock()
    const wasBehind = this.isClockBehind
    this.isClockBehind = behindMs > maxClockStep
    if (this.isClockBehind && !wasBehind) this.publish('svc-streams:account-clock', () => ({ behindMs }))
  }

  private end(): void {
    this.isOver = true
    this.receive({ _tag: 'End', endsFlat: this.terms.endsFlat })
  }

  private emit(): void {
    if (this.isEmitting) return
    this.isEmitting = true
    while (this.events.length > 0 || this.state.version !== this.emitted) this.emitBatch()
    this.isEmitting = false
    if (!this.isOver) return
    for (const subject$ of [this.fills$, this.equities$, this.openChanges$, this.positionChanges$])
      subject$.complete()
    this.subscriber.complete()
  }

  /** Positions and open orders come first: a handler of a fill sees what they are after it. */
  private emitBatch(): void {
    const { events, state } = this
    this.events = []
    const isChanged = state.version !== this.emitted
    this.emitted = state.version
    // A subscriber may leave while events are emitted: the journal is then closed.
    if (this.subscriber.closed) return
    if (this.journal !== undefined && !this.isWritten(this.journal, events, isChanged)) return
    if (isChanged) {
      for (const event of events) if (event._tag === 'Filled') this.positionChanges$.next(event.symbol)
      this.openChanges$.next()
    }
    for (const event of events) {
      // The account of a journal has no start to wait for.
      if (this.isCounted || this.journal !== undefined) this.subscriber.next(event)
      if (event._tag === 'Filled') this.fills$.next(event)
      if (event._tag === 'Equity') this.equities$.next((this.lastEquity = event))
    }
  }

  /** Writes the events to the journal. If that fails, the run ends. */
  private isWritten(journal: Journal, events: readonly PaperEvent[], isChanged: boolean): boolean {
    const saved = isChanged ? savedStateOf(this.state) : undefined
    try {
      journal.write(this.unwrittenStart + journalLines(events, saved))
      this.unwrittenStart = ''
      return true
    } catch (thrown) {
      this.subscriber.next(writeError(thrown))
      this.subscriber.complete()
      return false
    }
  }

  private tokenOf(symbol: string): TokenState {
    return this.state.tokens.get(symbol) ?? unknownSymbol(symbol, [...this.state.tokens.keys()])
  }

  private get account(): PaperAccount {
    return {
      fill$: this.fills$.asObservable(),
      position: (symbol) => this.tokenOf(symbol).position,
      position$: (symbol) => {
        const token = this.tokenOf(symbol)
        return current$(() => token.position, this.positionChanges$.pipe(filter((each) => each === symbol)))
      },
      equity$: new Observable((subscriber) => {
        if (this.lastEquity !== undefined) subscriber.next(this.lastEquity)
        return this.equities$.subscribe(subscriber)
      }),
      open$: current$(() => this.state.openOrders, this.openChanges$).pipe(distinctUntilChanged(areEqual)),
    }
  }
}

/** A value of the account, at once and after each change. Without a subscriber, it is not computed. */
const current$ = <A>(value: () => A, change$: Observable<unknown>): Observable<A> =>
  change$.pipe(startWith(undefined), map(value))

const areEqual = (a: readonly OpenOrder[], b: readonly OpenOrder[]): boolean =>
  a.length === b.length &&
  a.every(({ id, order, remaining }, i) => {
    const other = b[i]
    return id === other?.id && order === other.order && remaining === other.remaining
  })

const unknownSymbol = (symbol: unknown, symbols: readonly string[]): never => {
  throw new ConfigurationError(
    'symbol',
    `expected a token of the account (${symbols.join(', ')}), got ${describeValue(symbol)}`,
  )
}
