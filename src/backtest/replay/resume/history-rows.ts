import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import {
  BehaviorSubject,
  defer,
  EMPTY,
  filter,
  identity,
  Observable,
  repeat,
  Subject,
  Subscription,
  take,
  tap,
} from 'rxjs'
import { pastSourceOf, readablePast$, type OnPosition } from '../../../base/domain/joinable.js'
import type { PastEvent } from '../../../base/domain/past.js'
import type { Price } from '../../../base/domain/price.js'
import type { Topic } from '../../../base/domain/topic.js'
import { maxTimerMs } from '../../../base/domain/valid-numbers.js'
import { stale } from '../../../base/errors/constructors.js'
import type { HistoryError, PriceError } from '../../../base/errors/model.js'
import { systemClock } from '../../../base/time/system-clock.js'
import type { Client } from '../../../client/client.js'
import { PastJoin } from '../../../operators/past-join.js'
import { outage } from '../../../testing/retained-event.js'
import type { History } from '../../history/history.js'
import { createHeader, type PriceRow, type RecordingHeader, type Row } from '../../recording/codec/row.js'
import { Recorder, type EntriesResult, type RecordingEntry } from '../../recording/read/read-entries.js'
import type { SetReading } from '../../recording/read/merge.js'
import { activeContext, runInContext } from '../rx-context.js'

/** The first time that is read at once, in ms. It is doubled until it has `fewPrices`. */
const firstSpan = 60_000
const fewPrices = 5_000

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

  /** The rows of a topic that is wanted. */
  of(topic: Topic): TopicRows | undefined {
    return this.topics.get(topic.toLowerCase())
  }

  /** Reads a topic, from the time of the last row on, until each subscription has ended. `onStart`: called for the first one. */
  want(topic: Topic, onStart: () => void): Subscription {
    const key = topic.toLowerCase()
    let rows = this.topics.get(key)
    if (rows === undefined) {
      onStart()
      rows = new TopicRows(this.history, topic, this.time)
      this.topics.set(key, rows)
      const { client } = this
      const started = rows
      runInContext(this.context, () => started.start(client.price$(topic)))
    }
    const wanted = rows
    wanted.count++
    return new Subscription(() => {
      if (--wanted.count > 0) return
      runInContext(this.context, () => wanted.closing.unsubscribe())
      this.topics.delete(key)
    })
  }

  /** Like `readSet`. A strategy requests topics while it receives the rows. Ends when each topic has reached its live stream. */
  async *read({ closing }: SetReading): AsyncGenerator<EntriesResult, void> {
    closing.add(() => {
      for (const topic of this.topics.values()) if (!this.isLive) topic.closing.unsubscribe()
    })
    const origin = { source: 'history', lineNumber: 0, recorder: new Recorder() }
    const entryOf = (line: Row | RecordingHeader): RecordingEntry => {
      this.time = Math.max(this.time, line.at)
      return { line, time: this.time, skipped: 0, origin }
    }
    yield right([entryOf(createHeader(this.time))])
    while (!closing.closed) {
      for (const topic of this.topics.values()) await topic.ready()
      if ([...this.topics.values()].every(({ next, isAtEnd }) => isAtEnd && next === undefined)) return
      yield right(this.piece(entryOf))
    }
  }

  /** The border is reached: the live prices of each topic follow its past. */
  startLive(): void {
    this.isLive = true
    for (const topic of this.topics.values()) topic.startLive()
  }

  /** The rows until a topic needs to be read. */
  private *piece(entryOf: (row: Row) => RecordingEntry): Generator<RecordingEntry, void> {
    for (;;) {
      let earliest: TopicRows | undefined
      for (const topic of this.topics.values()) {
        const { next } = topic
        if (next === undefined && !topic.isAtEnd) return
        if (next !== undefined && (earliest?.next === undefined || next.at < earliest.next.at))
          earliest = topic
      }
      const row = earliest?.take()
      if (row === undefined) return
      yield entryOf(row)
    }
  }
}

