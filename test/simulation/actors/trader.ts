import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { interval, map, merge, NEVER, Observable, Subscription } from 'rxjs'
import type { Address, Depth, DepthError, Price, PriceError, Topic } from 'svc-streams'
import { toStream$ } from 'svc-streams/operators'
import { market, paper, type MarketClient } from 'svc-streams/paper'
import { setPriceFeed } from '../../../src/client/price-feed.js'
import { priceFeedOf } from '../../../src/gateway/server/client-feed.js'
import { Ledger, type SubscriberRecord } from '../invariants/ledger.js'
import { problemOfFailure } from '../invariants/failure-rules.js'
import { problemOfFill, problemOfPrice } from '../invariants/price-rules.js'
import { problemOfState } from '../invariants/state-rules.js'
import type { Link } from '../world/network.js'
import type { PriceLog } from '../world/price-log.js'
import { SimulatedProcess } from '../world/process.js'
import type { World } from '../world/world.js'
import type { ClientPlan, Connect, ConnectedClient } from './connect.js'

/**
 * How a program uses its client. `steady` keeps what it subscribes to. `retry` leaves at a failure and subscribes again.
 * `switch` leaves each topic at its third price and subscribes to the next one, and `impatient` after a random time. `mixed` is
 * steady and impatient in turn. `slow` blocks its event loop in `next`.
 */
export type Strategy = 'steady' | 'retry' | 'switch' | 'impatient' | 'mixed' | 'slow'

export interface TraderPlan extends ClientPlan {
  readonly strategy: Strategy
  /** The index of the gateway whose consumer it is; `undefined` if it connects to the service. */
  readonly via: number | 'nats' | undefined
}

/** What all traders of a simulation share. */
export interface Surroundings {
  readonly world: World
  readonly prices: PriceLog
  readonly topics: readonly Address[]
  /** Called with each violation. */
  readonly report: (who: string, problem: string) => void
  /** True while nothing fails, and all have had the time to recover from the last fault. */
  readonly isRecovered: () => boolean
}

interface Held {
  readonly record: SubscriberRecord
  readonly subscription: Subscription
}

/** After `close`, no socket and no timer may be left by then, in ms. */
const closeMs = 2_000

/** The longest times for which an impatient program keeps a topic, in ms: one is less than a round trip. */
const longestPatience = [8, 300, 3_000]

/** The longest pause of a program between two polls of a mint, in ms. */
const longestPollPause = 600

/** The interval of the polls of the first topic, in ms. Each mint has one interval. */
const shortestInterval = 500

/** The interval of the orders that a timer decides, in ms. */
const tradeInterval = 300

/** A program with one client. */
export class Trader {
  readonly process: SimulatedProcess
  readonly ledger: Ledger
  private readonly connected: ConnectedClient
  private readonly held: Held[] = []
  private readonly polls = new Subscription()
  private isClosed = false
  private subscribed = 0
  /** The end of the last handler that was slow: a time of the process in ms. */
  private blockedUntil = -Infinity

  constructor(
    readonly name: string,
    private readonly plan: TraderPlan,
    private readonly link: Link,
    connect: Connect,
    private readonly surroundings: Surroundings,
  ) {
    const { world, prices } = surroundings
    const onException = (thrown: unknown): void => this.report(`an exception: ${String(thrown)}`)
    this.process = new SimulatedProcess(name, world, plan.clockError, onException, () => this.check())
    this.ledger = new Ledger(name, world, this.process, plan.times, prices)
    this.connected = connect(plan, this.process, link, this.ledger)
  }

  get isIdle(): boolean {
    return this.process.pendingTimers === 0 && this.connected.sockets() + this.connected.requests() === 0
  }

  /** `isUpper`: another spelling of the topic. */
  subscribe(topicIndex: number, isUpper: boolean): void {
    const { strategy } = this.plan
    this.subscribed++
    const isImpatient = strategy === 'impatient' || (strategy === 'mixed' && this.subscribed % 2 === 0)
    this.process.run(() => this.join(topicIndex, isUpper, isImpatient))
  }

  /** Leaves one of the subscribed topics. */
  leave(index: number): void {
    this.process.run(() => {
      const held = this.held[index % Math.max(1, this.held.length)]
      if (held !== undefined) this.drop(held)
    })
  }

  leaveAll(): void {
    this.process.run(() => {
      this.polls.unsubscribe()
      for (const held of [...this.held]) this.drop(held)
    })
  }

