import { isLeft, left, type Either, type Left } from 'fp-ts/lib/Either.js'
import { defer, Observable, type Subscriber } from 'rxjs'
import { isDisconnected, RetainedEvent, type Retention } from '../../testing/retained-event.js'
import { safeComplete, safeNext } from '../../base/task/safe-notify.js'
import { withAtOnceLimit$ } from '../../base/time/at-once-limit.js'
import type { Recorder } from '../recording/read/read-entries.js'

interface Tagged {
  readonly _tag: string
}

interface ReplayStreamsConfig<E extends Tagged, A> {
  /** The events for late subscribers. */
  readonly retention: Retention<E, A>
  /** The monotonic time of the replay, in ms. */
  readonly elapsed: () => number
  /** Called for each subscriber of a stream that is not completed. Returns the teardown. */
  readonly onSubscribe: () => () => void
  /** The error of a stream that is not in the recording. */
  readonly notRecorded: (name: string) => E
  /** Returns the error of a stream whose next event is that of another recorder. Default: none. */
  readonly onTakenOver?: (recorder: Recorder) => E
}

/** The price streams or the depth streams of a replay, by topic or mint. Names are case-insensitive. */
export class ReplayStreams<E extends Tagged, A> {
  private readonly streams = new Map<string, ReplayStream<E, A>>()
  /** True if the interruption may not be reported to each subscriber. */
  isUnreported = false
  private ended: { readonly error: E | undefined } | undefined

  constructor(private readonly config: ReplayStreamsConfig<E, A>) {}

  event$(name: string): Observable<Either<E, A>> {
    return defer(() => this.stream(name).event$)
  }

  /** The header of a recorder has the name. */
  announce(name: string, recorder: Recorder): void {
    const stream = this.stream(name)
    if (stream.recorder?.isOver !== false) stream.recorder = recorder
  }

  /** The stream of the next event of a recorder. Events may be missing between those of two recorders. */
  streamOf(name: string, recorder: Recorder): Pick<ReplayStream<E, A>, 'emit'> {
    const stream = this.stream(name)
    if (stream.recorder === recorder) return stream
    const error = stream.isRecorded ? this.config.onTakenOver?.(recorder) : undefined
    if (error !== undefined) {
      stream.interrupt(error, true)
      stream.reportOutage()
    }
    stream.recorder = recorder
    return stream
  }

  /**
   * No stream of a recorder has a current value; by default, none of which there was a row. Subscribers receive the error when
   * `reportOutage` is called, late subscribers at once. `untilValue`: also after `Open`, until the next value.
   */
  interrupt(error: E, untilValue: boolean, recorder?: Recorder): void {
    this.isUnreported = true
    for (const stream of this.of(recorder)) stream.interrupt(error, untilValue)
  }

  /** Emits the error of the last interruption on each stream that has emitted no outage since. */
  reportOutage(): void {
    if (!this.isUnreported) return
    this.isUnreported = false
    for (const stream of this.streams.values()) stream.reportOutage()
  }

  /** Has no effect if another recorder has the stream by now. */
  complete(name: string, recorder: Recorder): void {
    const stream = this.stream(name)
    if ((stream.recorder ?? recorder) === recorder) stream.complete()
  }

  /** Completes all streams, also later ones, after the error. Only now it is known which are not in the recording. */
  completeAll(error: E | undefined): void {
    this.ended = { error }
    for (const [name, stream] of this.streams) this.end(name, stream)
  }

  private end(name: string, stream: ReplayStream<E, A>): void {
    const isRecorded = stream.recorder !== undefined
    const error = this.ended?.error ?? (isRecorded ? undefined : this.config.notRecorded(name))
    if (error !== undefined) stream.emit(left(error))
    stream.complete()
  }

  /** The streams of a recorder, and those whose recorder has ended; by default, all of which there was a row. */
  *of(recorder?: Recorder): Generator<ReplayStream<E, A>, void> {
    for (const stream of this.streams.values())
      if (
        recorder === undefined ? stream.isRecorded : stream.recorder === recorder || stream.recorder?.isOver
      )
        yield stream
  }

