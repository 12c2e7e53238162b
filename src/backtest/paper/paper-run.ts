import { BehaviorSubject, Observable, Subject, type Subscriber, type Unsubscribable } from 'rxjs'
import type { Client } from '../../client/client.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { describeValue } from '../../base/errors/text.js'
import { AccountState } from './account-state.js'
import type { Equity, Filled, OpenOrder, PaperEvent, Position } from './events.js'
import type { Settings } from './options.js'
import type { Order } from './orders.js'
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

/**
 * One run of an account, from subscription to the end of the data. Inputs change the state at once. Events are emitted
 * one after another: those that follow from an order of a handler come after those of which the handler received one.
 */
export class PaperRun {
  private readonly state: AccountState
  private readonly fills$ = new Subject<Filled>()
  private readonly equities$ = new Subject<Equity>()
  private lastEquity: Equity | undefined
  private readonly open$: BehaviorSubject<readonly OpenOrder[]>
  private readonly positions: ReadonlyMap<string, BehaviorSubject<Position>>
  /** The version of the state that `open` has. */
  private emitted = 0
  private isEmitting = false
  private isOver = false

  constructor(
    private readonly subscriber: Subscriber<PaperEvent>,
    private readonly settings: Settings,
  ) {
    const state = new AccountState(settings)
    this.state = state
    this.open$ = new BehaviorSubject(state.openOrders)
    this.positions = new Map(
      [...state.tokens].map(([symbol, each]) => [symbol, new BehaviorSubject(each.position)]),
    )
  }

  /** The account subscribes before the strategy, so that it receives each event first. */
  start<C extends MarketClient>(client: C, strategy$: PaperStrategy<C>): void {
    const { state, subscriber } = this
    const error = (thrown: unknown): void => subscriber.error(thrown)
    const streams = [...state.tokens.values()].flatMap((token) => this.streamsOf(client, token))
    let open = streams.length
    const complete = (): void => {
      if (--open === 0) this.end()
    }
    for (const subscribe of streams) subscriber.add(subscribe({ error, complete }))
    if (subscriber.closed) return
    const next = (order: Order): void => {
      state.onOrder(order)
      this.emit()
    }
    subscriber.add(strategy$(client, this.account).subscribe({ next, error }))
  }

  private streamsOf(client: MarketClient, token: TokenState): readonly Subscribe[] {
    const { state } = this
    const { topic, address } = token.token
    const emit = (): void => {
      if (state.events.length > 0 || state.version !== this.emitted) this.emit()
    }
    return [
      (rest) =>
        client.price$(topic).subscribe({
          ...rest,
          next: (event) => {
            state.onPrice(token, event)
            emit()
          },
        }),
      (rest) =>
        client.depth$(address, this.settings.depthInterval).subscribe({
          ...rest,
          next: (event) => {
            state.onDepth(token, event)
            emit()
          },
        }),
    ]
  }

  private end(): void {
    this.state.onEnd()
    this.isOver = true
    this.emit()
  }

  private emit(): void {
    if (this.isEmitting) return
    this.isEmitting = true
    while (this.state.events.length > 0 || this.state.version !== this.emitted) this.emitBatch()
    this.isEmitting = false
    if (!this.isOver) return
    for (const subject$ of [this.fills$, this.equities$, this.open$, ...this.positions.values()])
      subject$.complete()
    this.subscriber.complete()
  }

  /** Positions and open orders come first: a handler of a fill sees what they are after it. */
  private emitBatch(): void {
    const { state } = this
    const events = state.events.splice(0)
    if (state.version !== this.emitted) {
      this.emitted = state.version
      for (const event of events) if (event._tag === 'Filled') this.emitPosition(event.symbol)
      this.open$.next(state.openOrders)
    }
    for (const event of events) {
      this.subscriber.next(event)
      if (event._tag === 'Filled') this.fills$.next(event)
      if (event._tag === 'Equity') this.equities$.next((this.lastEquity = event))
    }
  }

  private emitPosition(symbol: string): void {
    this.positions.get(symbol)?.next(this.tokenOf(symbol).position)
  }

  private tokenOf(symbol: string): TokenState {
    return this.state.tokens.get(symbol) ?? unknownSymbol(symbol, [...this.state.tokens.keys()])
  }

  private get account(): PaperAccount {
    return {
      fill$: this.fills$.asObservable(),
      position: (symbol) => this.tokenOf(symbol).position,
      position$: (symbol) =>
        (this.positions.get(symbol) ?? unknownSymbol(symbol, [...this.positions.keys()])).asObservable(),
      equity$: new Observable((subscriber) => {
        if (this.lastEquity !== undefined) subscriber.next(this.lastEquity)
        return this.equities$.subscribe(subscriber)
      }),
      open$: this.open$.asObservable(),
    }
  }
}

/** Subscribes to one stream of a client. */
type Subscribe = (rest: {
  readonly error: (thrown: unknown) => void
  readonly complete: () => void
}) => Unsubscribable

const unknownSymbol = (symbol: unknown, symbols: readonly string[]): never => {
  throw new ConfigurationError(
    'symbol',
    `expected a token of the account (${symbols.join(', ')}), got ${describeValue(symbol)}`,
  )
}
