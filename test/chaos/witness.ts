import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import type {
  Client,
  Price,
  PriceError,
  Socket,
  SocketListener,
  Topic,
  WebSocketTransport,
} from 'svc-streams'
import { wsTransport } from '../../src/transport/ws/ws-transport.js'

// Stands between a client and its sockets, and beside its listeners: it knows which prices arrived, and checks that
// each was told to each listener there and then, once, and that nothing else ever was.

type Base = string

/** Something that must never happen, counted and told. */
export interface Findings {
  readonly violations: string[]
  /** Prices that arrived on an open connection for a listener who was not told. */
  lost: number
  /** Prices told as current that were not: of an earlier connection, or not the latest. */
  staleAsFresh: number
}

/** What was seen, for the record. */
export interface Figures {
  prices: number
  told: number
  disconnects: number
  stales: number
  timeouts: number
  rejections: number
  decodeErrors: number
  /** Prices and others that took the short way, past `ws` and `JSON.parse`. */
  shortWay: number
  connections: number
  /** The longest time from the end of a wait for the next dial to the first price after it, in ms. */
  longestRecovery: number
}

interface Listener {
  readonly topic: Topic
  readonly base: Base
  active: boolean
  told: number
  last: Either<PriceError, Price> | undefined
  lastEpoch: number
  /** When its next price could come at the earliest, after a disconnect. */
  dueAt: number | undefined
  subscription: Subscription | undefined
}

/** What the client has asked for over one socket, and the last price that came for it. */
type Asked = Map<Base, number | undefined>

export const baseOf = (topic: string): Base => (topic.split('-')[1] ?? '').toLowerCase()

export class Witness {
  readonly findings: Findings = { violations: [], lost: 0, staleAsFresh: 0 }
  readonly figures: Figures = {
    ...{ prices: 0, told: 0, disconnects: 0, stales: 0, timeouts: 0, rejections: 0 },
    ...{ decodeErrors: 0, shortWay: 0, connections: 0, longestRecovery: 0 },
  }
  readonly listeners: Listener[] = []
  /** What is known over each socket that is open. */
  private readonly open = new Set<Asked>()
  /** The price that is being delivered just now. */
  private arriving: { readonly base: Base; readonly price: number } | undefined
  private joining = false
  private closing = false
  private happened = 0
  private awaited: { readonly goal: number; readonly resolve: () => void } | undefined

  /** The client's own transport, watched. */
  readonly transport: WebSocketTransport = this.watched(wsTransport(undefined))

  join(client: Client, topic: Topic): Listener {
    const listener: Listener = {
      ...{ topic, base: baseOf(topic), active: true, told: 0 },
      ...{ last: undefined, lastEpoch: 0, dueAt: undefined, subscription: undefined },
    }
    this.listeners.push(listener)
    this.joining = true
    listener.subscription = client.price$(topic).subscribe({
      next: (event) => this.onEvent(listener, event),
      error: (error: unknown) => this.violated(`${topic}: an Rx error came out: ${String(error)}`),
      complete: () => this.onComplete(listener),
    })
    this.joining = false
    return listener
  }

  leave(listener: Listener): void {
    listener.active = false
    listener.subscription?.unsubscribe()
  }

  /** Closes the client, which is to complete all who listen. */
  async close(client: Client): Promise<void> {
    this.closing = true
    const closed = client.close()
    for (const { active, topic } of this.listeners) {
      if (active) this.violated(`${topic}: not completed by the close`)
    }
    await closed
  }

