import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import type { Price, PriceClient, PriceError, Topic } from 'svc-streams'
import type { ManualOptions, ManualSocket, ManualTransport } from '../support/manual-transport.js'

// A small model of what a client promises, written without a look at how it keeps it: which topics the service has
// been asked for, when each was last heard of, and what each listener is to be told and when.

export const patience = {
  staleAfter: 400,
  confirmTimeout: 200,
  connectTimeout: 300,
  pingInterval: 500,
  pongTimeout: 250,
  reconnect: { initialDelay: 20, maxDelay: 160, stableAfter: 300 },
}

/** Topics that look alike to somebody careless. */
export const bases = ['0xa', '0xaa', '0xab', '0xb'] as const

type Base = (typeof bases)[number]
type Event = Either<PriceError, Price>

export type Behaviour = 'stays' | 'leaves at once' | 'throws'

interface Listener {
  readonly base: Base
  readonly topic: Topic
  readonly behaviour: Behaviour
  subscription: Subscription | undefined
  active: boolean
  completed: boolean
  /** All that it was told. */
  readonly events: Event[]
  readonly joinedAt: number
  /** The failures that it was told, and of which silences. */
  readonly failures: Set<number>
  readonly stales: Set<number>
  readonly timeouts: Set<number>
}

/** A topic that the service has been asked for on the connection that is open. */
interface Asked {
  askedAt: number
  heardAt: number | undefined
  last: number | undefined
}

interface Failure {
  readonly number: number
  readonly code: number
  readonly attempt: number
  readonly retryInMs: number
  readonly retryAt: number
}

export class Model {
  readonly violations: string[] = []
  /** How often each thing was told, over the whole life. */
  readonly counts = new Map<string, number>()
  readonly listeners: Listener[] = []
  private asked = new Map<Base, Asked>()
  private everAsked = new Set<Base>()
  private departed = new Map<Base, { readonly leftAt: number; answerableUntil: number }>()
  /** The subscribes that the service has not answered. */
  private pending: Base[] = []
  private readonly sentAt: number[] = []
  private socket: ManualSocket | undefined
  private epoch = 0
  private openedAt: number | undefined
  private failuresInARow = 0
  private failureCount = 0
  private down: Failure | undefined
  /** Whether somebody was there, when last looked at, for whom a connection is kept. */
  private kept = false
  private closed = false
  private uncorrelated = 0
  private joining: Listener | undefined
  /** What the service has just said: only what follows from it may be told now. */
  private saying:
    { readonly base: Base | undefined; readonly what: 'price' | 'rejection' | 'other' } | undefined
  /** In the end the service does all that it should. */
  private dutiful = false
  muted = false

  constructor(
    private readonly now: () => number,
    private readonly after: (ms: number, act: () => void) => void,
    private readonly linger: number,
    private readonly framesPerSecond: number,
  ) {}

  get transportOptions(): ManualOptions {
    return {
      dialled: (socket) => this.onDial(socket),
      sent: (socket, frame) => this.onFrame(socket, frame),
      ended: (_socket, how) => this.onEnded(how),
      answers: () => !this.muted,
    }
  }

  watch(client: PriceClient): void {
    client.errors$.subscribe(() => this.uncorrelated++)
  }

  // What users do.

  join(client: PriceClient, base: Base, upper: boolean, behaviour: Behaviour): void {
    const topic: Topic = `svc-0x${upper ? base.slice(2).toUpperCase() : base.slice(2)}`
    const sets = { failures: new Set<number>(), stales: new Set<number>(), timeouts: new Set<number>() }
    const listener: Listener = {
      ...{ base, topic, behaviour, ...sets },
      ...{ subscription: undefined, active: true, completed: false, events: [], joinedAt: this.now() },
    }
    const expected = this.expectedOnJoining(base)
    this.listeners.push(listener)
    this.joining = listener
    listener.subscription = client.price$(topic).subscribe({
      next: (event) => this.onEvent(listener, event),
      complete: () => this.onComplete(listener),
      error: (thrown) => this.violated(`an Rx error came out: ${String(thrown)}`),
    })
    this.joining = undefined
    const told = listener.events.map(tagOf).join()
    if (told !== expected) this.violated(`who joined ${topic} was told "${told}", not "${expected}"`)
    if (!listener.active) listener.subscription.unsubscribe()
  }