  /** Polls the depth of a mint for a time, in ms. Two of three times, it soon does so again. */
  poll(topicIndex: number, ms: number): void {
    const { topics, world } = this.surroundings
    const index = topicIndex % topics.length
    const mint = topics[index]!
    this.process.run(() => {
      if (this.isClosed || this.polls.closed) return
      const subscription = this.depth$(mint, shortestInterval * (index + 1)).subscribe()
      this.polls.add(subscription)
      const leave = (): void => {
        subscription.unsubscribe()
        if (world.between(1, 3) === 1) return
        world.at(world.now + world.between(1, longestPollPause), () =>
          this.poll(topicIndex, world.between(1, ms)),
        )
      }
      world.at(world.now + ms, () => this.process.run(leave))
    })
  }

  /** Trades a token on paper for a time, in ms: an order at each price, at each depth, and in half of the cases by a timer. */
  trade(topicIndex: number, ms: number): void {
    const { topics, world } = this.surroundings
    const index = topicIndex % topics.length
    const address = topics[index]!
    const token = { symbol: 'T', address, topic: `svc-${address}`, decimals: 18 } as const
    const depthInterval = shortestInterval * (index + 1)
    this.process.run(() => {
      if (this.isClosed || this.polls.closed) return
      let record: SubscriberRecord | undefined
      const client = {
        price$: (topic: Topic) => toStream$(this.price$(topic, (joined) => (record = joined))),
        depth$: (mint: Address, everyMs: number) => toStream$(this.depth$(mint, everyMs)),
      }
      setPriceFeed(client, priceFeedOf(this.connected.client))
      // An order of a timer that waits also delays the orders after it, those of depths too.
      const time$ = ms % 2 === 0 ? interval(tradeInterval) : NEVER
      const order$ = (own: MarketClient) =>
        merge(own.price$(token.topic), own.depth$(address, depthInterval), time$).pipe(
          map(() => market('T', 'buy', { units: 1n })),
        )
      const options = {
        tokens: { T: token },
        cash: 1e15,
        feeBps: 0,
        slippageBps: 0,
        latency: 0,
        depthInterval,
      }
      const account = paper(client, order$, options).subscribe((event) => {
        if (event._tag !== 'Filled' || record === undefined) return
        this.ledger.trace(() => `an order is filled at ${event.price}`)
        const problem = problemOfFill(this.ledger, record, event.price)
        if (problem !== undefined) this.report(problem)
      })
      this.polls.add(account)
      world.at(world.now + ms, () => this.process.run(() => account.unsubscribe()))
    })
  }

  close(): void {
    this.process.run(() => {
      if (this.isClosed) return
      this.isClosed = true
      this.ledger.trace(() => 'closes its client')
      void this.connected.client.close()
      if (this.ledger.subscribers.size > 0) this.report('close() did not complete every stream')
      // Here, because a process that is stopped closes its client later.
      this.checkLater(closeMs, () => {
        if (!this.isIdle) this.report(`after close(), ${this.remains()}`)
      })
    })
  }

  /** What a client without subscribers still has. */
  remains(): string {
    const { process, connected } = this
    const timers = `${process.pendingTimers} timers`
    return `there are ${timers}, ${connected.sockets()} sockets, ${connected.requests()} requests`
  }

  /** SIGSTOP, and SIGCONT after a time in ms. */
  pause(ms: number): void {
    const { world } = this.surroundings
    this.process.stop()
    world.at(world.now + ms, () => void this.process.continue())
  }

  /** The process dies; its kernel ends the connections. */
  kill(): void {
    this.process.kill()
    for (const connection of [...this.link.connections]) connection.end('client')
  }

  /** The invariants, as they must hold after each turn of the process and each second. */
  check(): void {
    if (this.process.isDead || this.process.isStopped) return
    const problem = problemOfState(this.ledger) ?? this.connected.problem?.()
    if (problem !== undefined) this.report(problem)
  }

  report(problem: string): void {
    this.surroundings.report(this.name, problem)
  }

  /** Calls back when the process has been running for a time, in ms. */
  private checkLater(ms: number, check: () => void): void {
    const { world } = this.surroundings
    const due = this.process.activeMs + ms
    const look = (): void => {
      if (this.process.isDead) return
      const remaining = due - this.process.activeMs
      if (remaining <= 0) check()
      else world.at(world.now + Math.max(1, remaining), look)
    }
    world.at(world.now + ms, look)
  }

