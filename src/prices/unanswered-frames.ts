import type { Address } from '../domain/address.js'

/** A frame of the client that the service has not answered yet. */
interface UnansweredFrame {
  /** `probe`: a subscribe frame of a confirmed topic. */
  readonly kind: 'subscribe' | 'probe' | 'unsubscribe'
  readonly number: number
  readonly topic: UnansweredTopic
  /** Only of a subscribe frame: true if the topic was never requested before on this connection. */
  readonly isFirst: boolean
  isDone: boolean
}

/** A topic with unanswered frames. */
interface UnansweredTopic {
  readonly base: Address
  /** The oldest first. */
  readonly frames: UnansweredFrame[]
  /** The number of the last confirmation that listed it. */
  listedBy: number
}

/** More frames are not stored. Then no confirmation answers a probe, until the connection is replaced. */
const maxUnanswered = 100_000

/** Removed frames are kept until they are so many, and more than the others. */
const maxDone = 1024

/**
 * The frames of one connection that the service has not answered, in the order in which they were sent. A confirmation says
 * only which topics are subscribed, so it is taken for the answer to the oldest frame that it fits: a probe never counts as
 * answered before it is. The probes and unsubscribe frames before that one were answered, or never will be. The answer to a
 * subscribe frame may still follow: a gateway waits for that of the service.
 *
 * A probe subscribes again to a confirmed topic: its answer shows that later prices were sent after it.
 */
export class UnansweredFrames {
  private readonly topics = new Map<Address, UnansweredTopic>()
  private frames: UnansweredFrame[] = []
  /** The index of the oldest frame. */
  private head = 0
  /** The number of removed frames behind the oldest one. */
  private done = 0
  private lastNumber = 0
  private confirmations = 0
  private probes = 0
  private isOverflown = false
  /** Whether the service answers unsubscribe frames: `undefined` as long as it has not become known. */
  private answersUnsubscribes: boolean | undefined

  get size(): number {
    return this.frames.length - this.head - this.done
  }

  get probeCount(): number {
    return this.probes
  }

  onSent(kind: UnansweredFrame['kind'], base: Address, isFirst = false): void {
    if (this.size >= maxUnanswered) {
      this.clear()
      this.isOverflown = true
    }
    if (this.isOverflown) return
    const topic = this.topics.get(base) ?? { base, frames: [], listedBy: 0 }
    this.topics.set(base, topic)
    const frame = { kind, number: ++this.lastNumber, topic, isFirst, isDone: false }
    topic.frames.push(frame)
    this.frames.push(frame)
    if (kind === 'probe') this.probes++
  }

  /** Called for each confirmation, with its topics. Returns the number of probes that are answered by it. */
  onConfirmation(bases: Iterable<Address>): number {
    const number = ++this.confirmations
    // The topics that a confirmation lists were requested before the frame that it answers.
    let from = 0
    for (const base of bases) {
      const topic = this.topics.get(base)
      if (topic === undefined) continue
      topic.listedBy = number
      const [first] = topic.frames
      if (first?.isFirst === true) from = Math.max(from, first.number)
    }
    const answered = this.findAnswered(from, number)
    if (answered === undefined) return 0
    const before = this.probes
    for (const frame of this.frames.slice(this.head, answered + 1)) {
      const mayFollow = frame.kind === 'subscribe' && frame.topic.listedBy !== number
      if (!frame.isDone && !mayFollow) this.remove(frame)
    }
    this.compact()
    return before - this.probes
  }

  /** True if an error text may be about this topic, because a probe subscribes to it. */
  isProbing(base: Address): boolean {
    return this.probes > 0 && (this.topics.get(base)?.frames.some(({ kind }) => kind === 'probe') ?? false)
  }

  clear(): void {
    this.topics.clear()
    this.frames = []
    this.head = this.done = this.probes = 0
    this.isOverflown = false
    this.answersUnsubscribes = undefined
  }

  /** The index of the oldest frame, from a number on, whose answer the confirmation may be. */
  private findAnswered(from: number, confirmation: number): number | undefined {
    let unsubscribe: number | undefined
    let hasSkipped = false
    for (let index = this.head; index < this.frames.length; index++) {
      const frame = this.frames[index]
      if (frame === undefined || frame.isDone) continue
      if (isUnsubscribe(frame)) {
        // Some services keep the topic, so the answer may list it.
        if (frame.number < from) hasSkipped = true
        else unsubscribe ??= index
      } else if (frame.number >= from && frame.topic.listedBy === confirmation) {
        if (unsubscribe !== undefined && this.answersUnsubscribes !== false) return unsubscribe
        if (hasSkipped) this.answersUnsubscribes ??= false
        return index
      }
    }
    if (unsubscribe !== undefined) this.answersUnsubscribes = true
    return unsubscribe
  }

  private remove(frame: UnansweredFrame): void {
    const { topic } = frame
    // A topic that is unsubscribed needs no answers to earlier requests.
    const first = isUnsubscribe(frame) ? 0 : topic.frames.indexOf(frame)
    for (const each of topic.frames.splice(first, topic.frames.indexOf(frame) - first + 1)) {
      each.isDone = true
      this.done++
      if (each.kind === 'probe') this.probes--
    }
    if (topic.frames.length === 0) this.topics.delete(topic.base)
  }

  private compact(): void {
    while (this.frames[this.head]?.isDone === true) {
      this.head++
      this.done--
    }
    if (this.head + this.done < maxDone || this.head + this.done < this.size) return
    this.frames = this.frames.filter(({ isDone }) => !isDone)
    this.head = this.done = 0
  }
}

const isUnsubscribe = ({ kind }: UnansweredFrame): boolean => kind === 'unsubscribe'
