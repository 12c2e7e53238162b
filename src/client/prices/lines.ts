import { left } from 'fp-ts/lib/Either.js'
import { Observable, Subject, type Subscriber, type Subscription } from 'rxjs'
import { type Address, baseAddressOf, isTopicOf, type Topic } from '../../base/domain/topic.js'
import type { LiveSource, PricePosition } from '../../base/domain/past.js'
import type { LineSnapshot, TopicSnapshot, ConnectionStatus } from '../../base/domain/snapshot.js'
import type { Wake } from '../../wire/platform/platform.js'
import { clientClosed, invalidTopic } from '../../base/errors/constructors.js'
import type { UncorrelatedError } from '../../base/errors/model.js'
import { withSafeComplete$ } from '../../base/task/safe-notify.js'
import { AtOnceLimit } from '../../base/time/at-once-limit.js'
import { asap, deadline, RateLimiter } from '../../base/time/timers.js'
import { deliveryTo, type Effect } from './effects.js'
import { Line, nextFront, type LineConfig } from './line.js'
import type { FailureOf } from './frame-receiver.js'
import { addTeardown, PriceSubscription, type PriceEvent } from './subscribers.js'
import { Rotation } from './rotation.js'
import { copyPrice, positionIn, staleEvent, takeOver } from './topics.js'

export interface LinesConfig extends Omit<LineConfig, PerLine | 'rateLimiter' | 'nextEpoch'> {
  /** The number of connections that carry each topic at once. */
  readonly lines: number
  /** The age at which a line is replaced, in ms. */
  readonly rotateAfter: number
}

type PerLine =
  | 'firstHost'
  | 'line'
  | 'isFront'
  | 'onStatus'
  | 'onFailing'
  | 'onHeld'
  | 'onUncorrelated'
  | 'onMeasured'
  | 'onDraining'

/** The number of checks of the lines within `maxLag`, and the longest time between two, in ms. */
const checksPerMaxLag = 16
const longestCheck = 500

/**
 * The live prices of one client, over one line or several: each carries all wanted topics. The subscribers are those of the
 * front. The other lines stand by: they have the same topics without subscribers, and therefore deliver nothing.
 */
export class Lines {
  private readonly lines: Line[]
  private front: Line
  private readonly statuses$ = new Subject<ConnectionStatus>()
  private readonly uncorrelated$ = new Subject<UncorrelatedError>()
  private readonly measurements$ = new Subject<undefined>()
  private readonly rateLimiter: RateLimiter
  private readonly limit: AtOnceLimit
  status: ConnectionStatus = { _tag: 'Idle' }
  /** The status of the front which `status` shows. */
  private frontStatus = this.status
  /** How often another line came to the front. */
  private switches = 0
  private check: Subscription | undefined
  private rotation: Rotation | undefined
  private lastEpoch = 0
  private closed = false

  readonly status$ = new Observable<ConnectionStatus>((subscriber) => {
    const { status } = this
    const isClosed = status._tag === 'Closed'
    if (isClosed) subscriber.next(status)
    withSafeComplete$(this.statuses$).subscribe(subscriber)
    // Called after joining, so that this subscriber receives a change inside `next`.
    if (!isClosed) subscriber.next(status)
  })
  readonly errors$ = withSafeComplete$(this.uncorrelated$)

  /** Emits when a connection of the front has answered a probe. Never completes. */
  readonly measured$ = new Observable<unknown>((subscriber) => this.measurements$.subscribe(subscriber))

  constructor(private readonly config: LinesConfig) {
    this.limit = new AtOnceLimit(config.clock)
    this.rateLimiter = new RateLimiter(config.maxFramesPerSecond)
    const front = this.createLine(0)
    const others = Array.from({ length: config.lines - 1 }, (_, index) => this.createLine(index + 1))
    this.front = front
    this.lines = [front, ...others]
  }

  /** The prices of a topic, and the position and the age of the last one. */
  sourceOf(topic: Topic): LiveSource<PriceEvent> & { readonly age: () => number } {
    const { service, secrets } = this.config
    const base = isTopicOf(topic, service) ? baseAddressOf(topic, service) : undefined
    const open$ = (onConfirmed?: () => void) =>
      new Observable<PriceEvent>((subscriber) => {
        if (!this.closed && base !== undefined) {
          const join = (target: Subscriber<PriceEvent>): void => this.join(base, topic, target, onConfirmed)
          const isFailing = this.front.connectionFor(base, topic).isFailing(base)
          if (isFailing) this.limit.subscribe(new Observable(join), subscriber)
          else join(subscriber)
          return
        }
        // The caller may have confused the topic with a secret.
        const error = this.closed ? clientClosed : secrets.redactError(invalidTopic(topic, service))
        subscriber.next(left(error))
        subscriber.complete()
      })
    const position = (): PricePosition | undefined => {
      const state = base && this.front.topic(base)
      return state && positionIn(state)
    }
    const isCurrent = (): boolean =>
      base === undefined || this.front.connectionOf(base)?.session?.isUpToDate() !== false
    const age = (): number => (base && this.front.connectionOf(base)?.priceAge(base)) ?? 0
    return { open$, position, isCurrent, age }
  }