  private join(topicIndex: number, isUpper: boolean, isImpatient = false): void {
    if (this.isClosed) return
    const { topics, world } = this.surroundings
    const address = topics[topicIndex % topics.length]!.slice(2)
    const topic: Topic = `svc-0x${isUpper ? address.toUpperCase() : address}`
    const record = this.ledger.onSubscribe(topic)
    let prices = 0
    const onPrice = (): void => {
      prices++
      if (this.plan.strategy === 'slow' && prices % 8 === 0)
        this.block(world.between(1, prices % 64 === 0 ? 2_000 : 400))
      if (this.plan.strategy !== 'switch' || prices !== 3) return
      this.dropRecord(record)
      this.join(topicIndex + 1, isUpper)
    }
    const subscription: Subscription = this.connected.client.price$(topic).subscribe({
      next: (event) => {
        this.observe(record, event)
        if (!isLeft(event)) return onPrice()
        if (this.plan.strategy !== 'retry' || !record.isActive) return
        // As a program that waits before it retries.
        world.at(world.now + 50, () => this.process.run(() => this.rejoin(record, topicIndex, isUpper)))
      },
      error: (thrown: unknown) => this.report(`price$ emitted an Rx error: ${String(thrown)}`),
      complete: () => this.dropRecord(record),
    })
    if (record.isActive) this.held.push({ record, subscription })
    else subscription.unsubscribe()
    if (!isImpatient) return
    const longest = longestPatience[world.between(0, longestPatience.length - 1)]!
    const leavesAt = world.now + world.between(1, longest)
    world.at(leavesAt, () => this.process.run(() => this.rejoin(record, topicIndex + 1, isUpper, true)))
  }

  /** The stream of a topic, of which the rules know. */
  private price$(
    topic: Topic,
    onJoin: (record: SubscriberRecord) => void,
  ): Observable<Either<PriceError, Price>> {
    return new Observable((subscriber) => {
      const record = this.ledger.onSubscribe(topic)
      onJoin(record)
      subscriber.add(() => this.ledger.onLeave(record))
      return this.connected.client.price$(topic).subscribe({
        next: (event) => {
          this.observe(record, event)
          subscriber.next(event)
        },
        complete: () => subscriber.complete(),
      })
    })
  }

  /** The poll of a mint, of which the rules know. */
  private depth$(mint: Address, everyMs: number): Observable<Either<DepthError, Depth>> {
    return new Observable((subscriber) => {
      const { polls } = this.ledger
      const record = polls.onJoin(mint, everyMs)
      const subscription = this.connected.client.depth$(mint, everyMs).subscribe({
        next: (result) => {
          polls.onResult(record, result)
          subscriber.next(result)
        },
        complete: () => subscriber.complete(),
      })
      subscription.add(() => polls.onLeave(record))
      return subscription
    })
  }

  /** The rules for an event of a topic. */
  private observe(record: SubscriberRecord, event: Either<PriceError, Price>): void {
    this.ledger.trace(
      () => `${record.topic} ${isLeft(event) ? event.left.message : `price ${event.right.price}`}`,
    )
    const problem = isLeft(event)
      ? (problemOfFailure(this.ledger, record, event.left) ?? this.problemWithoutFault(event.left))
      : problemOfPrice(this.ledger, record, event.right)
    if (problem !== undefined) this.report(problem)
    this.ledger.onEvent(record, event)
    if (isLeft(event)) this.onFailure()
  }

  /** Without a fault, there is no failure, except of a program that is slow itself, and of a topic beyond the limit of a gateway. */
  private problemWithoutFault({ _tag, message }: PriceError): string | undefined {
    const isExpected = this.plan.strategy === 'slow' || this.isClosed || _tag === 'SubscriptionRejected'
    return !isExpected && this.surroundings.isRecovered()
      ? `received "${message}" while nothing fails`
      : undefined
  }

  private block(ms: number): void {
    this.process.block(ms)
    this.blockedUntil = this.process.now
  }

  /** A program that makes its prices late itself has all the time of a recovery again, if `maxLag` limits their age. */
  private onFailure(): void {
    const { process, ledger, plan } = this
    const { maxLag } = plan.times
    if (maxLag < Infinity && process.now - this.blockedUntil <= maxLag) ledger.healthySince = process.activeMs
  }

  private rejoin(record: SubscriberRecord, topicIndex: number, isUpper: boolean, isImpatient = false): void {
    if (!record.isActive) return
    this.dropRecord(record)
    this.join(topicIndex, isUpper, isImpatient)
  }

  private dropRecord(record: SubscriberRecord): void {
    const held = this.held.find((each) => each.record === record)
    if (held !== undefined) this.drop(held)
    else this.ledger.onLeave(record)
  }

  private drop(held: Held): void {
    this.held.splice(this.held.indexOf(held), 1)
    this.ledger.onLeave(held.record)
    held.subscription.unsubscribe()
  }
}
