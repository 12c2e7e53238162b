import { isLeft, isRight, type Either } from 'fp-ts/lib/Either.js'
import { EMPTY, merge, Observable, of, share, Subject, takeWhile, tap } from 'rxjs'
import { RetainedEvent, type Retention } from './retained-event.js'
import { withAtOnceLimit$ } from '../base/time/at-once-limit.js'
import { delay$ } from '../base/time/timers.js'
import { rxClock } from '../base/time/clock.js'

export interface SharedStreamsConfig<E, A> {
  /** The given observable of a name. */
  readonly sourceOf$: (name: string) => Observable<Either<E, A>>
  readonly retention: Retention<E, A>
  /** Time for which a given observable stays subscribed after its last subscriber has left, in ms. */
  readonly linger: number
  /** Changes the events for late subscribers. Subscribed to together with a given observable. Default: never. */
  readonly updates$?: Observable<(retained: Either<E, A> | undefined) => Either<E, A> | undefined>
}

/** A stream completes after these errors. */
const finalTags: ReadonlySet<string> = new Set([
  'InvalidTopic',
  'InvalidMint',
  'InvalidInterval',
  'SubscriptionRejected',
  'ClientClosed',
])

/** The price streams or the depth streams of a test client, by topic or mint. Names are case-insensitive. */
export class SharedStreams<E extends { readonly _tag: string }, A> {
  private readonly streams = new Map<string, SharedStream<E, A>>()

  constructor(private readonly config: SharedStreamsConfig<E, A>) {}

  event$(name: string): Observable<Either<E, A>> {
    const key = name.toLowerCase()
    const existing = this.streams.get(key)
    if (existing !== undefined) return existing.event$
    const stream = new SharedStream(this.config.sourceOf$(name), this.config)
    this.streams.set(key, stream)
    return stream.event$
  }

  /** Unsubscribes from the given observables. Called after their subscribers have left. */
  close(): void {
    for (const stream of this.streams.values()) stream.close()
  }
}

/** A stream whose subscribers share one subscription to the given observable. */
class SharedStream<E extends { readonly _tag: string }, A> {
  private readonly ended$ = new Subject<void>()
  /** True while the given observable emits synchronously during `subscribe`. */
  private isConnecting = false
  private isClosed = false

  /** What late subscribers of the current subscription receive. */
  private retained: RetainedEvent<E, A> | undefined

  readonly event$: Observable<Either<E, A>>

  constructor(
    source$: Observable<Either<E, A>>,
    private readonly config: SharedStreamsConfig<E, A>,
  ) {
    const { retention, updates$ = EMPTY } = config
    const connected$ = new Observable<Either<E, A>>((subscriber) => {
      const retained = new RetainedEvent(retention)
      this.retained = retained
      subscriber.add(updates$.subscribe((retainedAfter) => (retained.event = retainedAfter(retained.event))))
      this.isConnecting = true
      const retaining$ = source$.pipe(
        tap((event) => (retained.event = retention.retainedAfter(event, retained.event))),
      )
      retaining$.subscribe(subscriber)
      this.isConnecting = false
    })
    const shared$ = connected$.pipe(
      takeWhile((event) => !isFinal(event), true),
      share({ resetOnRefCountZero: () => this.end$() }),
    )
    const joined$ = new Observable<Either<E, A>>((subscriber) => {
      const { retained } = this
      shared$.subscribe(subscriber)
      if (this.retained === retained) retained?.repeat(subscriber)
    })
    this.event$ = withAtOnceLimit$(joined$, () => !this.hasValue)
  }

  /** True if late subscribers receive a value. */
  private get hasValue(): boolean {
    const event = this.retained?.event
    return event !== undefined && isRight(event)
  }

  close(): void {
    this.isClosed = true
    this.ended$.next()
  }

  /**
   * Emits when a subscription without subscribers ends: after `linger`. Without it, at once in real time, and in virtual time at the
   * end of the frame. A subscriber of the same frame, such as the next inner stream of a `switchMap`, continues the subscription.
   */
  private end$(): Observable<void> {
    const { linger } = this.config
    // Events that a given observable emits synchronously are emitted again for the next subscription.
    if (this.isConnecting || this.isClosed) return of(undefined)
    return linger > 0 || rxClock.isVirtual ? merge(delay$(rxClock, linger), this.ended$) : of(undefined)
  }
}

const isFinal = (event: Either<{ readonly _tag: string }, unknown>): boolean =>
  isLeft(event) && finalTags.has(event.left._tag)
