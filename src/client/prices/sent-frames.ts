import { unsubscribeFrame } from '../../wire/codec/price-frame.js'
import { canonicalAddress, type Address, type Topic } from '../../base/domain/topic.js'
import { copyOf } from '../../base/errors/text.js'
import { isUnconfirmed, never, type SubscribedTopic, type TopicTable } from './topics.js'

/** A frame that the service has not answered, as far as is known. */
interface SentFrame {
  /** `probe`: a subscribe frame of a confirmed topic. */
  readonly kind: 'subscribe' | 'probe' | 'unsubscribe'
  readonly number: number
  readonly sentAt: number
  readonly entry: Entry
  /** Only of a subscribe frame: true if the topic was never requested before on this connection. */
  readonly isFirst: boolean
}

/** The frames about one address that the service has not answered. */
interface Entry {
  readonly base: Address
  /** The oldest first. */
  readonly unanswered: SentFrame[]
  /** The number of the last confirmation that listed it. */
  listedBy: number
  /** The number of the last frame before it was last confirmed, or had a price. */
  confirmedUpTo: number
}

/** A topic in a frame of the service. */
export interface EchoedTopic {
  readonly base: Address
  /** In the spelling of the service, without a quote address. */
  readonly topic: Topic
}

/** More frames are not stored. Then no confirmation answers a probe, until the connection is replaced. */
const maxUnanswered = 100_000

/** The maximum number of left topics that are stored, beside those of the last `confirmTimeout` ms. */
const maxLeft = 10_000

/** Further topics are listed again by a confirmation after the unsubscribe frames. */
const maxUnrequested = 10_000

/**
 * The queue of the frames that were sent on one connection, and what is known of their answers. Each connection has a new one.
 * The service answers in order: by a confirmation, or by an error text.
 *
 * A confirmation says only which topics are subscribed, so it is taken for the answer to the oldest frame that it fits: a
 * probe never counts as answered before it is. The probes and unsubscribe frames before that one were answered, or never
 * will be. The answer to a subscribe frame may still follow: a gateway waits for that of the service.
 *
 * A probe subscribes again to a confirmed topic: its answer shows that later prices were sent after it.
 *
 * An error text answers a subscribe frame of the topic that it names. Without a name, it answers the only one that waits.
 */
export class SentFrames {
  private readonly entries = new Map<Address, Entry>()
  /** In the order in which they were sent. */
  private readonly unanswered = new Set<SentFrame>()
  /**
   * The topics that are not requested any more, and when the client unsubscribed them; `never` after a rejection. A price shows
   * that the service has subscribed one anyway. The oldest first.
   */
  private readonly left = new Map<Address, number>()
  /** The topics that the service lists and the client does not request, in the spelling of the service. */
  private readonly unrequested = new Map<Address, Topic>()
  /** True after `maxUnanswered` frames without an answer. */
  private hasOverflowed = false
  private lastFrame = 0
  private lastConfirmation = 0
  /** Whether the service answers unsubscribe frames: `undefined` as long as it has not become known. */
  private answersUnsubscribes: boolean | undefined
  /** The number of probes that wait for an answer. */
  probeCount = 0

  constructor(
    private readonly topics: TopicTable,
    /** For this time, in ms, a subscribe frame waits for an error text, and late frames for a left topic are no errors. */
    private readonly confirmTimeout: number,
  ) {}

  get size(): number {
    return this.unanswered.size
  }

  /** The number of topics that the service keeps subscribed although the client does not request them. */
  get unrequestedCount(): number {
    return this.unrequested.size
  }

  onSent(kind: SentFrame['kind'], base: Address, sentAt: number, isFirst = false): void {
    const entry = this.entryOf(base)
    this.hasOverflowed ||= this.unanswered.size === maxUnanswered
    if (this.hasOverflowed) return this.deleteIfUnused(entry)
    const frame = { kind, number: ++this.lastFrame, sentAt, entry, isFirst }
    entry.unanswered.push(frame)
    this.unanswered.add(frame)
    if (kind === 'probe') this.probeCount++
  }

