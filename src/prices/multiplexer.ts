import { Observable, Subscription, takeUntil, type Subscriber, type Unsubscribable } from 'rxjs'
import { publish } from '../diagnostics/publish.js'
import type { Address } from '../domain/address.js'
import type { ConnectionStatus } from '../domain/status.js'
import type { Topic } from '../domain/topic.js'
import type { Disconnected, UncorrelatedError } from '../errors/model.js'
import {
  ReconnectingSocket,
  type ReconnectingConfig,
  type ConnectionEvent,
  type OpenedEvent,
} from '../socket/reconnecting.js'
import { complete } from '../task/safe-notify.js'
import { elapsed } from '../time/clock.js'
import { CoalescedTask } from '../time/coalesced-task.js'
import { DeadlineTimer } from '../time/deadline-timer.js'
import type { RunInClock } from '../time/virtual-time.js'
import { deliver } from './fan-out.js'
import { FrameHandler } from './frame-handler.js'
import { failureEvent, initialEvent } from './price-events.js'
import { Listening } from './price-subscriber.js'
import { publishFailure } from './publish-failure.js'
import type { RateLimiter } from './rate-limiter.js'
import { Subscriptions } from './subscriptions.js'
import type { TopicState, PriceSubscriber, TopicTimeouts, PriceEvent } from './topic-state.js'

export interface MultiplexerConfig extends ReconnectingConfig, TopicTimeouts {
  readonly service: string
  /** What all connections of the client may send. */
  readonly budget: RateLimiter
  /** The time that the client lives in. */
  readonly inTime: RunInClock
}

/** What a shard tells besides its deliveries. */
export interface MultiplexerListener {
  /** Its status has changed. */
  readonly status: () => void
  readonly uncorrelated: (error: UncorrelatedError) => void
}

/** Frames that go out in one go; then the event loop has its turn. */
const burst = 256

/**
 * One connection and the topics on it. Whatever happens only changes the state; one deferred `reconcile` then
 * derives from it whether to dial, which frames to send, and whether to hang up.
 */
export class Multiplexer {
  private current: ConnectionStatus = { _tag: 'Idle' }
  private readonly subscriptions: Subscriptions
  private readonly connection: ReconnectingSocket
  private readonly incoming: FrameHandler
  private dialled: Subscription | undefined
  private open: OpenedEvent | undefined
  /** Why there is no connection, where the last attempt failed. */
  private down: Disconnected | undefined
  /** Of reconciling. It waits where frames are to be allowed again. */
  private readonly turns = new CoalescedTask(() => this.reconcile())
  private readonly alarm = new DeadlineTimer(
    () => this.open?.seen() ?? 0,
    () => this.onAlarm(),
  )

  constructor(
    private readonly config: MultiplexerConfig,
    private readonly listener: MultiplexerListener,
  ) {
    this.subscriptions = new Subscriptions(config, ({ topic }, confirmMs) => {
      const epoch = this.open?.epoch ?? 0
      publish('svc-streams:subscribed', () => ({ host: config.host, topic, epoch, confirmMs }))
    })
    this.connection = new ReconnectingSocket(config)
    this.incoming = new FrameHandler({
      subscriptions: this.subscriptions,
      service: config.service,
      host: config.host,
      epoch: () => this.open?.epoch ?? 0,
      uncorrelated: listener.uncorrelated,
      changed: () => this.changed(),
    })
  }

  get status(): ConnectionStatus {
    return this.current
  }

  get size(): number {
    return this.subscriptions.size
  }

  get entries(): Iterable<TopicState> {
    return this.subscriptions.all
  }

  has(base: Address): boolean {
    return this.subscriptions.has(base)
  }

  /** Adds a listener, and tells it what holds now. It leaves by unsubscribing. */
  join(base: Address, topic: Topic, subscriber: Subscriber<PriceEvent>): Unsubscribable {
    return this.config.inTime(() => this.admit(base, topic, subscriber))
  }

  private admit(base: Address, topic: Topic, subscriber: Subscriber<PriceEvent>): Unsubscribable {
    const listening = new Listening(topic, subscriber, this.left)
    const entry = this.subscriptions.join(base, listening)
    listening.entry = entry
    this.turns.afterTick()
    const { down } = this
    const tell =
      down !== undefined && this.isDown
        ? failureEvent(() => down)
        : initialEvent(entry, this.config, elapsed())
    if (tell !== undefined) subscriber.next(tell(topic))
    return listening
  }

