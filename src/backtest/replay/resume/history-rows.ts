import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { forkJoin, Subscription, takeUntil, type Observable } from 'rxjs'
import { pastSourceOf } from '../../../base/domain/joinable.js'
import type { Gap, PastEvent } from '../../../base/domain/past.js'
import type { PricePosition } from '../../../base/domain/position.js'
import type { Price } from '../../../base/domain/price.js'
import type { Topic } from '../../../base/domain/topic.js'
import { networkError, stale } from '../../../base/errors/constructors.js'
import type { HistoryError, PriceError } from '../../../base/errors/model.js'
import { delay$ } from '../../../base/time/deadline.js'
import { rxClock } from '../../../base/time/rx-clock.js'
import { systemClock } from '../../../base/time/system-clock.js'
import type { History } from '../../history/history.js'
import { outage } from '../../../testing/retained-event.js'
import { PastEnd } from '../../../operators/past-end.js'
import { LiveStart, maxReadings, rereadTime } from '../../../operators/past-until-live.js'
import { pastTimeout } from '../../../operators/with-past.js'
import { createHeader, type PriceRow, type RecordingHeader, type Row } from '../../recording/codec/row.js'
import { Recorder, type EntriesResult, type RecordingEntry } from '../../recording/read/read-entries.js'
import type { SetReading } from '../../recording/read/merge.js'

/** The first time that is read at once, in ms. It is doubled until it has `fewPrices`. */
const firstSpan = 60_000
const fewPrices = 5_000

/** The past prices of a history as the rows of a recording, in order, of each topic while it is wanted. */
export class HistoryRows {
  /** By topic in lower case. */
  readonly topics = new Map<string, TopicRows>()

  /** `time`: the start, then the time of the last row, in ms since the Unix epoch. `startLive`: starts the live streams. */
  constructor(
    private readonly history: History,
    private time: number,
    private readonly startLive: () => void,
  ) {}

  /** Reads a topic, from the time of the last row on, until the subscription ends. */
  want(topic: Topic): Subscription {
    const key = topic.toLowerCase()
    const rows = this.topics.get(key) ?? new TopicRows(this.history, topic, this.time)
    this.topics.set(key, rows)
    return new Subscription(() => {
      rows.closing.unsubscribe()
      this.topics.delete(key)
    })
  }

  /**
   * Like `readSet`. A strategy requests topics while it receives the rows. At the end of the past, the live streams start, and the
   * history is read again until it has the first live price of each topic, as by `withPast`.
   */
  async *read({ closing }: SetReading): AsyncGenerator<EntriesResult, void> {
    const origin = { source: 'history', lineNumber: 0, recorder: new Recorder() }
    const entryOf = (line: Row | RecordingHeader): RecordingEntry => {
      this.time = Math.max(this.time, line.at)
      return { line, time: this.time, skipped: 0, origin }
    }
    yield right([entryOf(createHeader(this.time))])
    let [readings, until] = [0, Infinity]
    while (!closing.closed) {
      for (const topic of this.topics.values()) await topic.refill()
      const rows = this.piece()
      const first = rows.next()
      if (first.done !== true) {
        yield right(entriesOf(first.value, rows, entryOf))
        continue
      }
      if (readings++ === 0) {
        until = rxClock.elapsed() + pastTimeout
        this.startLive()
        await completed(this.started$(), closing)
      } else await completed(delay$(rxClock, rereadTime), closing)
      const isBehind = [...this.topics.values()].some((topic) => !topic.hasReached(readings > 1))
      if (!isBehind || readings > maxReadings || rxClock.elapsed() >= until) return
      for (const topic of this.topics.values()) topic.reopen()
    }
  }

  /** Completes when the live stream of each topic with a past has started, or after the timeout. */
  private started$(): Observable<unknown> {
    const started = [...this.topics.values()].flatMap(({ hasPast, live }) => (hasPast ? [live.started$] : []))
    return forkJoin(started).pipe(takeUntil(delay$(rxClock, pastTimeout)))
  }

  /** The rows until a topic needs to be read. */
  private *piece(): Generator<Row, void> {
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
      yield row
    }
  }
}

function* entriesOf(
  first: Row,
  rest: Iterable<Row>,
  entryOf: (row: Row) => RecordingEntry,
): Generator<RecordingEntry, void> {
  yield entryOf(first)
  for (const row of rest) yield entryOf(row)
}