  /** A subscribe frame is sent. True if the client has left the topic before, on this connection. */
  onSubscribe(base: Address, now: number, isRepeated: boolean): boolean {
    const wasLeft = this.left.delete(base)
    this.unrequested.delete(base)
    this.onSent('subscribe', base, now, !isRepeated && !wasLeft)
    return wasLeft
  }

  onProbe(state: SubscribedTopic, now: number): void {
    this.onSent(isUnconfirmed(state) ? 'subscribe' : 'probe', state.base, now)
  }

  onUnsubscribe(base: Address, now: number): void {
    this.addLeft(base, now, now)
    this.onSent('unsubscribe', base, now)
  }

  /** A price has confirmed a topic. */
  onConfirmed(base: Address): void {
    const entry = this.entries.get(base)
    if (entry !== undefined) entry.confirmedUpTo = this.lastFrame
  }

  /**
   * The topic that an error text rejects: that of the first address in the text, if a request of it waits for an answer. A text
   * without an address rejects the topic of the only subscribe frame that waits for one.
   */
  onErrorText(text: string, now: number): Address | undefined {
    const [named] = /0x[0-9a-f]+/i.exec(text) ?? []
    // Copied, because it is a part of the text, which may fill a frame.
    const base = named === undefined ? this.onlyAwaited(now) : canonicalAddress(copyOf(named as Address))
    if (base === undefined) return undefined
    const requests = this.requestsOf(base)
    const inTime = requests.find((frame) => this.isAwaited(frame, now))
    const awaited = inTime ?? requests.find((frame) => this.isAwaited(frame, frame.sentAt))
    const state = this.topics.get(base)
    const isPending = state !== undefined && (isUnconfirmed(state) || awaited !== undefined)
    const isRejected = named === undefined || isPending || requests.some(({ kind }) => kind === 'probe')
    // The text may also answer the subscribe frame of a topic that the client has left since. No confirmation will answer it.
    const answered = awaited ?? requests[0]
    if (answered !== undefined) this.onAnswered(answered)
    if (!isRejected) return undefined
    this.addLeft(base, this.left.get(base) ?? never, now)
    return base
  }

  /**
   * A confirmation lists these topics. Returns when the newest probe that it answers was sent, if it answers one. `onEnded`: called
   * with a topic whose unsubscribe frame it certainly answers without a listing of it: a later request has no answer yet.
   */
  onConfirmation(bases: Iterable<Address>, onEnded?: (base: Address) => void): number | undefined {
    const number = ++this.lastConfirmation
    if (this.hasOverflowed) return undefined
    // The topics that a confirmation lists were requested before the frame that it answers.
    let from = 0
    for (const base of bases) {
      const entry = this.entries.get(base)
      if (entry === undefined) continue
      entry.listedBy = number
      entry.confirmedUpTo = this.lastFrame
      const [first] = entry.unanswered
      if (first?.isFirst === true) from = Math.max(from, first.number)
    }
    const answered = this.takeAnswered(from, number) ?? 0
    let probedAt: number | undefined
    for (const frame of this.unanswered) {
      const { kind, entry } = frame
      if (frame.number > answered) break
      if (kind === 'probe') probedAt = frame.sentAt
      if (frame.number === answered && this.answersUnsubscribes === true && entry.listedBy !== number) {
        entry.confirmedUpTo = answered
        onEnded?.(entry.base)
      }
      if (kind !== 'subscribe' || entry.listedBy === number) this.onAnswered(frame)
    }
    return probedAt
  }

  /** A confirmation lists a topic that is not requested. It is unsubscribed, unless the frame may be late. */
  onListed({ base, topic }: EchoedTopic, now: number): void {
    if (this.unrequested.size >= maxUnrequested || this.mayBeLate(base, now)) return
    // Copied, because both are parts of the service's topic, which may fill a frame.
    this.unrequested.set(copyOf(base), copyOf(topic))
  }

