import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { concat, defer, finalize, share, Subscription, tap, type Observable } from 'rxjs'
import type { Client } from '../../../client/client.js'
import { pastSourceOf, type CaughtUp, type PastEvent } from '../../../base/domain/past.js'
import type { Price } from '../../../base/domain/price.js'
import type { Topic } from '../../../base/domain/topic.js'
import type { HistoryError, PriceError } from '../../../base/errors/model.js'
import { deferred } from '../../../base/task/deferred.js'
import { systemClock } from '../../../base/time/clock.js'
import { maxTimerMs } from '../../../base/domain/valid-numbers.js'
import { withPast } from '../../../operators/with-past.js'
import { outage } from '../../../testing/retained-event.js'
import { readablePast$, type History } from '../../history/history.js'
import { createHeader, type PriceRow, type RecordingHeader } from '../../recording/codec/row.js'
import { Recorder, type EntriesResult, type RecordingEntry } from '../../recording/read/read-entries.js'
import type { SetReading } from '../../recording/read/merge.js'
import { PriorityQueue } from '../../recording/read/priority-queue.js'
import type { Playback } from '../playback.js'
import { activeContext, runInContext } from '../rx-context.js'

/** The past prices of a history as the rows of a recording, in order, of each topic that is wanted. */
export class HistoryRows {
  private readonly topics = new Map<string, TopicRows>()
  private readonly queue = new PriorityQueue<RecordingEntry>(
    (a, b) => a.time - b.time || a.origin.lineNumber - b.origin.lineNumber,
  )
  /** A strategy subscribes on a clock of its own, on which a live client does not run. */
  private readonly context = activeContext()

  /** `time`: the start, then the time of the last row or timer, in ms since the Unix epoch; `Infinity` after the past. */
  constructor(
    private readonly client: Client,
    private readonly history: History,
    private time: number,
    private readonly playback: Playback,
  ) {}

  /** Reads a topic from the time of the last row or timer on. Undefined for a topic that is first wanted after the past. */
  want(topic: Topic): TopicRows | undefined {
    const key = topic.toLowerCase()
    const wanted = this.topics.get(key)
    if (wanted !== undefined || this.time === Infinity) return wanted
    const rows = new TopicRows(this.client, this.history, topic, this.time, this.queue)
    this.topics.set(key, rows)
    runInContext(this.context, () => rows.start())
    return rows
  }

  /** Like `readSet`. A strategy requests topics while it receives the rows. Ends when the past of each topic has ended. */
  async *read({ closing = new Subscription() }: SetReading): AsyncGenerator<EntriesResult, void> {
    yield right([startEntry(this.time)])
    while (!closing.closed) {
      for (const { caughtUp } of this.topics.values()) await caughtUp.promise
      if (this.queue.peek() === undefined && !this.isWantedByTimer()) return
      yield right(this.entries())
    }
  }

  /** Fires the timers that are due after the last row, until one of them wants a topic. False if none does: the past is over. */
  private isWantedByTimer(): boolean {
    const { topics, playback } = this
    const { size } = topics
    const now = systemClock().wallClock()
    while (topics.size === size && this.time !== Infinity) {
      const { nextDue } = playback.runs
      playback.recordedAt = this.time = nextDue > now ? Infinity : nextDue
      playback.runs.advance(Math.min(this.time, now))
    }
    return topics.size > size
  }

  /** The past has ended: called after the subscriptions of the border. The client is left after the last one of them. */
  close(): void {
    runInContext(this.context, () => {
      for (const rows of this.topics.values()) rows.close()
    })
  }

  /** The entries until a topic is wanted whose past is not read. */
  private *entries(): Generator<RecordingEntry, void> {
    while ([...this.topics.values()].every(({ isAtEnd }) => isAtEnd)) {
      const next = this.queue.pop()
      if (next === undefined) return
      this.time = next.time
      yield next
    }
  }
}

/** The header of a recording without a row. */
export const startEntry = (at: number): RecordingEntry => entryOf(createHeader(at), new Recorder(), 0)