/** Resolves when the source completes, or on `closing`. */
const completed = (source$: Observable<unknown>, closing: Subscription): Promise<void> =>
  new Promise((resolve) => {
    const waiting = new Subscription(resolve)
    closing.add(waiting)
    waiting.add(source$.subscribe({ complete: () => waiting.unsubscribe() }))
  })

/** The rows of one topic, and where they meet the live ones. They are read in parts, because a history does not wait for its reader. */
class TopicRows {
  readonly closing = new Subscription()
  readonly live = new LiveStart()
  /** True if there is no further row at present. */
  isAtEnd = false
  private rows: PriceRow[] = []
  private taken = 0
  private span = firstSpan
  private readonly end = new PastEnd(true)
  private last: Price | undefined
  private isDown = false
  private epoch = 1

  constructor(
    private readonly history: History,
    private readonly topic: Topic,
    private readonly from: number,
  ) {}

  get next(): PriceRow | undefined {
    return this.rows[this.taken]
  }

  get hasPast(): boolean {
    return this.last !== undefined
  }

  /** There may be further rows. After a failure, the history is not read again. */
  reopen(): void {
    this.isAtEnd = this.end.hasFailed
  }

  take(): PriceRow | undefined {
    return this.rows[this.taken++]
  }

  async refill(): Promise<void> {
    while (this.next === undefined && !this.isAtEnd && !this.closing.closed) await this.readPart()
  }

  /** Called for each live row before `end`. */
  onLive({ event, position }: PriceRow): void {
    if (isLeft(event)) this.live.start()
    else this.live.start(event.right, position)
  }

  /** A stream without positions, as that of a test client, cannot continue a history: nothing is waited for. */
  onConfirmed(position: PricePosition | undefined): void {
    this.live.confirm(position)
    if (position === undefined) this.live.start()
  }

  /** True if nothing more is to be read. `isRead`: the history has been read since the live stream started. */
  hasReached(isRead: boolean): boolean {
    const { position, price } = this.live
    const first = position && price ? { ...position, count: position.count + 1 } : position
    return !this.hasPast || this.end.hasFailed || (this.end.reaches(first) ?? isRead)
  }

  /** True if no price is missing between the rows and the live ones. */
  get isContinued(): boolean {
    return this.end.isContinuedAfter(this.live.position)
  }

  /** True if a live row is one of the history. Called for each live row, in order, if `isContinued`. */
  isRepeated({ event, position }: PriceRow): boolean {
    return !isLeft(event) && this.end.take(event.right, position)
  }

  private readPart(): Promise<void> {
    const from = this.end.startReading() ?? this.from
    const to = from + this.span
    const isLast = to >= systemClock().wallClock()
    this.rows = []
    this.taken = 0
    return new Promise((resolve) => {
      let position: PricePosition | undefined
      const pass = (event: Either<HistoryError, PastEvent>): void => {
        for (const each of this.end.pass(event, position)) this.add(each, position)
      }
      const past$ = this.history.prices$(this.topic, isLast ? { from } : { from, to })
      const reading = pastSourceOf(past$)
        .read$(undefined, (next) => (position = next))
        .subscribe({ next: pass, error: (thrown) => pass(left(networkError(thrown))) })
      this.closing.add(reading)
      reading.add(() => {
        if (this.rows.length < fewPrices) this.span *= 2
        this.isAtEnd = isLast || this.end.hasFailed
        resolve()
      })
    })
  }

  private add(event: Either<HistoryError, PastEvent>, position: PricePosition | undefined): void {
    if (isLeft(event)) {
      if (event.left._tag !== 'UnknownTopic') this.interrupt(outage(event.left.message))
    } else if (event.right._tag === 'Gap') this.onGap(event.right)
    else {
      const { topic, epoch } = this
      const { price, at } = event.right
      this.isDown = false
      this.last = { topic, price, receivedAt: at, epoch }
      const row = { _tag: 'Price', at, topic, event: right(this.last) } as const
      this.rows.push(position === undefined ? row : { ...row, position })
    }
  }

  /** Only its start is an event. Before the first price, the topic is not there. */
  private onGap({ cause, from }: Gap): void {
    const { topic, last } = this
    if (last === undefined) return
    const isStale = cause === 'stale'
    if (!isStale) this.epoch = last.epoch + 1
    this.interrupt(
      isStale ? stale(topic, from - last.receivedAt, last) : outage(`gap in the history: ${cause}`),
      from,
    )
  }

  private interrupt(error: PriceError, at = this.last?.receivedAt ?? this.from): void {
    if (this.isDown) return
    this.isDown = true
    this.rows.push({ _tag: 'Price', at, topic: this.topic, event: left(error) })
  }
}