  leave(listener: Listener): void {
    listener.active = false
    listener.subscription?.unsubscribe()
  }

  close(client: PriceClient): void {
    this.closed = true
    const open = this.listeners.filter(({ active }) => active)
    void client.close()
    for (const { completed, topic } of open) if (!completed) this.violated(`${topic} was not completed`)
  }

  // What the service does, where it can.

  opens(transport: ManualTransport): void {
    for (const socket of transport.alive) this.open(socket)
  }

  drops(transport: ManualTransport, code: number): void {
    const socket = transport.alive[0]
    if (socket === undefined) return
    this.failed(code)
    socket.drops(code, 'as the test says')
    this.wasTold()
  }

  confirms(style: 'all' | 'new' | 'none'): void {
    const base = this.pending.shift()
    if (base === undefined || this.socket === undefined || style === 'none') return
    const confirmed = [...this.asked].filter(([, { heardAt }]) => heardAt !== undefined).map(([one]) => one)
    const asked = this.asked.get(base)
    if (asked !== undefined) asked.heardAt ??= this.now()
    const listed = style === 'all' ? [...confirmed, base] : [base]
    // Who is listed is confirmed, however often it was asked for: an earlier subscribe of it counts as answered too.
    for (const one of listed) {
      const departed = this.departed.get(one)
      if (departed !== undefined) departed.answerableUntil = 0
    }
    const topics = listed.map((one) => `svc-${one}-0xffff`)
    this.says(undefined, 'other', 0, () => this.socket?.confirms(...topics))
  }

  prices(base: Base, price: number): void {
    if (this.socket === undefined) return
    const asked = this.asked.get(base)
    const departed = this.departed.get(base)
    const isLate = departed !== undefined && this.now() - departed.leftAt < patience.confirmTimeout
    if (asked !== undefined) {
      asked.heardAt = this.now()
      asked.last = price
    }
    const hearers = asked === undefined ? [] : this.activeOf(base)
    const before = hearers.map(({ events }) => events.length)
    this.says(base, 'price', asked === undefined && !isLate ? 1 : 0, () =>
      this.socket?.prices(`svc-${base.toUpperCase().replace('X', 'x')}`, price),
    )
    for (const [index, { events, topic }] of hearers.entries()) {
      const told = events.length - before[index]!
      if (told !== 1) this.violated(`a price of ${topic} was told ${told} times`)
    }
  }

  rejects(named: boolean, index: number): void {
    if (this.socket === undefined) return
    if (named) {
      const base = this.pending[index % Math.max(1, this.pending.length)]
      if (base !== undefined) this.refuses(this.isWaiting(base) ? base : undefined, `Invalid token ${base}`)
    } else {
      const unanswered = this.unanswered()
      this.refuses(unanswered.length === 1 ? unanswered[0] : undefined, 'Invalid request')
    }
  }

  // What is checked.

  /** Before anything new happens: whether all that was owed until now was told. */
  settle(): void {
    const now = this.now()
    if (this.down !== undefined && !this.kept && this.anybody && now >= this.down.retryAt)
      this.down = undefined
    this.kept = this.anybody
    this.wasTold()
    for (const [base, { heardAt, askedAt }] of this.asked) {
      for (const { joinedAt, stales, timeouts, topic } of this.activeOf(base)) {
        if (heardAt !== undefined && now - heardAt > patience.staleAfter && !stales.has(heardAt)) {
          this.violated(`${topic} is silent since ${heardAt}, and nobody said so`)
        }
        const due = askedAt + patience.confirmTimeout
        if (heardAt === undefined && now > due && joinedAt < due && !timeouts.has(askedAt)) {
          this.violated(`${topic} is not confirmed since ${askedAt}, and nobody said so`)
        }
      }
    }
  }

