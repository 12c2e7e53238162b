import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import { Observable, type Subscriber } from 'rxjs'
import { isDisconnected, RetainedEvent, type Retention } from '../../testing/retained-event.js'
import type { Tagged } from '../../base/errors/model.js'
import { safeComplete, safeNext } from '../../base/task/safe-notify.js'
import { withAtOnceLimit$ } from '../../base/time/at-once-limit.js'
import { ContextSubscriber } from './context-subscriber.js'
import { activeContext, enterContext } from './rx-context.js'
import type { Recorder } from '../recording/read/read-entries.js'

interface ReplayStreamsConfig<E extends Tagged<string>, A> {
  /** The events for late subscribers. */
  readonly retention: Retention<E, A>
  /** The monotonic time of the replay, in ms. */
  readonly elapsed: () => number
  /** Called for each subscriber of a stream that is not completed. Returns the teardown. */
  readonly onSubscribe: () => () => void
  /** The error of a stream that is not in the recording. */
  readonly notRecorded: (name: string) => E
}

/** The price streams or the depth streams of a replay, by topic or mint. Names are case-insensitive. */
export class ReplayStreams<E extends Tagged<string>, A> {
  private readonly streams = new Map<string, ReplayStream<E, A>>()
  private ended: { readonly error: E | undefined } | undefined

  constructor(private readonly config: ReplayStreamsConfig<E, A>) {}

  /** The header of a recorder has the name. */
  announce(name: string, recorder: Recorder): void {
    const stream = this.stream(name)
    if (stream.recorder?.isOver !== false) stream.recorder = recorder
  }

  stream(name: string): ReplayStream<E, A> {
    // Most names have no capitals, and a row needs its stream.
    return this.streams.get(name) ?? this.createStream(name.toLowerCase(), name)
  }

  /** Has no effect if another recorder has the stream by now. */
  complete(name: string, recorder: Recorder): void {
    const stream = this.stream(name)
    if ((stream.recorder ?? recorder) === recorder) stream.complete()
  }

  /** Completes all streams, also later ones, after the error. Only now it is known which are not in the recording. */
  completeAll(error: E | undefined): void {
    this.ended = { error }
    for (const stream of this.streams.values()) this.end(stream)
  }

  private end(stream: ReplayStream<E, A>): void {
    const isRecorded = stream.recorder !== undefined
    const error = this.ended?.error ?? (isRecorded ? undefined : this.config.notRecorded(stream.name))
    if (error !== undefined) stream.emit(left(error), stream.recorder)
    stream.complete()
  }

  /** The streams of a recorder, and those whose recorder has ended; by default, all that had an event. */
  of(recorder?: Recorder): readonly ReplayStream<E, A>[] {
    return [...this.streams.values()].filter((stream) =>
      recorder === undefined ? stream.hasEvents : stream.recorder === recorder || stream.recorder?.isOver,
    )
  }

  private createStream(name: string, spelling: string): ReplayStream<E, A> {
    const existing = this.streams.get(name)
    if (existing !== undefined) return existing
    const stream = new ReplayStream<E, A>(name, spelling, this.config)
    this.streams.set(name, stream)
    if (this.ended !== undefined) this.end(stream)
    return stream
  }
}

/** One stream of a replay. A late subscriber receives the retained event first. */
class ReplayStream<E extends Tagged<string>, A> {
  /** Replaced on each change, so that a subscriber may come or go while an event is emitted. */
  private subscribers: readonly Subscriber<Either<E, A>>[] = []
  readonly retained: RetainedEvent<E, A>
  private completed = false
  /** The recorder that has announced the stream, or has emitted its last event. */
  recorder: Recorder | undefined

  /** `name`: in lower case. `spelling`: of the first caller or row. */
  constructor(
    readonly name: string,
    readonly spelling: string,
    private readonly config: ReplayStreamsConfig<E, A>,
  ) {
    this.retained = new RetainedEvent(config.retention, config.elapsed)
  }

  readonly event$ = withAtOnceLimit$(
    new Observable<Either<E, A>>((subscriber) => {
      if (!this.completed) this.add(subscriber)
      this.retained.repeat(subscriber)
      if (this.completed) safeComplete(subscriber)
      else subscriber.add(this.config.onSubscribe())
    }),
    () => this.retained.event === undefined || isLeft(this.retained.event),
  )

  get hasEvents(): boolean {
    return this.retained.last !== undefined
  }

  /** Also reopens a completed stream: a recording may be appended to another. */
  emit(event: Either<E, A>, recorder: Recorder | undefined): void {
    this.recorder = recorder
    this.completed = false
    this.update(event)
  }

  /** Emits the error, unless the subscribers have received the outage. */
  interrupt(cause: E): void {
    const isKnown = this.isDown && this.retained.event !== undefined
    if (!this.completed && !isKnown) this.update(left(cause))
  }

  /** Late subscribers receive nothing until the next event. By default, they still receive an outage. */
  forget(isNewOutage = false): void {
    if (!this.completed && (isNewOutage || !this.isDown)) this.retained.event = undefined
  }

  /** Completes the stream. If its last event is an error, late subscribers receive it before the completion. */
  complete(): void {
    const { subscribers, retained } = this
    this.completed = true
    retained.event = retained.last !== undefined && isLeft(retained.last) ? retained.last : undefined
    this.subscribers = []
    for (const subscriber of subscribers) safeComplete(subscriber)
  }

  /** True in an outage that the subscribers have received. */
  private get isDown(): boolean {
    return this.retained.last !== undefined && isDisconnected(this.retained.last)
  }

  private update(event: Either<E, A>): void {
    this.retained.add(event)
    const before = activeContext()
    for (const subscriber of this.subscribers) {
      // From one strategy straight to the next one.
      if (subscriber instanceof ContextSubscriber) subscriber.nextInContext(event)
      else {
        enterContext(before)
        safeNext(subscriber, event)
      }
    }
    enterContext(before)
  }

  private add(subscriber: Subscriber<Either<E, A>>): void {
    this.subscribers = [...this.subscribers, subscriber]
    subscriber.add(() => (this.subscribers = this.subscribers.filter((each) => each !== subscriber)))
  }
}
