import { left, type Either, type Left } from 'fp-ts/lib/Either.js'
import { defer, type Observable } from 'rxjs'
import { ReplayStream, type ReplayStreamConfig } from './replay-stream.js'

export interface ReplayStreamsConfig<E, A> extends ReplayStreamConfig<E, A> {
  /** The error of a stream that is not in the recording. */
  readonly notRecorded: (name: string) => E
}

/** The price streams or the depth streams of a replay, by topic or mint. Names are case-insensitive. */
export class ReplayStreams<E, A> {
  private readonly streams = new Map<string, ReplayStream<E, A>>()
  /** The names in the headers so far; undefined before the first header. */
  private recorded: Set<string> | undefined
  /** The last interruption, for streams that nobody has used yet. */
  private interruption: { readonly error: Left<E>; readonly untilValue: boolean } | undefined
  /** True if the interruption may not be reported to each subscriber. */
  isUnreported = false
  /** Set when the replay has ended. */
  private ended: { readonly error: E | undefined } | undefined

  constructor(private readonly config: ReplayStreamsConfig<E, A>) {}

  event$(name: string): Observable<Either<E, A>> {
    return defer(() => this.stream(name).event$)
  }

  /** Adds the names of a header, and rejects the streams that are in no header so far. */
  addRecorded(names: readonly string[]): void {
    this.recorded = new Set([...(this.recorded ?? []), ...names.map((name) => name.toLowerCase())])
    for (const [name, stream] of this.streams) {
      if (!this.recorded.has(name)) completeWith(stream, this.config.notRecorded(name))
    }
  }

  emit(name: string, event: Either<E, A>): void {
    this.stream(name).emit(event)
  }

  /** No stream has a current value. Subscribers receive the error when `reportOutage` is called, late ones at once. */
  interrupt(error: E, untilValue: boolean): void {
    this.interruption = { error: left(error) as Left<E>, untilValue }
    this.isUnreported = true
    for (const stream of this.streams.values()) stream.interrupt(this.interruption.error, untilValue)
  }

  /** Emits the error of the last interruption on each stream that has emitted no outage since. */
  reportOutage(): void {
    if (!this.isUnreported) return
    this.isUnreported = false
    for (const stream of this.streams.values()) stream.reportOutage()
  }

  /** The connection is open: late subscribers receive no outage that lasts until then. */
  onOpen(): void {
    if (this.interruption?.untilValue === false) this.interruption = undefined
    for (const stream of this.streams.values()) stream.onOpen()
  }

  complete(name: string): void {
    this.stream(name).complete()
  }

  /** Completes all streams, later ones included, after the error if there is one. */
  completeAll(error: E | undefined): void {
    this.ended = { error }
    for (const stream of this.streams.values()) completeWith(stream, error)
  }

  private stream(name: string): ReplayStream<E, A> {
    // Most names have no capitals, and a row needs its stream.
    return this.streams.get(name) ?? this.streamOf(name.toLowerCase(), name)
  }

  private streamOf(key: string, name: string): ReplayStream<E, A> {
    const existing = this.streams.get(key)
    if (existing !== undefined) return existing
    const stream = new ReplayStream<E, A>(this.config)
    this.streams.set(key, stream)
    const { interruption } = this
    if (this.recorded?.has(key) === false) completeWith(stream, this.config.notRecorded(name))
    else if (this.ended !== undefined) completeWith(stream, this.ended.error)
    else if (interruption !== undefined) stream.interrupt(interruption.error, interruption.untilValue)
    return stream
  }
}

const completeWith = <E, A>(stream: ReplayStream<E, A>, error: E | undefined): void => {
  if (error !== undefined) stream.emit(left(error))
  stream.complete()
}
