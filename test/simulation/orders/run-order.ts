import { assertNever } from '../../../src/base/domain/assert-never.js'
import {
  confirmTimeout,
  connectTimeout,
  Core,
  nameOf,
  redialDelay,
  staleAfter,
  topicOf,
  type CoreSubscriber,
  type CoreTimes,
} from './core.js'
import { describeEvent, isSameTick, names, type Event, type Name } from './events.js'
import { WireModel } from './model.js'
import { problemOfCore } from './rules.js'

/** Once a service is correct, everything is live or released after at most this many events. */
const maxRecovery = 24

/** The core, the events so far, and what must follow from them. */
export class OrderRun {
  readonly core: Core
  wire = new WireModel()
  /** When the last subscriber of a topic left, in ms. */
  readonly idleSince: Record<Name, number | undefined> = { A: undefined, B: undefined }
  isClosed = false
  /** The first violation. */
  problem: string | undefined
  private readonly history: string[] = []
  private isTickOpen = false
  private lastPrice = 0
  private epoch = 0
  private dialledAt = 0
  private dials = 0
  private wasOpened = false
  /** When the next dial after a failure is due, in ms; `undefined` without a failure since the last opening. */
  private retryAt: number | undefined
  private readonly expected = new Map<CoreSubscriber, string[]>()

  constructor(readonly times: CoreTimes) {
    this.core = new Core(times, (frame) => this.onFrame(frame))
  }

  get now(): number {
    return this.core.clock.elapsed()
  }

  get description(): string {
    return `${this.history.join(', ')}: ${this.problem ?? 'no problem'} (linger ${this.times.linger} ms)`
  }

  /** The events that can occur now. `B` is not named before `A`: another order is the same with the names exchanged. */
  get possible(): readonly Event[] {
    if (this.isClosed) return []
    const { core, wire, history } = this
    const events: Event[] = []
    const isStarted = history.length > 0
    for (const topic of isStarted ? names : names.slice(0, 1)) {
      const count = core.activeOf(topic).length
      for (const sameTick of [false, true]) {
        if (count < 2) events.push({ do: 'subscribe', topic, isSameTick: sameTick })
        if (count > 0) events.push({ do: 'unsubscribe', topic, isSameTick: sameTick })
      }
      if (core.socket?.state !== 'open') continue
      if (wire.unanswered.includes(topic)) events.push({ do: 'confirm', topic }, { do: 'reject', topic })
      if (wire.topics[topic].isServed) events.push({ do: 'price', topic })
    }
    if (wire.unanswered.length > 0) events.push({ do: 'error text' })
    if (core.socket?.state === 'connecting') events.push({ do: 'open' })
    if (core.socket !== undefined) events.push({ do: 'drop' })
    if (core.hasTimer && !this.isTickOpen) events.push({ do: 'timeout' })
    if (isStarted) events.push({ do: 'close' })
    return events
  }

  perform(event: Event, isChecked = true): void {
    const { core } = this
    this.history.push(describeEvent(event))
    const before = new Map(core.subscribers.map((each) => [each, each.events.length]))
    this.expected.clear()
    if (!this.isTickOpen) this.moveTo(event.do === 'timeout' ? core.clock.nextTimerAt : this.now + 1)
    this.apply(event)
    this.isTickOpen = isSameTick(event)
    if (!this.isTickOpen) this.turn()
    if (!isChecked || this.problem !== undefined) return
    for (const subscriber of core.subscribers) {
      const got = subscriber.events.slice(before.get(subscriber) ?? 0).join(', ')
      const due = (this.expected.get(subscriber) ?? []).join(', ')
      if (got !== due) this.report(`a subscriber of ${subscriber.name} receives [${got}], expected [${due}]`)
    }
    if (!this.isTickOpen) this.report(problemOfCore(this))
  }

  /** The service and the network are correct from now on: everything becomes live or is released. Then the client is closed. */
  finish(): void {
    const fresh = new Set<Name>()
    for (let count = 0; this.problem === undefined && !this.isClosed; count++) {
      const next = this.nextOfRecovery(fresh)
      if (count > maxRecovery) return this.report(`no recovery within ${maxRecovery} events`)
      this.perform(next)
      if (next.do === 'price') fresh.add(next.topic)
      if (next.do === 'drop' || next.do === 'open') fresh.clear()
    }
  }

  private nextOfRecovery(fresh: ReadonlySet<Name>): Event {
    const { core, wire } = this
    if (core.socket?.state === 'connecting') return { do: 'open' }
    const [topic] = wire.unanswered
    if (topic !== undefined) return { do: 'confirm', topic }
    const wanted = names.filter((name) => core.activeOf(name).length > 0)
    const due = wanted.find((name) => wire.topics[name].isRequested && !fresh.has(name))
    if (due !== undefined) return { do: 'price', topic: due }
    const isReleased = names.every((name) => wanted.includes(name) || !wire.topics[name].isRequested)
    const isDone = wanted.every((name) => fresh.has(name)) && isReleased
    return isDone ? { do: 'close' } : { do: 'timeout' }
  }

