import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import type { Client, Price, PriceError, Topic, WebSocketTransport } from 'svc-streams'
import { assertNever } from '../../src/base/domain/assert-never.js'
import { wsTransport } from '../../src/wire/transport/ws/ws-transport.js'
import type { Figures, Findings } from './findings.js'
import { observeTransport, type TransportObserver } from './observe-transport.js'
import { baseOf, basesIn, parsePriceFrame, type Base } from './price-frame.js'
import type { SendTimes } from './send-times.js'

/** The client reads the clock once for up to eight prices, and a handler runs after it, in ms. */
const tolerance = 50

/** One subscription to a topic, and its events. */
export interface PriceSubscription {
  readonly topic: Topic
  readonly base: Base
  active: boolean
  eventCount: number
  lastEvent: Either<PriceError, Price> | undefined
  lastEpoch: number
  /** The number of prices that arrived since the last event and were held. */
  held: number
  /** True from a `Stale` with `behindMs` to the next price. */
  isBehind: boolean
  /** After a disconnect: the end of the reconnect delay. No price can arrive earlier. */
  reconnectAt: number | undefined
  subscription: Subscription | undefined
}

/** The topics that the client has subscribed to on one socket, with the last price of each. */
type SubscribedTopics = Map<Base, number | undefined>

/**
 * Observes the sockets and the subscribers of a client. Checks that each price that arrives is delivered to each
 * subscriber once, before the next frame, and that nothing else is delivered as a price.
 */
export class InvariantChecker implements TransportObserver<SubscribedTopics> {
  readonly findings: Findings = { violations: [], lost: 0, staleAsFresh: 0, tooOld: 0 }
  readonly figures: Figures = {
    ...{ prices: 0, delivered: 0, disconnects: 0, stales: 0, timeouts: 0, rejections: 0 },
    ...{ decodeErrors: 0, fastPath: 0, connections: 0, longestRecovery: 0, behind: 0, oldest: 0 },
  }
  readonly subscriptions: PriceSubscription[] = []
  private readonly openConnections = new Set<SubscribedTopics>()
  /** The topics without subscription that the service has sent: the client unsubscribes them once more. */
  private readonly orphans = new Set<Base>()
  /** The price that the client is delivering. */
  private arriving: { readonly base: Base; readonly price: number } | undefined
  private subscribing = false
  private closing = false
  private progress = 0
  private waiting: { readonly goal: number; readonly resolve: () => void } | undefined

  constructor(
    private readonly sendTimes: Pick<SendTimes, 'of'>,
    private readonly maxLag: number,
  ) {}

  /** The default transport, observed. */
  readonly transport: WebSocketTransport = observeTransport(wsTransport(undefined), this)

  subscribe(client: Client, topic: Topic): void {
    const subscription: PriceSubscription = {
      ...{ topic, base: baseOf(topic), active: true, eventCount: 0 },
      ...{
        lastEvent: undefined,
        lastEpoch: 0,
        held: 0,
        isBehind: false,
        reconnectAt: undefined,
        subscription: undefined,
      },
    }
    this.subscriptions.push(subscription)
    this.subscribing = true
    subscription.subscription = client.price$(topic).subscribe({
      next: (event) => this.onEvent(subscription, event),
      error: (error: unknown) => this.addViolation(`${topic}: emitted an Rx error: ${String(error)}`),
      complete: () => this.onComplete(subscription),
    })
    this.subscribing = false
  }

  unsubscribe(subscription: PriceSubscription): void {
    subscription.active = false
    subscription.subscription?.unsubscribe()
  }

  /** Closes the client, which must complete all subscribers. */
  async close(client: Client): Promise<void> {
    this.closing = true
    const closed = client.close()
    for (const { active, topic } of this.subscriptions) {
      if (active) this.addViolation(`${topic}: not completed by close()`)
    }
    await closed
  }