  /** After all that users and the service did at one time. */
  ticked(): void {
    // Who comes to a connection that was given up finds it neither up nor down, once its wait is over.
    const isFresh = this.down !== undefined && !this.kept && this.now() >= this.down.retryAt
    if (isFresh && this.anybody) this.down = undefined
    this.kept = this.anybody
  }

  /** From now on the service does all that it should. */
  becomesDutiful(transport: ManualTransport): void {
    this.dutiful = true
    this.muted = false
    this.opens(transport)
    this.answersAll()
  }

  /** After a while of peace: whether the service has been asked for what is wanted, and for nothing else. */
  isAtPeace(transport: ManualTransport): void {
    const wanted = [...new Set(this.listeners.filter(({ active }) => active).map(({ base }) => base))].sort()
    const known = [...this.asked.keys()].sort()
    const open = transport.alive.filter(({ state }) => state === 'open').length
    if (wanted.join() !== known.join()) this.violated(`wanted: ${wanted.join()}; asked: ${known.join()}`)
    if (open !== (wanted.length > 0 ? 1 : 0)) this.violated(`${open} sockets for ${wanted.length} topics`)
    if ([...this.asked.values()].some(({ heardAt }) => heardAt === undefined))
      this.violated('something waits')
  }

  violated(what: string): void {
    this.violations.push(`${this.now()}: ${what}`)
  }

  // What happens of it.

  private onDial(socket: ManualSocket): void {
    if (this.closed) this.violated('dialled after the close')
    if (!this.anybody) this.violated('dialled for nobody')
    if (this.down !== undefined && this.now() < this.down.retryAt)
      this.violated('dialled before the wait was over')
    if (this.dutiful) this.after(1, () => this.open(socket))
  }

  private open(socket: ManualSocket): void {
    if (socket.state !== 'dialling') return
    this.epoch++
    this.openedAt = this.now()
    this.down = undefined
    this.forgetConnection()
    this.socket = socket
    socket.opens()
  }

  private onFrame(socket: ManualSocket, frame: string): void {
    const { method, topic } = JSON.parse(frame) as { readonly method: string; readonly topic: string }
    const base = topic.slice(4).toLowerCase() as Base
    this.sentAt.push(this.now())
    const sentInTheSecond = this.sentAt.filter((at) => this.now() - at <= 1000).length
    if (sentInTheSecond > this.framesPerSecond) this.violated(`${sentInTheSecond} frames in a second`)
    if (socket !== this.socket) this.violated('a frame went out on a connection that is gone')
    if (method === 'subscribe') this.onSubscribe(base)
    else this.onUnsubscribe(base)
  }

  private onSubscribe(base: Base): void {
    const now = this.now()
    const before = this.asked.get(base)
    if (this.activeOf(base).length === 0) this.violated(`${base} asked for nobody`)
    if (before !== undefined) {
      const isOutOfTime = before.heardAt === undefined && now - before.askedAt >= patience.confirmTimeout
      if (!isOutOfTime) this.violated(`${base} asked twice`)
      for (const { timeouts, joinedAt } of this.activeOf(base)) {
        const wasThere = joinedAt < before.askedAt + patience.confirmTimeout
        if (wasThere && !timeouts.has(before.askedAt)) this.violated(`${base} asked again without a word`)
      }
    }
    this.asked.set(base, { askedAt: now, heardAt: undefined, last: undefined })
    this.everAsked.add(base)
    this.pending.push(base)
    if (this.dutiful) this.after(1, () => this.answersAll())
  }

  private onUnsubscribe(base: Base): void {
    const asked = this.asked.get(base)
    if (!this.everAsked.has(base)) this.violated(`${base} unsubscribed and never subscribed`)
    if (asked === undefined) this.violated(`${base} unsubscribed twice`)
    if (this.activeOf(base).length > 0) this.violated(`${base} unsubscribed while somebody listens`)
    const isOpen = asked?.heardAt === undefined && this.unanswered().includes(base)
    const answerableUntil = isOpen && asked !== undefined ? asked.askedAt + patience.confirmTimeout : 0
    this.departed.delete(base)
    this.departed.set(base, { leftAt: this.now(), answerableUntil })
    this.asked.delete(base)
  }

