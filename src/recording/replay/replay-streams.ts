import { left, type Either } from 'fp-ts/lib/Either.js'
import { defer, type Observable } from 'rxjs'
import { ReplayStream } from './replay-stream.js'

export interface ReplayStreamsConfig<E, A> {
  /** True if late subscribers receive the event, until a later event replaces it. */
  readonly isRetained: (event: Either<E, A>) => boolean
  /** The error of a stream that is not in the recording. */
  readonly notRecorded: (name: string) => E
  /** Called for each subscriber of a stream that is not completed. Returns the teardown. */
  readonly onSubscribe: () => () => void
}

/** The price streams or the depth streams of a replay, by topic or mint. Names are case-insensitive. */
export class ReplayStreams<E, A> {
  private readonly streams = new Map<string, ReplayStream<E, A>>()
  /** The names in the headers so far; undefined before the first header. */
  private recorded: Set<string> | undefined
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

  /** Clears the retained event of each stream where it matches. */
  clearRetained(matches: (event: Either<E, A>) => boolean): void {
    for (const stream of this.streams.values()) stream.clearRetained(matches)
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
    const stream = new ReplayStream<E, A>(this.config.isRetained, this.config.onSubscribe)
    this.streams.set(key, stream)
    if (this.recorded?.has(key) === false) completeWith(stream, this.config.notRecorded(name))
    else if (this.ended !== undefined) completeWith(stream, this.ended.error)
    return stream
  }
}

const completeWith = <E, A>(stream: ReplayStream<E, A>, error: E | undefined): void => {
  if (error !== undefined) stream.emit(left(error))
  stream.complete()
}