  /** Resolves after events with this total weight: a price weighs 1, a failure 20. */
  async waitForEvents(weight: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.waiting = { goal: this.progress + weight, resolve }
      this.addProgress(0)
    })
  }

  /** The bases of the topics that have subscribers. */
  get wantedTopics(): readonly Base[] {
    return [...new Set(this.subscriptions.filter(({ active }) => active).map(({ base }) => base))].sort()
  }

  dialed(): SubscribedTopics {
    return new Map()
  }

  opened(connection: SubscribedTopics): void {
    this.openConnections.add(connection)
    this.figures.connections++
  }

  closed(connection: SubscribedTopics): void {
    this.openConnections.delete(connection)
  }

  usedFastPath(): void {
    this.figures.fastPath++
  }

  sending(connection: SubscribedTopics, frame: string): void {
    const { method, topic } = JSON.parse(frame) as { readonly method: string; readonly topic: string }
    const base = baseOf(topic)
    if (!this.openConnections.has(connection)) this.addViolation('sent a frame on a closed connection')
    if (method === 'unsubscribe') {
      if (!connection.delete(base) && !this.orphans.delete(base))
        this.addViolation(`${base}: sent unsubscribe without subscribe`)
      return
    }
    const isWanted = this.subscriptions.some(({ active, base: wanted }) => active && wanted === base)
    if (!isWanted) this.addViolation(`${base}: sent subscribe without a subscriber`)
    connection.set(base, undefined)
  }

  received(connection: SubscribedTopics, frame: string, deliver: () => void): void {
    for (const base of basesIn(frame)) if (!connection.has(base)) this.orphans.add(base)
    const update = parsePriceFrame(frame)
    if (update === undefined || !connection.has(update.base)) return deliver()
    connection.set(update.base, update.price)
    const recipients = this.subscriptions.filter(({ active, base }) => active && base === update.base)
    const countsBefore = recipients.map(({ eventCount }) => eventCount)
    this.figures.prices++
    this.arriving = update
    deliver()
    this.arriving = undefined
    for (const [index, { eventCount, active, topic }] of recipients.entries()) {
      const deliveries = eventCount - (countsBefore[index] ?? 0)
      // A price that is held is delivered later, unless a newer one replaces it.
      if (deliveries === 0 && active) recipients[index]!.held++
      if (deliveries > 1) this.addViolation(`${topic}: a price was delivered ${deliveries} times`)
    }
  }

  private onEvent(subscription: PriceSubscription, event: Either<PriceError, Price>): void {
    if (!subscription.active) this.addViolation(`${subscription.topic}: an event after unsubscribe`)
    const { lastEvent } = subscription
    const isAfterError = lastEvent !== undefined && isLeft(lastEvent)
    // A new subscriber waits if the last price may be older than `maxLag`.
    const isHeld = subscription.held > 0 || subscription.isBehind || subscription.eventCount === 0
    // After an error, prices may have been left out.
    if (isAfterError) subscription.held = 0
    subscription.lastEvent = event
    subscription.eventCount++
    this.addProgress(isLeft(event) ? 20 : 1)
    if (isLeft(event)) this.onError(subscription, event.left)
    else this.onPrice(subscription, event.right, isHeld)
    subscription.held = 0
  }

  private onPrice(subscription: PriceSubscription, { topic, price, epoch }: Price, isHeld: boolean): void {
    this.figures.delivered++
    this.checkAge(subscription, price)
    const isArriving = this.arriving?.base === subscription.base && this.arriving.price === price
    const skipped = subscription.held - (isArriving ? 0 : 1)
    // The first event is the newest price, also if older ones were held before it.
    if (skipped > 0 && subscription.eventCount > 1) {
      this.findings.lost += skipped
      this.addViolation(`${topic}: skipped ${skipped} prices without an error`)
    }
    // A new subscriber receives the latest price of an open connection, as one whose price was held. Any other price is the
    // one that is arriving.
    const isLatest =
      isArriving ||
      ((this.subscribing || isHeld) &&
        [...this.openConnections].some((connection) => connection.get(subscription.base) === price))
    const isOld = !isLatest || epoch < subscription.lastEpoch
    const isOfLostConnection = subscription.reconnectAt !== undefined && epoch === subscription.lastEpoch
    if (isOld || isOfLostConnection) {
      this.findings.staleAsFresh++
      this.addViolation(`${topic}: delivered ${price} of epoch ${epoch}, which is not current`)
    }
    if (topic !== subscription.topic)
      this.addViolation(`${subscription.topic}: delivered a price of ${topic}`)
    if (subscription.reconnectAt !== undefined) {
      const recovery = performance.now() - subscription.reconnectAt
      this.figures.longestRecovery = Math.max(this.figures.longestRecovery, recovery)
    }
    subscription.reconnectAt = undefined
    subscription.isBehind = false
    subscription.lastEpoch = epoch
  }

  private checkAge({ topic, base }: PriceSubscription, price: number): void {
    const { sentAt, replacedAt } = this.sendTimes.of(base, price) ?? {}
    if (sentAt === undefined || replacedAt === undefined) return
    // The newest price of a quiet topic is delivered again when the connection has caught up.
    const replacedFor = performance.now() - replacedAt
    this.figures.oldest = Math.max(this.figures.oldest, replacedFor)
    if (replacedFor <= this.maxLag + tolerance) return
    this.findings.tooOld++
    const age = Math.round(performance.now() - sentAt)
    this.addViolation(`${topic}: delivered ${price}, sent ${age} ms before, after a newer one was sent`)
  }

  private onError(subscription: PriceSubscription, error: PriceError): void {
    const { figures } = this
    switch (error._tag) {
      case 'Disconnected':
        figures.disconnects++
        subscription.isBehind = false
        subscription.reconnectAt = performance.now() + error.retryInMs
        return
      case 'Stale':
        figures.stales++
        if (error.behindMs === undefined) return
        figures.behind++
        subscription.isBehind = true
        return
      case 'SubscriptionTimeout':
        figures.timeouts++
        return
      case 'SubscriptionRejected':
        figures.rejections++
        for (const connection of this.openConnections) connection.delete(subscription.base)
        return
      case 'DecodeError':
        figures.decodeErrors++
        return
      case 'InvalidTopic':
      case 'ClientClosed':
        return this.addViolation(`${subscription.topic}: emitted ${error.message}`)
      default:
        assertNever(error)
    }
  }

  private onComplete(subscription: PriceSubscription): void {
    const { lastEvent, topic } = subscription
    const isRejected =
      lastEvent !== undefined && isLeft(lastEvent) && lastEvent.left._tag === 'SubscriptionRejected'
    if (!isRejected && !this.closing) this.addViolation(`${topic}: completed without a reason`)
    subscription.active = false
  }

  private addProgress(weight: number): void {
    this.progress += weight
    if (this.waiting === undefined || this.progress < this.waiting.goal) return
    this.waiting.resolve()
    this.waiting = undefined
  }

  private addViolation(description: string): void {
    this.findings.violations.push(description)
  }
}
