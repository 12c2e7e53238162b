import { isLeft, isRight, type Either } from 'fp-ts/lib/Either.js'
import { EMPTY, filter, merge, Observable, of, share, Subject, takeWhile, type Observer } from 'rxjs'
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

  readonly event$: Observable<Either<E, A>>

  constructor(
    source$: Observable<Either<E, A>>,
    private readonly config: SharedStreamsConfig<E, A>,
  ) {
    const { retention, updates$ = EMPTY } = config
    let subject$ = new RetainingSubject(retention)
    const connected$ = new Observable<Either<E, A>>((subscriber) => {
      const update = updates$.subscribe((retainedAfter) => subject$.updateRetained(retainedAfter))
      subscriber.add(update)
      this.isConnecting = true
      source$.subscribe(subscriber)
      this.isConnecting = false
    })
    const shared$ = connected$.pipe(
      takeWhile((event) => !isFinal(event), true),
      share({
        connector: () => (subject$ = new RetainingSubject(retention)),
        resetOnRefCountZero: () => this.end$(),
      }),
    )
    this.event$ = withAtOnceLimit$(shared$, () => !subject$.hasValue)
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

const isOutage = (event: Either<{ readonly _tag: string }, unknown>): boolean =>
  isLeft(event) && event.left._tag === 'Disconnected'

/** Like an RxJS `Subject`. A late subscriber receives the retained event first, as from a live client. */
class RetainingSubject<E extends { readonly _tag: string }, A>
  extends Observable<Either<E, A>>
  implements Observer<Either<E, A>>
{
  private readonly events$ = new Subject<Either<E, A>>()
  private readonly retained: RetainedEvent<E, A>
  /** True if the status has reported an outage that the given observable has not emitted. */
  private isReportedByStatus = false

  constructor(private readonly retention: Retention<E, A>) {
    super((subscriber) => {
      let hasReceivedOutage = false
      const isNew = (event: Either<E, A>): boolean => {
        const isKnown = hasReceivedOutage && isOutage(event)
        hasReceivedOutage = false
        return !isKnown
      }
      const { isReportedByStatus } = this
      this.events$.pipe(filter(isNew)).subscribe(subscriber)
      hasReceivedOutage = this.retained.repeat(subscriber) && isReportedByStatus
    })
    this.retained = new RetainedEvent(retention)
  }

  /** True if late subscribers receive a value. */
  get hasValue(): boolean {
    const { event } = this.retained
    return event !== undefined && isRight(event)
  }

  next(event: Either<E, A>): void {
    this.isReportedByStatus = false
    this.retained.event = this.retention.retainedAfter(event, this.retained.event)
    this.events$.next(event)
  }

  /** Changes what late subscribers receive. */
  updateRetained(update: (before: Either<E, A> | undefined) => Either<E, A> | undefined): void {
    const before = this.retained.event
    this.retained.event = update(before)
    this.isReportedByStatus = this.retained.event !== before
  }

  error(thrown: unknown): void {
    this.retained.event = undefined
    this.events$.error(thrown)
  }

  complete(): void {
    this.retained.event = undefined
    this.events$.complete()
  }
}