  private onEnded(how: 'close' | 'terminate'): void {
    if (how === 'terminate') {
      this.failed(1006)
      return
    }
    if (!this.closed && this.anybody) this.violated('hung up on somebody')
    this.connectionEnded()
  }

  private onEvent(listener: Listener, event: Event): void {
    listener.events.push(event)
    const tag = tagOf(event)
    this.count(tag, 1)
    if (!listener.active || listener.completed)
      this.violated(`${listener.topic} was told ${tag} after leaving`)
    if (this.saying !== undefined && this.joining === undefined) this.followsFromWhatWasSaid(listener, tag)
    this.isTrue(listener, event)
    if (listener.behaviour === 'leaves at once') {
      listener.active = false
      listener.subscription?.unsubscribe()
    }
    if (listener.behaviour === 'throws') throw new Error('as the test says')
  }

  private onComplete(listener: Listener): void {
    const last = listener.events.at(-1)
    const isEnd = last !== undefined && ['SubscriptionRejected', 'ClientClosed'].includes(tagOf(last))
    if (!isEnd && !this.closed) this.violated(`${listener.topic} was completed for nothing`)
    listener.completed = true
    listener.active = false
  }

  private isTrue(listener: Listener, event: Event): void {
    const { base, topic, failures, stales, timeouts } = listener
    const asked = this.asked.get(base)
    const now = this.now()
    if (!isLeft(event)) {
      const { price, epoch, receivedAt } = event.right
      const isCurrent = asked?.last === price && epoch === this.epoch && receivedAt === asked.heardAt
      if (!isCurrent || this.openedAt === undefined) this.violated(`${topic} was told an old price ${price}`)
      if (event.right.topic !== topic) this.violated(`${topic} was told of ${event.right.topic}`)
      return
    }
    const error = event.left
    switch (error._tag) {
      case 'Disconnected': {
        const { down } = this
        const same =
          error.attempt === down?.attempt && error.retryInMs === down.retryInMs && error.code === down.code
        if (!same) this.violated(`${topic} was told ${error.message}, not ${JSON.stringify(down)}`)
        if (failures.has(down?.number ?? 0)) this.violated(`${topic} was told twice that it is down`)
        failures.add(down?.number ?? 0)
        return
      }
      case 'Stale': {
        const heardAt = asked?.heardAt ?? Infinity
        const isSilent =
          now - heardAt >= patience.staleAfter && error.silentForMs === Math.round(now - heardAt)
        if (!isSilent || stales.has(heardAt)) this.violated(`${topic} was told ${error.message}`)
        if (error.last?.price !== asked?.last) this.violated(`${topic} was told of a wrong last price`)
        stales.add(heardAt)
        return
      }
      case 'SubscriptionTimeout': {
        const askedAt = asked?.askedAt ?? Infinity
        const isLate = asked?.heardAt === undefined && now - askedAt >= patience.confirmTimeout
        if (!isLate || timeouts.has(askedAt)) this.violated(`${topic} was told ${error.message}`)
        timeouts.add(askedAt)
        return
      }
      case 'SubscriptionRejected':
        if (this.saying?.what !== 'rejection') this.violated(`${topic} was rejected by nobody`)
        return
      case 'ClientClosed':
        if (!this.closed) this.violated('told of a close that was not')
        return
      case 'InvalidTopic':
      case 'DecodeError':
        this.violated(`${topic} was told ${error.message}`)
    }
  }

  private followsFromWhatWasSaid({ base, topic }: Listener, tag: string): void {
    const { what, base: about } = this.saying!
    const follows =
      what === 'price' ? tag === 'Right' : what === 'rejection' && tag === 'SubscriptionRejected'
    if (!follows || base !== about)
      this.violated(`${topic} was told ${tag} of ${what} about ${about ?? 'nobody'}`)
  }