  onUnrequestedPrice(echoed: EchoedTopic, now: number): void {
    if (this.left.has(echoed.base)) this.onListed(echoed, now)
  }

  /** Dequeues at most `limit` unsubscribe frames of topics that are not requested. */
  takeUnsubscribes(limit: number, now: number): readonly string[] {
    const frames: string[] = []
    for (const [base, topic] of this.unrequested) {
      if (frames.length >= limit) break
      // Its subscribe frame is due.
      if (this.topics.has(base)) continue
      this.unrequested.delete(base)
      this.onUnsubscribe(base, now)
      frames.push(unsubscribeFrame(topic))
    }
    return frames
  }

  /** True if a frame for this topic may be late, because the client has left it. Otherwise the frame is an error. */
  mayBeLate(base: Address, now: number): boolean {
    return now - (this.left.get(base) ?? never) < this.confirmTimeout
  }

  /** The requests of the topic that wait for an answer. */
  requestsOf(base: Address): readonly SentFrame[] {
    const unanswered = this.entries.get(base)?.unanswered ?? []
    return unanswered.filter(({ kind }) => kind !== 'unsubscribe')
  }

  /** The topic of the only subscribe frame that waits for an answer. While a probe waits too, the text may answer the probe. */
  private onlyAwaited(now: number): Address | undefined {
    if (this.probeCount > 0 || this.hasOverflowed) return undefined
    let only: Address | undefined
    for (const frame of this.unanswered) {
      if (!this.isAwaited(frame, now)) continue
      if (only !== undefined) return undefined
      only = frame.entry.base
    }
    return only
  }

  /** True if an error text may answer the frame: of a topic that is not confirmed since, also if the client has left it. */
  private isAwaited({ kind, number, sentAt, entry }: SentFrame, now: number): boolean {
    return kind === 'subscribe' && number > entry.confirmedUpTo && now - sentAt < this.confirmTimeout
  }

  /**
   * The number of the oldest frame, from a number on, whose answer the confirmation may be. Remembers whether the service answers
   * unsubscribe frames.
   */
  private takeAnswered(from: number, confirmation: number): number | undefined {
    let unsubscribe: number | undefined
    let hasSkipped = false
    for (const { kind, number, entry } of this.unanswered) {
      if (kind === 'unsubscribe') {
        // Some services keep the topic, so the answer may list it.
        if (number < from) hasSkipped = true
        else unsubscribe ??= number
      } else if (number >= from && entry.listedBy === confirmation) {
        if (unsubscribe !== undefined && this.answersUnsubscribes !== false) return unsubscribe
        if (hasSkipped) this.answersUnsubscribes ??= false
        return number
      }
    }
    if (unsubscribe !== undefined) this.answersUnsubscribes = true
    return unsubscribe
  }

  private onAnswered(frame: SentFrame): void {
    const { entry, kind } = frame
    const index = entry.unanswered.indexOf(frame)
    // A topic that is unsubscribed needs no answers to earlier requests.
    const first = kind === 'unsubscribe' ? 0 : index
    for (const each of entry.unanswered.splice(first, index - first + 1)) {
      this.unanswered.delete(each)
      if (each.kind === 'probe') this.probeCount--
    }
    this.deleteIfUnused(entry)
  }

  private addLeft(base: Address, leftAt: number, now: number): void {
    this.left.delete(base)
    this.left.set(base, leftAt)
    for (const oldest of this.left.keys()) {
      if (this.left.size <= maxLeft || this.mayBeLate(oldest, now)) return
      this.left.delete(oldest)
    }
  }

  private entryOf(base: Address): Entry {
    const existing = this.entries.get(base)
    if (existing !== undefined) return existing
    const entry: Entry = { base, unanswered: [], listedBy: 0, confirmedUpTo: 0 }
    this.entries.set(base, entry)
    return entry
  }

  private deleteIfUnused(entry: Entry): void {
    if (entry.unanswered.length === 0) this.entries.delete(entry.base)
  }
}