  /** Ends it all: the socket, the timers, the listeners' streams. */
  close(): void {
    const subscribers = this.hangUp({ _tag: 'Closed' })
    this.subscriptions.clear()
    for (const { subscriber } of subscribers) complete(subscriber)
  }

  private readonly left = (listener: PriceSubscriber, entry: TopicState): void =>
    this.config.inTime(() => {
      this.subscriptions.leave(entry, listener, elapsed())
      this.setAlarm()
      this.turns.afterTick()
    })

  /** Coming back while the wait for the next attempt runs still is coming to a connection that is down. */
  private get isDown(): boolean {
    return this.dialled !== undefined || this.connection.retryInMs > 0
  }

  private changed(): void {
    this.setAlarm()
    const owes = this.subscriptions.hasPendingFrames && !this.turns.isDelayed
    if (owes || this.subscriptions.size === 0) this.turns.afterTick()
  }

  private reconcile(): void {
    if (this.open !== undefined) this.sendFrames(this.open)
    if (!this.subscriptions.isWanted(elapsed())) this.hangUp({ _tag: 'Idle' })
    else if (this.dialled === undefined) this.dial()
  }

  private sendFrames({ socket }: OpenedEvent): void {
    const now = elapsed()
    const { budget } = this.config
    const frames = this.subscriptions.takeFrames(Math.min(burst, budget.available(now)), now)
    budget.consume(frames.length, now)
    for (const frame of frames) socket.send(frame)
    if (this.subscriptions.hasPendingFrames) this.sendMoreAfter(budget.wait(now))
    this.setAlarm()
  }

  private sendMoreAfter(wait: number): void {
    if (wait === 0) this.turns.afterTurn()
    else this.turns.afterDelay(wait)
  }

  private dial(): void {
    const { retryInMs } = this.connection
    const dialled = new Subscription()
    const hungUp$ = new Observable<void>((subscriber) => dialled.add(() => subscriber.next()))
    // Set before anything is told: who is told may hang up at once, and then nothing is dialled.
    this.dialled = dialled
    if (retryInMs === 0) this.down = undefined
    else if (this.down !== undefined) this.setStatus(waiting(this.down, retryInMs))
    const event$ = this.connection.events$(this.incoming).pipe(takeUntil(hungUp$))
    event$.subscribe((event) => this.onConnection(event))
  }

  /** Returns who is left listening. */
  private hangUp(status: ConnectionStatus): readonly PriceSubscriber[] {
    this.turns.cancel()
    this.dialled?.unsubscribe()
    this.dialled = undefined
    this.open = undefined
    const subscribers = this.subscriptions.disconnected()
    this.setAlarm()
    this.setStatus(status)
    return subscribers
  }

  private onConnection(event: ConnectionEvent): void {
    switch (event._tag) {
      case 'Connecting':
        return this.setStatus(event)
      case 'Opened':
        return this.onOpened(event)
      case 'Down':
        return this.onDown(event.error)
    }
  }

  private onOpened(opened: OpenedEvent): void {
    this.open = opened
    this.down = undefined
    this.subscriptions.connected()
    this.turns.afterTick()
    this.setStatus({ _tag: 'Open', epoch: opened.epoch, since: opened.since })
  }

  private onDown(error: Disconnected): void {
    this.open = undefined
    this.down = error
    this.turns.cancelDelay()
    const subscribers = this.subscriptions.disconnected()
    this.setAlarm()
    this.turns.afterTick()
    this.setStatus(waiting(error, error.retryInMs))
    deliver({ subscribers, eventFor: failureEvent(() => error) })
  }

  private setStatus(status: ConnectionStatus): void {
    if (this.current._tag === 'Closed' || (status._tag === 'Idle' && this.current._tag === 'Idle')) return
    this.current = status
    this.listener.status()
  }

  /** A price puts its topic's deadline off without touching the timer. */
  private setAlarm(): void {
    this.alarm.set(this.subscriptions.nextDeadline)
  }

  private onAlarm(): void {
    const deliveries = this.subscriptions.expire(elapsed())
    this.setAlarm()
    if (this.subscriptions.hasPendingFrames) this.turns.afterTick()
    for (const delivery of deliveries) publishFailure(this.config.host, deliver(delivery))
  }
}

const waiting = ({ attempt, reason }: Disconnected, retryInMs: number): ConnectionStatus => ({
  _tag: 'Waiting',
  attempt,
  retryInMs,
  reason,
})