  private expectedOnJoining(base: Base): string {
    if (this.closed) return 'ClientClosed'
    const now = this.now()
    if (this.down !== undefined && (this.kept || now < this.down.retryAt)) return 'Disconnected'
    const { heardAt, last } = this.asked.get(base) ?? {}
    if (heardAt !== undefined && now - heardAt >= patience.staleAfter) return 'Stale'
    return last === undefined ? '' : 'Right'
  }

  /** An error text that is about a topic, or about nobody that can be told. */
  private refuses(base: Base | undefined, text: string): void {
    const hearers = base !== undefined && this.isWaiting(base) ? this.activeOf(base) : []
    this.says(base, 'rejection', base === undefined ? 1 : 0, () => this.socket?.says(text))
    if (base === undefined) return
    for (const { active, events, topic } of hearers) {
      const last = events.at(-1)
      const isTold = last !== undefined && tagOf(last) === 'SubscriptionRejected'
      if (active || !isTold) this.violated(`${topic} was not rejected`)
    }
    if (this.isWaiting(base)) this.asked.delete(base)
    this.pending = this.pending.filter((one) => one !== base)
    const departed = this.departed.get(base)
    if (departed !== undefined) departed.answerableUntil = 0
  }

  private says(
    base: Base | undefined,
    what: 'price' | 'rejection' | 'other',
    errors: number,
    say: () => void,
  ): void {
    const before = this.uncorrelated
    this.saying = { base, what }
    say()
    this.saying = undefined
    const told = this.uncorrelated - before
    this.count('uncorrelated', told)
    if (told !== errors) this.violated(`${told} uncorrelated errors of ${what} about ${base ?? 'nobody'}`)
  }

  private answersAll(): void {
    while (this.pending.length > 0 && this.socket !== undefined) this.confirms('all')
  }

  private failed(code: number): void {
    this.connectionEnded()
    const attempt = ++this.failuresInARow
    const { initialDelay, maxDelay } = patience.reconnect
    const retryInMs = Math.min(maxDelay, initialDelay * 2 ** (attempt - 1)) / 2
    const number = ++this.failureCount
    this.down = { number, code, attempt, retryInMs, retryAt: this.now() + retryInMs }
  }

  private connectionEnded(): void {
    const isStable =
      this.openedAt !== undefined && this.now() - this.openedAt >= patience.reconnect.stableAfter
    if (isStable) this.failuresInARow = 0
    this.openedAt = undefined
    this.socket = undefined
    this.forgetConnection()
  }

  private forgetConnection(): void {
    this.asked = new Map()
    this.everAsked = new Set()
    this.departed = new Map()
    this.pending = []
  }

  /** Whether all who listen know that it is down. */
  private wasTold(): void {
    const { down } = this
    if (down === undefined || !this.kept || this.closed) return
    for (const { active, failures, topic } of this.listeners) {
      if (active && !failures.has(down.number)) this.violated(`${topic} was not told that it is down`)
    }
  }

  private unanswered(): readonly Base[] {
    const now = this.now()
    const waiting = [...this.asked].filter(
      ([, { heardAt, askedAt }]) => heardAt === undefined && now < askedAt + patience.confirmTimeout,
    )
    const left = [...this.departed].filter(([, { answerableUntil }]) => now < answerableUntil)
    return [...waiting, ...left].map(([base]) => base)
  }

  private isWaiting(base: Base): boolean {
    const asked = this.asked.get(base)
    return asked !== undefined && asked.heardAt === undefined
  }

  private count(what: string, times: number): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + times)
  }

  private get anybody(): boolean {
    return this.listeners.some(({ active }) => active)
  }

  private activeOf(base: Base): readonly Listener[] {
    return this.listeners.filter((listener) => listener.active && listener.base === base)
  }

  /** How long after the last has left all is over, in ms. */
  get aftermath(): number {
    return this.linger + 1
  }
}

const tagOf = (event: Event): string => (isLeft(event) ? event.left._tag : 'Right')