  snapshot(): readonly TopicSnapshot[] {
    return this.front.connections.flatMap((connection) => connection.snapshot())
  }

  lineSnapshots(): readonly LineSnapshot[] {
    return this.lines.map((line) => line.snapshot(line === this.front))
  }

  /** Like `PriceFeed.requestProbe`, for the front. A connection that is closed, or of unbounded age, counts as answered. */
  requestProbe(spacing: number): () => boolean {
    const missing = this.front.connections.map(({ session }) => session?.lag.request(spacing))
    const { front } = this
    return () =>
      this.front === front
        ? missing.some((isMissing) => isMissing?.() === true)
        : // The new front is measured by the probe that ends its hold.
          this.front.connections.some(({ session }) => session?.lag.isHolding === true)
  }

  /** False if the service answers no probes on an open connection. */
  isBounded(): boolean {
    return this.front.connections.every(({ session }) => session?.lag.isBounded !== false)
  }

  /** False if data that have arrived on an open connection may be older than `maxLag`. */
  isUpToDate(): boolean {
    return this.front.connections.every(({ session }) => session?.isUpToDate() !== false)
  }

  /** False while a last price is in force that may be older than `maxLag`, until an answer or its `Stale`. */
  areSettled(): boolean {
    return this.front.connections.every(
      ({ session }) => session?.lag.isBehind !== false || session.lag.isInTime(),
    )
  }

  wake(event: Wake): void {
    for (const { connections } of this.lines)
      for (const connection of [...connections]) connection.wake(event)
  }

  close(): void {
    if (this.closed) return
    this.closed = true
    this.check?.unsubscribe()
    this.rotation?.stop()
    for (const line of this.lines) line.close()
    this.setStatus({ _tag: 'Closed' })
    this.statuses$.complete()
    this.uncorrelated$.complete()
  }

  // The subscribers.

  private join(base: Address, topic: Topic, target: Subscriber<PriceEvent>, onConfirmed?: () => void): void {
    const { front, lines } = this
    const subscription = new PriceSubscription(base, topic, target, onConfirmed, this.onUnsubscribe)
    if (lines.length > 1) for (const line of lines) line.want(base, topic)
    this.startChecks()
    addTeardown(target, front.connectionFor(base, topic).subscribe(subscription))
  }

  private readonly onUnsubscribe = (subscription: PriceSubscription): void => {
    const { base } = subscription
    const { front } = this
    // A topic that is rejected has no connection.
    front.connectionOf(base)?.leave(base, subscription)
    if (front.topic(base)?.first !== undefined) return
    for (const line of this.lines) if (line !== front) line.connectionOf(base)?.leave(base)
  }

  // The lines.

  private createLine(index: number): Line {
    const { config, rateLimiter } = this
    const isFront = (): boolean => this.front === line
    const line: Line = new Line({
      ...config,
      rateLimiter,
      firstHost: index % config.hosts.length,
      line: {},
      isFront,
      nextEpoch: () => ++this.lastEpoch,
      onStatus: () => this.onStatus(line),
      onFailing: (eventFor) => (isFront() ? this.changeFront(eventFor) : []),
      onHeld: () => {
        if (isFront()) this.checkFront()
      },
      onUncorrelated: (error) => {
        if (isFront()) this.uncorrelated$.next(error)
      },
      onMeasured: () => (isFront() ? this.measurements$.next(undefined) : this.checkFront()),
      onDraining: () => {
        line.isDraining = true
        this.rotateNext()
      },
    })
    return line
  }

  private onStatus(line: Line): void {
    this.setStatus(this.front.status)
    if (line === this.rotation?.successor) this.rotation.check()
    if (line === this.front) return
    // Another line comes to the front only after the answer to a probe, which can be sent after this event of the connection.
    for (const { session } of line.connections)
      if (session?.lag.isMeasured === false) asap(this.config.clock, () => session.lag.request(0))
  }

  /** Starts the checks of the lines. They end when no topic is wanted. */
  private startChecks(): void {
    const { lines, rotateAfter, clock, maxLag } = this.config
    if ((lines === 1 && rotateAfter === Infinity) || this.check?.closed === false) return
    const interval = Math.min(maxLag / checksPerMaxLag, longestCheck)
    const prices = (): number => this.lines.reduce((sum, line) => sum + line.prices, 0)
    this.check = deadline(clock, interval, () => this.onCheck(), prices)
  }

  private onCheck(): void {
    this.check?.unsubscribe()
    if (this.lines.every(({ status }) => status._tag === 'Idle')) return
    this.startChecks()
    for (const line of this.lines) line.checkSilence(this.lines)
    this.checkFront(false)
    this.rotateNext()
  }