  private apply(event: Event): void {
    const { core, wire, now } = this
    switch (event.do) {
      case 'subscribe':
        return this.subscribe(event.topic)
      case 'unsubscribe': {
        core.unsubscribe(core.activeOf(event.topic)[0]!)
        if (core.activeOf(event.topic).length === 0) this.idleSince[event.topic] = now
        return
      }
      case 'confirm':
        wire.onConfirmation(event.topic, now)
        return core.receive(JSON.stringify({ subscriptions: [topicOf(event.topic)] }))
      case 'price': {
        const price = ++this.lastPrice
        if (wire.onPrice(event.topic, price, now))
          this.expectAll(event.topic, `price ${price} of ${this.epoch}`)
        return core.receive(JSON.stringify({ topic: topicOf(event.topic), price }))
      }
      case 'error text':
        this.expectRejection(wire.onErrorText(now))
        return core.receive('Error: internal')
      case 'reject':
        this.expectRejection(wire.onRejection(event.topic))
        return core.receive(`Invalid topic: ${topicOf(event.topic)}`)
      case 'open':
        this.wire = new WireModel()
        this.wasOpened = true
        this.epoch++
        this.retryAt = undefined
        return core.socket?.open()
      case 'drop':
        this.onDown()
        core.socket?.drop()
        return this.onRetry()
      case 'timeout':
        return
      case 'close':
        return this.close()
      default:
        return assertNever(event)
    }
  }

  private subscribe(name: Name): void {
    const { core, wire } = this
    const { isRequested, isLive, activeAt, price } = wire.topics[name]
    const subscriber = core.subscribe(name)
    this.idleSince[name] = undefined
    if (this.hasFailed) return this.expect(subscriber, 'Disconnected')
    if (!isRequested || activeAt === undefined) return
    if (!isLive) return this.expect(subscriber, 'Stale')
    if (price !== undefined) this.expect(subscriber, `price ${price} of ${this.epoch}`)
  }

  /** A new subscriber receives the failure while the client still wants the connection, or waits for the next dial. */
  private get hasFailed(): boolean {
    const isIdle = this.core.status._tag === 'Idle'
    return this.retryAt !== undefined && (!isIdle || this.now < this.retryAt)
  }

  private close(): void {
    this.isClosed = true
    for (const name of names) this.expectAll(name, 'completes')
    this.core.close()
    const late = this.core.subscribe('A')
    this.expect(late, 'ClientClosed', 'completes')
  }

  /** Moves the time, with what must follow from that. */
  private moveTo(at: number): void {
    const { core, wire } = this
    if (core.socket?.state === 'connecting' && this.dialledAt + connectTimeout <= at) this.onDown()
    for (const name of names) {
      const topic = wire.topics[name]
      if (wire.isPending(name) && topic.requestedAt + confirmTimeout <= at) {
        topic.timedOutAt = topic.requestedAt + confirmTimeout
        this.expectAll(name, 'SubscriptionTimeout')
      }
      if (topic.isLive && topic.activeAt! + staleAfter <= at) {
        topic.isLive = false
        this.expectAll(name, 'Stale')
      }
    }
    core.clock.moveTo(at)
    this.turn()
  }

  private turn(): void {
    const { core } = this
    // A dial that begins after the wait for it has ended, and while nothing was wanted, forgets the failure.
    if (core.status._tag === 'Idle' && this.now >= (this.retryAt ?? Infinity)) this.retryAt = undefined
    core.clock.turn()
    const { sockets } = core.transport
    if (sockets.length > this.dials) {
      const isAborted = !this.wasOpened && sockets[this.dials - 1]?.endCalls[0] === 'close'
      if (isAborted && this.now < this.dialledAt + redialDelay)
        this.report('an aborted dial is repeated at once')
      this.dials = sockets.length
      this.dialledAt = this.now
      this.wasOpened = false
    }
    if (sockets.filter(({ state }) => state !== 'closed').length > 1) this.report('two sockets are open')
    if (core.socket === undefined) this.wire = new WireModel()
    this.onRetry()
  }

  private onDown(): void {
    this.wire = new WireModel()
    for (const name of names) this.expectAll(name, 'Disconnected')
    this.retryAt = Infinity
  }

  private onRetry(): void {
    const { status } = this.core
    if (this.retryAt === Infinity && status._tag === 'Waiting') this.retryAt = this.now + status.retryInMs
  }

  private onFrame(frame: string): void {
    const { method, topic } = JSON.parse(frame) as { readonly method: string; readonly topic: string }
    const name = nameOf(topic)
    const isWanted = this.core.activeOf(name).length > 0
    if (method === 'subscribe') {
      // Also of a topic that lingers: it may be wanted again before the answer.
      return this.report(this.wire.onSubscribe(name, this.now))
    }
    if (isWanted) this.report(`${name} is released, and it is wanted`)
    this.wire.onUnsubscribe(name, this.now, confirmTimeout)
  }

  private expect(subscriber: CoreSubscriber, ...words: readonly string[]): void {
    this.expected.set(subscriber, [...(this.expected.get(subscriber) ?? []), ...words])
  }

  private expectAll(name: Name, ...words: readonly string[]): void {
    for (const subscriber of this.core.activeOf(name)) this.expect(subscriber, ...words)
  }

  private expectRejection(name: Name | undefined): void {
    if (name !== undefined) this.expectAll(name, 'SubscriptionRejected', 'completes')
  }

  private report(problem: string | undefined): void {
    this.problem ??= problem
  }
}
