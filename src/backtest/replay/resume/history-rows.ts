import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { defer, Subject, Subscription, type Observable } from 'rxjs'
import type { Client } from '../../../client/client.js'
import { pastSourceOf, readablePast$ } from '../../../base/domain/joinable.js'
import type { PastEvent } from '../../../base/domain/past.js'
import type { Price } from '../../../base/domain/price.js'
import type { Topic } from '../../../base/domain/topic.js'
import { stale } from '../../../base/errors/constructors.js'
import type { HistoryError, PriceError } from '../../../base/errors/model.js'
import { maxTimerMs } from '../../../base/domain/valid-numbers.js'
import { systemClock } from '../../../base/time/system-clock.js'
import { withPast } from '../../../operators/with-past.js'
import { outage } from '../../../testing/retained-event.js'
import type { History } from '../../history/history.js'
import { createHeader, type PriceRow, type RecordingHeader } from '../../recording/codec/row.js'
import { Recorder, type EntriesResult, type RecordingEntry } from '../../recording/read/read-entries.js'
import type { SetReading } from '../../recording/read/merge.js'
import { activeContext, runInContext } from '../rx-context.js'

/** The past prices of a history as the rows of a recording, in order, of each topic while it is wanted. */
export class HistoryRows {
  private readonly topics = new Map<string, TopicRows>()
  private readonly context = activeContext()
  private isLive = false

  /** `time`: the start, then the time of the last row, in ms since the Unix epoch. */
  constructor(
    private readonly client: Client,
    private readonly history: History,
    private time: number,
  ) {}

  /**
   * Reads a topic, from the time of the last row on, until each subscription has ended. `onStart`: called for the first
   * one.
   */
  want(topic: Topic, subscription: Subscription, onStart: () => void): TopicRows {
    const key = topic.toLowerCase()
    let rows = this.topics.get(key)
    if (rows === undefined) {
      onStart()
      const started = (rows = new TopicRows(topic, this.time))
      this.topics.set(key, started)
      runInContext(this.context, () => started.start(this.client, this.history))
    }
    const wanted = rows
    wanted.count++
    subscription.add(() => {
      if (--wanted.count > 0) return
      runInContext(this.context, () => wanted.closing.unsubscribe())
      this.topics.delete(key)
    })
    return wanted
  }

  /** Like `readSet`. A strategy requests topics while it receives the rows. Ends when the past of each topic has ended. */
  async *read({ closing }: SetReading): AsyncGenerator<EntriesResult, void> {
    closing.add(() => {
      for (const topic of this.topics.values()) if (!this.isLive) topic.closing.unsubscribe()
    })
    yield right([this.entryOf(createHeader(this.time))])
    while (!closing.closed) {
      for (const { caughtUp } of this.topics.values()) await caughtUp
      if ([...this.topics.values()].every(({ isAtEnd, next }) => isAtEnd && next === undefined)) return
      yield right(this.entries())
    }
  }

  /** The border is reached: the live prices of each topic follow its past. */
  startLive(): void {
    this.isLive = true
    for (const topic of this.topics.values()) topic.releaseLive()
  }

  /** The entries until a topic is wanted whose past is not read. */
  private *entries(): Generator<RecordingEntry, void> {
    for (;;) {
      let earliest: TopicRows | undefined
      for (const topic of this.topics.values()) {
        if (!topic.isAtEnd) return
        if (topic.next !== undefined && !(earliest?.next && earliest.next.at <= topic.next.at))
          earliest = topic
      }
      const row = earliest?.take()
      if (row === undefined) return
      yield this.entryOf(row)
    }
  }

  private entryOf(line: PriceRow | RecordingHeader): RecordingEntry {
    this.time = Math.max(this.time, line.at)
    return { line, time: this.time, skipped: 0, origin }
  }
}

const origin = { source: 'history', lineNumber: 0, recorder: new Recorder() }