  /** Puts another line in front, if the prices of the front are not current. `isPatient`: see `nextFront`. */
  private checkFront(isPatient = true): void {
    const now = this.config.clock.elapsed()
    this.performSwitch(() => this.changeFront((state) => staleEvent(state, now), isPatient))
  }

  /** Emits the status of the new front, if there is one, and performs the effects. */
  private performSwitch(change: () => readonly Effect[]): void {
    const { front } = this
    const effects = change()
    if (front === this.front) return
    this.setStatus(this.front.status)
    front.connections[0]?.perform(effects)
  }

  /** Like `checkFront`, but returns what the subscribers receive whose topic has no current price on the new front. */
  private changeFront(eventFor: FailureOf, isPatient = true): readonly Effect[] {
    if (this.lines.length === 1 || this.closed) return []
    const line = nextFront(this.lines, this.front, isPatient)
    return line === this.front ? [] : this.switchTo(line, eventFor)
  }

  private switchTo(line: Line, eventFor: FailureOf, plan?: Rotation): readonly Effect[] {
    const { front } = this
    const { topics, host } = front
    this.front = line
    const message = { host: line.host.name, previousHost: host.name, switches: ++this.switches }
    const effects: Effect[] = [{ _tag: 'Switched', message }]
    for (const state of topics) {
      if (state.first === undefined) continue
      const next = line.want(state.base, state.topic)
      const { isLost, isConfirmed } = takeOver(state, next, plan !== undefined)
      if (isConfirmed) effects.push({ _tag: 'Confirmed', state: next, confirmMs: 0 })
      if (!isLost) continue
      next.failure ??= { eventFor: eventFor(state) }
      effects.push(deliveryTo(next, next.failure.eventFor))
    }
    // A line whose prices are held, or followed by a failure, proves nothing about those of its successor.
    const isProven = plan?.agrees === true && !topics.some(({ held, failure }) => held ?? failure)
    for (const connection of line.connections) connection.onFront(isProven)
    return effects
  }

  // The replacement of lines.

  /** Replaces a line that will be closed, is too old, or shares its host although another one has no line. One at a time. */
  private rotateNext(): void {
    if (this.rotation !== undefined || this.closed) return
    const { hosts, rotateAfter, clock } = this.config
    const now = clock.elapsed()
    const isOld = ({ openedAt = Infinity }: Line): boolean => now - openedAt >= rotateAfter
    const old = this.lines.find((line) => line.isDraining) ?? this.lines.find(isOld)
    // The only address may be that of a load balancer, with another gateway behind it: one dial shows it.
    const isOptional = old?.isDraining === true && hosts.length === 1
    // On its own host unless that drains: on the next one, it might share the host of another line.
    if (old !== undefined)
      return this.rotate(old, hosts.indexOf(old.host) + Number(old.isDraining), isOptional)
    const used = this.lines.map(({ host }) => host)
    const unused = hosts.findIndex((host) => !used.includes(host) && host.retryAt <= now)
    const isSpare = (line: Line): boolean =>
      line !== this.front && used.indexOf(line.host) !== used.lastIndexOf(line.host)
    const spare = this.lines.find((line) => isSpare(line) && line.phase === 'ready')
    if (unused >= 0 && spare !== undefined) this.rotate(spare, unused, true)
  }

  private rotate(old: Line, firstHost: number, isOptional: boolean): void {
    const successor = this.createLine(firstHost)
    this.lines.push(successor)
    for (const { base, topic, idleSince } of old.topics)
      if (idleSince === undefined) successor.want(base, topic)
    const onEnd = (isReplaced: boolean): void => this.onRotated(isReplaced)
    this.rotation = new Rotation(old, successor, { ...this.config, isOptional, onEnd })
  }

  private onRotated(isReplaced: boolean): void {
    const { rotation } = this
    if (rotation === undefined) return
    const { old, successor } = rotation
    const now = this.config.clock.elapsed()
    this.rotation = undefined
    if (isReplaced && successor !== this.front)
      for (const state of old.topics) copyPrice(state, successor.topic(state.base))
    if (isReplaced && old === this.front)
      this.performSwitch(() => this.switchTo(successor, (state) => staleEvent(state, now), rotation))
    // The old line may have been lost first: the successor is in front, and is dialled again.
    const dropped = isReplaced || successor === this.front ? old : successor
    if (dropped === successor) old.isDraining = false
    this.lines.splice(this.lines.indexOf(dropped), 1)
    dropped.close()
    this.rotateNext()
  }

  private setStatus(status: ConnectionStatus): void {
    if (this.frontStatus === status || this.status._tag === 'Closed') return
    this.frontStatus = status
    const hasSwitches = status._tag === 'Open' && (this.config.lines > 1 || this.switches > 0)
    this.status = hasSwitches ? { ...status, switches: this.switches } : status
    this.statuses$.next(this.status)
  }
}
