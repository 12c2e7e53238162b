import { PriceFrames } from '../codec/fast-path/price-frames.js'
import { subscribeFrame, unsubscribeFrame } from '../codec/outgoing-frame.js'
import type { Address } from '../domain/address.js'
import type { Topic } from '../domain/topic.js'
import { subscriptionTimeout } from '../errors/constructors.js'
import type { Delivery } from './fan-out.js'
import { Answers } from './pending-acks.js'
import { failed, refused, silent, type Tell } from './price-events.js'
import {
  createEntry,
  disconnectEntry,
  isUnanswered,
  isWaiting,
  never,
  quote,
  setAudience,
  silentAt,
  unwantedAt,
  type Entry,
  type Listener,
  type Patience,
  type Quote,
} from './topic-state.js'

/**
 * Which topics are wanted, asked for, waiting, live: the one truth that frames, deadlines and deliveries are
 * derived from. It sends nothing, sets no timer and tells no listener; `now` is of the clock that only moves forward.
 */
export class Subscriptions {
  private readonly entries = new Map<Address, Entry>()
  /** The entries that a frame may be owed for. Whether one is, their state says when its turn comes. */
  private readonly pending = new Set<Entry>()
  private readonly answers: Answers
  /** What the price updates of each topic look like on this connection, for the short way that they take. */
  readonly frames = new PriceFrames<Entry>()
  private due = Infinity

  constructor(
    private readonly patience: Patience,
    /** Called when a subscribe has been answered, so many ms after it was sent. */
    private readonly confirmation: (entry: Entry, confirmMs: number) => void = () => undefined,
  ) {
    this.answers = new Answers(this.entries, patience)
  }

  get size(): number {
    return this.entries.size
  }

  /** When `expire` is next to be called, at the latest. */
  get nextDue(): number {
    return this.due
  }

  get all(): Iterable<Entry> {
    return this.entries.values()
  }

  /** Whether there is a topic to keep a connection for. */
  isWanted(now: number): boolean {
    for (const entry of this.entries.values()) if (unwantedAt(entry, this.patience) > now) return true
    return false
  }

  has(base: Address): boolean {
    return this.entries.has(base)
  }

  join(base: Address, listener: Listener): Entry {
    const entry = this.entries.get(base) ?? this.create(base, listener.topic)
    // Not by a spread, which makes room for sixteen more.
    setAudience(entry, entry.audience.concat(listener))
    entry.leftAt = undefined
    return entry
  }

  /** A topic that was asked for lingers; any other is forgotten at once. */
  leave(entry: Entry, listener: Listener, now: number): void {
    if (this.entries.get(entry.base) !== entry) return
    const others = entry.audience.filter((other) => other !== listener)
    setAudience(entry, others)
    if (others.length > 0) return
    entry.leftAt = now
    if (entry.askedAt === undefined) this.forget(entry)
    else if (unwantedAt(entry, this.patience) <= now) this.pending.add(entry)
    else this.schedule(entry)
  }

  /** A connection opened: all that is wanted is to be asked for. */
  connected(): void {
    for (const entry of this.entries.values()) this.pending.add(entry)
  }

  /** The connection is gone, and what was known over it. Returns all who listen. */
  disconnected(): readonly Listener[] {
    const audience: Listener[] = []
    for (const entry of this.entries.values()) {
      if (entry.leftAt !== undefined) this.entries.delete(entry.base)
      disconnectEntry(entry)
      for (const listener of entry.audience) audience.push(listener)
    }
    this.pending.clear()
    this.answers.clear()
    this.frames.clear()
    this.due = Infinity
    return audience
  }

  /** Forgets every topic: who leaves from here on has nothing to leave. */
  clear(): void {
    this.entries.clear()
  }

  /** The frames that are owed, at most so many, taken as sent. */
  take(limit: number, now: number): readonly string[] {
    const frames: string[] = []
    let { holdsBack } = this.answers
    for (const entry of this.pending) {
      if (frames.length >= limit) break
      if (holdsBack && entry.askAgain) continue
      this.pending.delete(entry)
      const frame = this.frameFor(entry, now)
      if (frame !== undefined) frames.push(frame)
      holdsBack ||= this.answers.isUnclear && isUnanswered(entry)
    }
    return frames
  }