/** The past of one topic, and then its live prices, joined by `withPast`. */
class TopicRows {
  private readonly liveSubject$ = new Subject<Either<PriceError, Price>>()
  /** The live events after the border. */
  readonly live$: Observable<Either<PriceError, Price>> = this.liveSubject$
  /** Those that came before the border. */
  private held: Either<PriceError, Price>[] | undefined = []
  /** The number of its subscribers. */
  count = 0
  /** True if there is no further row. */
  isAtEnd = false
  private resolve = (): void => undefined
  /** Resolves when there is no further row. */
  readonly caughtUp = new Promise<void>((resolve) => (this.resolve = resolve))
  readonly closing = new Subscription(() => this.resolve())
  private readonly rows: PriceRow[] = []
  private taken = 0
  private last: Price | undefined
  private isDown = false
  private nextEpoch = 1
  private readonly clock = systemClock()

  constructor(
    private readonly topic: Topic,
    private readonly from: number,
  ) {}

  start(client: Client, history: History): void {
    const { topic, from } = this
    // Ends now, also if a caller has written the history.
    const past$ = readablePast$(
      (start = from, onPosition = ignore) =>
        defer(() => pastSourceOf(history.prices$(topic, { from: start })).read$(undefined, onPosition)),
      true,
    )
    // A past takes as long as the strategy needs for it.
    const joined$ = withPast<PriceError, Price>(past$, { pastTimeout: maxTimerMs })
    this.closing.add(
      joined$(client.price$(topic)).subscribe({
        next: (event) => {
          if (this.isAtEnd) this.onLive(event as Either<PriceError, Price>)
          else if (isLeft(event)) this.onFailure(event.left as HistoryError)
          else if ('_tag' in event.right && event.right._tag !== 'CaughtUp') this.onPast(event.right)
          else this.end()
        },
        error: (thrown) => {
          this.liveSubject$.error(thrown)
          this.end()
        },
        complete: () => this.liveSubject$.complete(),
      }),
    )
  }

  releaseLive(): void {
    for (const event of this.held ?? []) this.liveSubject$.next(event)
    this.held = undefined
  }

  /** That of the next price; `undefined` without a past price. */
  get epoch(): number | undefined {
    return this.last && this.nextEpoch
  }

  get next(): PriceRow | undefined {
    return this.rows[this.taken]
  }

  take(): PriceRow | undefined {
    return this.rows[this.taken++]
  }

  private onLive(event: Either<PriceError, Price>): void {
    if (this.held === undefined) this.liveSubject$.next(event)
    else this.held.push(event)
  }

  private end(): void {
    this.isAtEnd = true
    this.resolve()
  }

  private onPast(event: PastEvent): void {
    const { topic, last, nextEpoch: epoch } = this
    if (event._tag === 'PastPrice') {
      this.isDown = false
      this.last = { topic, price: event.price, receivedAt: event.at, epoch }
      this.add(right(this.last), event.at)
    } else if (last !== undefined) {
      // Only the start of a gap is an event. Before the first price, the topic is not there.
      const { cause, from } = event
      if (cause === 'stale') return this.interrupt(stale(topic, from - last.receivedAt, last), from)
      this.nextEpoch = last.epoch + 1
      this.interrupt(outage(`gap in the history: ${cause}`), from)
    }
  }

  private onFailure(error: HistoryError): void {
    if (error._tag !== 'UnknownTopic') this.interrupt(outage(error.message), this.from)
  }

  private interrupt(error: PriceError, at: number): void {
    if (!this.isDown) this.add(left(error), at)
    this.isDown = true
  }

  /** The clock of the recorder may have been set. */
  private add(event: Either<PriceError, Price>, at: number): void {
    const time = Math.max(this.from, this.rows.at(-1)?.at ?? 0, Math.min(at, this.clock.wallClock()))
    this.rows.push({ _tag: 'Price', at: time, topic: this.topic, event })
  }
}

const ignore = (): void => undefined