const entryOf = (
  line: PriceRow | RecordingHeader,
  recorder: Recorder,
  lineNumber: number,
): RecordingEntry => ({
  line,
  time: line.at,
  skipped: 0,
  origin: { source: 'history', lineNumber, recorder },
})

type LiveEvent = Either<PriceError, Price>
type JoinedEvent = Either<PriceError | HistoryError, Price | PastEvent | CaughtUp>

/** The past of one topic, and then its live prices, joined by `withPast`. */
class TopicRows {
  private readonly recorder = new Recorder()
  private rows = 0
  /** True if there is no further row of the past. */
  isAtEnd = false
  /** Resolves when there is no further row of the past. */
  readonly caughtUp = deferred<undefined>()
  private readonly joined$: Observable<JoinedEvent>
  private readonly subscription = new Subscription()
  /** The live events before the border; undefined after it. */
  private early: LiveEvent[] | undefined = []
  /** All live events, for a subscription at the border. */
  readonly live$ = defer(() => concat(this.early ?? [], this.joined$ as Observable<LiveEvent>))
  /** Added to the epochs of live prices, so that they continue those of the past; undefined before the first one. */
  addedEpochs: number | undefined
  /** The last event of the past. */
  private last: LiveEvent | undefined
  /** Of the last past price. */
  private epoch = 1

  constructor(
    client: Client,
    history: History,
    private readonly topic: Topic,
    private time: number,
    private readonly queue: PriorityQueue<RecordingEntry>,
  ) {
    // Ends now, also if a caller has written the history.
    const past$ = readablePast$(
      (from = time, onPosition = () => undefined) =>
        defer(() => pastSourceOf(history.prices$(topic, { from })).read$(undefined, onPosition)),
      true,
    )
    // A past takes as long as the strategy needs for it.
    const joined$ = withPast<PriceError, Price>(past$, { pastTimeout: maxTimerMs })(client.price$(topic))
    this.joined$ = joined$.pipe(
      tap((event) => this.onEvent(event)),
      finalize(() => this.end()),
      share({ resetOnComplete: false, resetOnError: false }),
    )
  }

  start(): void {
    this.subscription.add(this.joined$.subscribe({ error: () => undefined }))
  }

  close(): void {
    this.early = undefined
    this.subscription.unsubscribe()
  }

  private onEvent(event: JoinedEvent): void {
    if (this.isAtEnd) this.onLive(event as LiveEvent)
    else if (isLeft(event)) {
      if (event.left._tag !== 'UnknownTopic') this.interrupt(event.left.message, this.time)
    } else if ('_tag' in event.right && event.right._tag !== 'CaughtUp') this.onPast(event.right)
    else this.end()
  }

  /** The connection of the first live price is that of the last past one. */
  private onLive(event: LiveEvent): void {
    if (isRight(event)) this.addedEpochs ??= this.epoch - event.right.epoch
    this.early?.push(event)
  }

  private end(): void {
    this.isAtEnd = true
    this.caughtUp.resolve(undefined)
  }

  /** Only the start of a gap is an event. Before the first price, the topic is not there. */
  private onPast(event: PastEvent): void {
    const { topic, last } = this
    if (event._tag === 'PastPrice') {
      if (last !== undefined && isLeft(last)) this.epoch++
      this.add(right({ topic, price: event.price, receivedAt: event.at, epoch: this.epoch }), event.at)
    } else if (last !== undefined) this.interrupt(`gap in the history: ${event.cause}`, event.from)
  }

  private interrupt(reason: string, at: number): void {
    if (this.last === undefined || isRight(this.last)) this.add(left(outage(reason)), at)
  }

  private add(event: LiveEvent, at: number): void {
    this.last = event
    this.time = Math.max(this.time, at)
    const row: PriceRow = { _tag: 'Price', at: this.time, topic: this.topic, event }
    this.queue.push(entryOf(row, this.recorder, ++this.rows))
  }
}