/** The rows of one topic, and then its live prices, joined as by `withPast`. */
class TopicRows {
  readonly closing = new Subscription(() => this.wake())
  /** The live events after the border. */
  readonly live$: Observable<Either<PriceError, Price>>
  /** The number of its subscribers. */
  count = 0
  /** True if there is no further row. */
  isAtEnd = false
  private readonly liveSubject$ = new Subject<Either<PriceError, Price>>()
  private rows: PriceRow[] = []
  private taken = 0
  private readonly isDrained$ = new BehaviorSubject(true)
  private wake = (): void => undefined
  private releaseLive = (): void => undefined
  private isLive = false
  private last: Price | undefined
  private isDown = false
  private nextEpoch = 1

  constructor(
    private readonly history: History,
    private readonly topic: Topic,
    private readonly from: number,
  ) {
    this.live$ = this.liveSubject$
  }

  start(live$: Observable<Either<PriceError, Price>>): void {
    const past$ = readablePast$(
      (from = this.from, onPosition = ignore) => this.parts$(from, onPosition),
      true,
    )
    // A past takes as long as the strategy needs for it.
    const config = { past$, pastTimeout: maxTimerMs, refill: undefined, refillTimeout: maxTimerMs }
    const joined$ = new Observable<never>((subscriber) =>
      new PastJoin(config, live$, subscriber, {
        onPast: (event, at) => this.onPast(event, Math.max(at, this.from)),
        onCaughtUp: (releaseLive) => {
          this.releaseLive = releaseLive
          this.isAtEnd = true
          this.wake()
          if (this.isLive) releaseLive()
        },
        onLive: (event) => this.liveSubject$.next(event),
        onInterruption: ignore,
        onRefilled: ignore,
        onComplete: () => this.liveSubject$.complete(),
      }).start(),
    )
    this.closing.add(joined$.subscribe({ error: (thrown) => this.liveSubject$.error(thrown) }))
  }

  startLive(): void {
    this.isLive = true
    this.releaseLive()
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

  /** Resolves when there is a row, or no further one. */
  async ready(): Promise<void> {
    if (this.next !== undefined || this.isAtEnd || this.closing.closed) return
    this.rows = []
    this.taken = 0
    const ready = new Promise<void>((resolve) => (this.wake = resolve))
    this.isDrained$.next(true)
    await ready
  }

  /** The past in parts, each after the rows of the one before were taken: a history does not wait for its reader. */
  private parts$(from: number, onPosition: OnPosition): Observable<Either<HistoryError, PastEvent>> {
    let [start, span, count, isLast] = [from, firstSpan, 0, false]
    const next$ = (): Observable<unknown> => {
      if (count < fewPrices) span *= 2
      return isLast ? EMPTY : this.isDrained$.pipe(filter(identity), take(1))
    }
    return defer(() => {
      const to = start + span
      isLast = to >= systemClock().wallClock()
      const past$ = this.history.prices$(this.topic, isLast ? { from: start } : { from: start, to })
      ;[start, count] = [to, 0]
      return pastSourceOf(past$).read$(undefined, onPosition)
    }).pipe(
      tap((event) => {
        count++
        isLast ||= isLeft(event)
      }),
      repeat({ delay: next$ }),
    )
  }

  private onPast(event: Either<HistoryError, PastEvent>, at: number): void {
    const { topic, last, nextEpoch: epoch } = this
    if (isLeft(event)) {
      if (event.left._tag !== 'UnknownTopic') this.interrupt(outage(event.left.message), at)
    } else if (event.right._tag === 'PastPrice') {
      this.isDown = false
      this.last = { topic, price: event.right.price, receivedAt: event.right.at, epoch }
      this.add({ _tag: 'Price', at, topic, event: right(this.last) })
    } else if (last !== undefined) {
      // Only the start of a gap is an event. Before the first price, the topic is not there.
      const { cause, from } = event.right
      if (cause === 'stale') return this.interrupt(stale(topic, from - last.receivedAt, last), at)
      this.nextEpoch = last.epoch + 1
      this.interrupt(outage(`gap in the history: ${cause}`), at)
    }
  }

  private interrupt(error: PriceError, at: number): void {
    if (this.isDown) return
    this.isDown = true
    this.add({ _tag: 'Price', at, topic: this.topic, event: left(error) })
  }

  private add(row: PriceRow): void {
    this.rows.push(row)
    if (this.isDrained$.value) this.isDrained$.next(false)
    this.wake()
  }
}

const ignore = (): void => undefined