  /** Resolves when so much has happened: a price counts 1, a failure 20. */
  async happenings(count: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.awaited = { goal: this.happened + count, resolve }
      this.happens(0)
    })
  }

  private happens(weight: number): void {
    this.happened += weight
    if (this.awaited === undefined || this.happened < this.awaited.goal) return
    this.awaited.resolve()
    this.awaited = undefined
  }

  /** The topics that somebody listens to. */
  get wanted(): readonly Base[] {
    return [...new Set(this.listeners.filter(({ active }) => active).map(({ base }) => base))].sort()
  }

  private watched(transport: WebSocketTransport): WebSocketTransport {
    return {
      dial: (url, options, listener) => {
        const asked: Asked = new Map()
        return this.watchedSocket(transport.dial(url, options, this.watchedListener(asked, listener)), asked)
      },
      close: () => transport.close(),
    }
  }

  private watchedListener(asked: Asked, listener: SocketListener): SocketListener {
    return {
      opened: () => {
        this.open.add(asked)
        this.figures.connections++
        listener.opened()
      },
      bytes: (memory, start, end) => {
        const frame = Buffer.from(memory.subarray(start, end)).toString()
        this.arrives(frame, asked, () => {
          if (listener.bytes(memory, start, end)) this.figures.shortWay++
          else listener.text(frame)
        })
        return true
      },
      text: (frame) => this.arrives(frame, asked, () => listener.text(frame)),
      binary: (frame) => listener.binary(frame),
      alive: () => listener.alive(),
      closed: (code, reason) => {
        this.open.delete(asked)
        listener.closed(code, reason)
      },
    }
  }

  private watchedSocket(socket: Socket, asked: Asked): Socket {
    const gone = (end: () => void): void => {
      this.open.delete(asked)
      end()
    }
    return {
      send: (frame) => {
        const { method, topic } = JSON.parse(frame) as { readonly method: string; readonly topic: string }
        const base = baseOf(topic)
        if (!this.open.has(asked)) this.violated(`a frame went out on a connection that is gone`)
        if (method === 'unsubscribe') {
          if (!asked.delete(base)) this.violated(`${base} was unsubscribed without being subscribed`)
        } else {
          const isWanted = this.listeners.some((listener) => listener.active && listener.base === base)
          if (!isWanted) this.violated(`${base} was asked for nobody`)
          asked.set(base, undefined)
        }
        socket.send(frame)
      },
      ping: () => socket.ping(),
      close: () => gone(() => socket.close()),
      terminate: () => gone(() => socket.terminate()),
    }
  }

  /** A frame comes in: whom it concerns must hear of it before the next one comes. */
  private arrives(frame: string, asked: Asked, pass: () => void): void {
    const update = priceIn(frame)
    if (update === undefined || !asked.has(update.base)) return pass()
    asked.set(update.base, update.price)
    const hearers = this.listeners.filter(({ active, base }) => active && base === update.base)
    const before = hearers.map(({ told }) => told)
    this.figures.prices++
    this.arriving = update
    pass()
    this.arriving = undefined
    for (const [index, { told, active, topic }] of hearers.entries()) {
      const times = told - (before[index] ?? 0)
      if (times === 0 && active) this.findings.lost++
      if (times !== 1) this.violated(`${topic}: a price was told ${times} times`)
    }
  }

  private onEvent(listener: Listener, event: Either<PriceError, Price>): void {
    if (!listener.active) this.violated(`${listener.topic}: told something after leaving`)
    listener.last = event
    listener.told++
    this.happens(isLeft(event) ? 20 : 1)
    if (isLeft(event)) this.onError(listener, event.left)
    else this.onPrice(listener, event.right)
  }

  private onPrice(listener: Listener, { topic, price, epoch }: Price): void {
    this.figures.told++
    // On joining it is the latest that has come over the open connection; else it is the one that comes just now.
    const current = this.joining
      ? [...this.open].some((asked) => asked.get(listener.base) === price)
      : this.arriving?.base === listener.base && this.arriving.price === price
    const isOld = !current || epoch < listener.lastEpoch
    const isOverDue = listener.dueAt !== undefined && epoch === listener.lastEpoch
    if (isOld || isOverDue) {
      this.findings.staleAsFresh++
      this.violated(`${topic}: told ${price} of epoch ${epoch}, which is not current`)
    }
    if (topic !== listener.topic) this.violated(`${listener.topic}: told of ${topic}`)
    if (listener.dueAt !== undefined) {
      const recovery = performance.now() - listener.dueAt
      this.figures.longestRecovery = Math.max(this.figures.longestRecovery, recovery)
    }
    listener.dueAt = undefined
    listener.lastEpoch = epoch
  }

  private onError(listener: Listener, error: PriceError): void {
    const { figures } = this
    switch (error._tag) {
      case 'Disconnected':
        figures.disconnects++
        listener.dueAt = performance.now() + error.retryInMs
        return
      case 'Stale':
        figures.stales++
        return
      case 'SubscriptionTimeout':
        figures.timeouts++
        return
      case 'SubscriptionRejected':
        figures.rejections++
        for (const asked of this.open) asked.delete(listener.base)
        return
      case 'DecodeError':
        figures.decodeErrors++
        return
      case 'InvalidTopic':
      case 'ClientClosed':
        this.violated(`${listener.topic}: told ${error.message}`)
    }
  }

  private onComplete(listener: Listener): void {
    const { last, topic } = listener
    const isRejected = last !== undefined && isLeft(last) && last.left._tag === 'SubscriptionRejected'
    if (!isRejected && !this.closing) this.violated(`${topic}: completed for nothing`)
    listener.active = false
  }

  private violated(what: string): void {
    this.findings.violations.push(what)
  }
}

/** The price in a frame, where it is a good one. */
const priceIn = (frame: string): { readonly base: Base; readonly price: number } | undefined => {
  try {
    const value: unknown = JSON.parse(frame)
    if (typeof value !== 'object' || value === null || 'subscriptions' in value) return undefined
    const { topic, price } = value as { readonly topic?: unknown; readonly price?: unknown }
    const isTopic = typeof topic === 'string' && /^svc-0x[0-9a-fA-F]+(?:-.*)?$/.test(topic)
    const isPrice = typeof price === 'number' && Number.isFinite(price) && price > 0
    return isTopic && isPrice ? { base: baseOf(topic), price } : undefined
  } catch {
    return undefined
  }
}
