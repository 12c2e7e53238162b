import { left, type Either } from 'fp-ts/lib/Either.js'
import { defer, type Observable } from 'rxjs'
import { ReplayStream } from './replay-stream.js'

export interface ReplayStreamsConfig<E, A> {
  /** Whether what was told holds until something else is told. */
  readonly holds: (event: Either<E, A>) => boolean
  /** What is told of a stream that is not in the recording. */
  readonly missing: (name: string) => E
  /** Somebody comes to listen; returns what is to be done when they leave. */
  readonly joined: () => () => void
}

/** All streams of one kind, by the name of their topic or mint in any case. */
export class ReplayStreams<E, A> {
  private readonly channels = new Map<string, ReplayStream<E, A>>()
  /** What is recorded, once that is known. */
  private recorded: Set<string> | undefined
  private parting: { readonly error: E | undefined } | undefined

  constructor(private readonly config: ReplayStreamsConfig<E, A>) {}

  event$(name: string): Observable<Either<E, A>> {
    return defer(() => this.channel(name).event$)
  }

  /** More of what is recorded is known: who waits for anything else waits in vain. */
  record(names: readonly string[]): void {
    this.recorded = new Set([...(this.recorded ?? []), ...names.map((name) => name.toLowerCase())])
    for (const [name, channel] of this.channels) {
      if (!this.recorded.has(name)) part(channel, this.config.missing(name))
    }
  }

  tell(name: string, event: Either<E, A>): void {
    this.channel(name).tell(event)
  }

  /** What was told holds no longer, where it is of these. */
  release(these: (event: Either<E, A>) => boolean): void {
    for (const channel of this.channels.values()) channel.release(these)
  }

  end(name: string): void {
    this.channel(name).end()
  }

  /** Nothing follows, for one reason or none. */
  endAll(error: E | undefined): void {
    this.parting = { error }
    for (const channel of this.channels.values()) part(channel, error)
  }

  private channel(name: string): ReplayStream<E, A> {
    const key = name.toLowerCase()
    const channel = this.channels.get(key) ?? new ReplayStream<E, A>(this.config.holds, this.config.joined)
    if (!this.channels.has(key)) {
      this.channels.set(key, channel)
      if (this.recorded?.has(key) === false) part(channel, this.config.missing(name))
      else if (this.parting !== undefined) part(channel, this.parting.error)
    }
    return channel
  }
}

const part = <E, A>(channel: ReplayStream<E, A>, error: E | undefined): void => {
  if (error !== undefined) channel.tell(left(error))
  channel.end()
}