  private stream(name: string): ReplayStream<E, A> {
    // Most names have no capitals, and a row needs its stream.
    return this.streams.get(name) ?? this.createStream(name.toLowerCase(), name)
  }

  private createStream(key: string, name: string): ReplayStream<E, A> {
    const existing = this.streams.get(key)
    if (existing !== undefined) return existing
    const stream = new ReplayStream<E, A>(this.config)
    this.streams.set(key, stream)
    if (this.ended !== undefined) this.end(name, stream)
    return stream
  }
}

/** One stream of a replay. A late subscriber receives the retained event first. */
class ReplayStream<E extends Tagged, A> {
  /** Replaced on each change, so that a subscriber may come or go while an event is emitted. */
  private subscribers: readonly Subscriber<Either<E, A>>[] = []
  private lastEvent: Either<E, A> | undefined
  private readonly retained: RetainedEvent<E, A>
  private completed = false
  /** True once a row is emitted. */
  isRecorded = false
  /** The recorder that has announced the stream, or has emitted its last event. */
  recorder: Recorder | undefined
  /** The error of an interruption, until it is reported. */
  private outage: Left<E> | undefined
  /** True until the next value of a stream that `Open` does not make current again. */
  private isDownUntilValue = false

  constructor(private readonly config: ReplayStreamsConfig<E, A>) {
    this.retained = new RetainedEvent(config.retention, config.elapsed)
  }

  readonly event$ = withAtOnceLimit$(
    new Observable<Either<E, A>>((subscriber) => {
      if (!this.completed) this.add(subscriber)
      // An outage will be reported to all subscribers.
      if (this.outage === undefined) this.retained.repeat(subscriber)
      if (this.completed) safeComplete(subscriber)
      else subscriber.add(this.config.onSubscribe())
    }),
    () => this.retained.event === undefined || isLeft(this.retained.event),
  )

  /** Also reopens a completed stream: a recording may be appended to another. */
  emit(event: Either<E, A>): void {
    this.completed = false
    this.isRecorded = true
    // A recorded outage is the one that the status has announced.
    if (isDisconnected(event)) this.outage = undefined
    else this.reportOutage()
    this.isDownUntilValue &&= isLeft(event)
    this.retain(event)
    this.notify(event)
  }

  /** `untilValue`: not only until `Open`. */
  interrupt(cause: E, untilValue: boolean): void {
    if (this.completed) return
    const error = left(cause) as Left<E>
    this.isDownUntilValue = untilValue
    const isDown = this.lastEvent !== undefined && isDisconnected(this.lastEvent)
    if (untilValue && isDown && this.outage === undefined) {
      this.retained.event = this.lastEvent
      return
    }
    this.outage ??= error
    this.retain(error)
  }

  /** Emits the error of an interruption that no recorded event has reported. */
  reportOutage(): void {
    const { outage } = this
    this.outage = undefined
    if (outage !== undefined) this.notify(outage)
  }

  /** Late subscribers no longer receive an outage: the connection is open. */
  onOpen(): void {
    const { retained, isDownUntilValue } = this
    if (retained.event === undefined || isDownUntilValue) return
    if (isDisconnected(retained.event)) retained.event = undefined
  }

  forget(): void {
    if (!this.completed) this.retained.event = undefined
  }

  /** Completes the stream. If its last event is an error, late subscribers receive it before the completion. */
  complete(): void {
    const { subscribers, lastEvent } = this
    this.completed = true
    this.outage = undefined
    this.retained.event = lastEvent !== undefined && isLeft(lastEvent) ? lastEvent : undefined
    this.subscribers = []
    for (const subscriber of subscribers) safeComplete(subscriber)
  }

  private notify(event: Either<E, A>): void {
    for (const subscriber of this.subscribers) safeNext(subscriber, event)
  }

  private retain(event: Either<E, A>): void {
    this.lastEvent = event
    const before = this.retained.event
    const next = this.config.retention.retainedAfter(event, before)
    this.retained.event = next ?? (this.isDownUntilValue ? before : undefined)
  }

  private add(subscriber: Subscriber<Either<E, A>>): void {
    this.subscribers = [...this.subscribers, subscriber]
    subscriber.add(() => (this.subscribers = this.subscribers.filter((each) => each !== subscriber)))
  }
}