  /** Whether `take` has more to give. */
  get owes(): boolean {
    for (const entry of this.pending) if (!entry.askAgain) return true
    return this.pending.size > 0 && !this.answers.holdsBack
  }

  /** A topic in a confirmation is confirmed; absence from it proves nothing. */
  confirmed(base: Address, now: number): void {
    this.answers.answered(base)
    const entry = this.entries.get(base)
    if (entry === undefined || !isWaiting(entry)) return
    this.heard(entry, now)
  }

  /** Returns the topic's entry, or `undefined` where the topic is not subscribed on this connection. */
  priced(base: Address, price: Quote, now: number): Entry | undefined {
    const entry = this.asked(base)
    if (entry === undefined) return undefined
    quote(entry, price)
    this.heard(entry, now)
    return entry
  }

  asked(base: Address): Entry | undefined {
    const entry = this.entries.get(base)
    return entry?.askedAt === undefined ? undefined : entry
  }

  /** Whether a frame for this topic may be late rather than wrong. */
  isDeparted(base: Address, now: number): boolean {
    return this.answers.isDeparted(base, now)
  }

  /** An error text: what is to be told of it, or `undefined` where it belongs to no topic. */
  refused(text: string, now: number): Delivery | undefined {
    const base = this.answers.answeredBy(text, now)
    if (base === undefined) return undefined
    const entry = this.entries.get(base)
    if (entry === undefined || !isWaiting(entry)) return { audience: [], tell: refused(text) }
    this.forget(entry)
    return { audience: entry.audience, tell: refused(text), last: true }
  }

  /** What has come due: topics that are silent for too long, and topics that nobody came back to. */
  expire(now: number): readonly Delivery[] {
    const deliveries: Delivery[] = []
    this.due = Infinity
    for (const entry of this.entries.values()) {
      if (unwantedAt(entry, this.patience) <= now) this.pending.add(entry)
      if (silentAt(entry, this.patience) <= now) {
        deliveries.push({ audience: entry.audience, tell: this.silenced(entry, now) })
      }
      this.schedule(entry)
    }
    return deliveries
  }

  private create(base: Address, topic: Topic): Entry {
    const entry = createEntry(base, topic)
    this.entries.set(base, entry)
    this.pending.add(entry)
    return entry
  }

  private heard(entry: Entry, now: number): void {
    const confirmMs = entry.heardAt === never ? now - (entry.askedAt ?? now) : undefined
    entry.heardAt = now
    entry.live = true
    entry.askAgain = false
    this.schedule(entry)
    if (confirmMs !== undefined) this.confirmation(entry, confirmMs)
  }

  private forget(entry: Entry): void {
    this.entries.delete(entry.base)
    this.pending.delete(entry)
    if (typeof entry.known === 'number') this.frames.forget(entry.known)
    disconnectEntry(entry)
  }

  /** Only ever brings the due time forward: to come too early costs a look, to come too late a promise. */
  private schedule(entry: Entry): void {
    const unwanted = this.pending.has(entry) ? Infinity : unwantedAt(entry, this.patience)
    this.due = Math.min(this.due, unwanted, silentAt(entry, this.patience))
  }

  private frameFor(entry: Entry, now: number): string | undefined {
    if (unwantedAt(entry, this.patience) > now) {
      const isOwed = entry.askedAt === undefined || entry.askAgain
      if (isOwed) {
        entry.askedAt = now
        entry.askAgain = false
      }
      // What is not owed a frame now may be owed one when its linger ends.
      this.schedule(entry)
      return isOwed ? subscribeFrame(entry.topic) : undefined
    }
    const wasAsked = entry.askedAt !== undefined
    if (wasAsked) this.answers.leaves(entry, now)
    this.forget(entry)
    return wasAsked ? unsubscribeFrame(entry.topic) : undefined
  }

  private silenced(entry: Entry, now: number): Tell {
    if (entry.heardAt !== never) {
      entry.live = false
      return silent(entry, now)
    }
    const recent = this.answers.textsSince(entry.askedAt ?? now)
    entry.askAgain = true
    this.pending.add(entry)
    return failed((topic) => subscriptionTimeout(topic, this.patience.confirmTimeout, recent))
  }
}
