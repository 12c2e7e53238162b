import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { EMPTY, filter, Observable, of, share, takeWhile, tap } from 'rxjs'
import { isDisconnected, RetainedEvent, type Retention } from './retained-event.js'
import { withAtOnceLimit$ } from '../base/time/at-once-limit.js'
import { delay$ } from '../base/time/timers.js'
import { rxClock } from '../base/time/clock.js'

export interface SharedStreamsConfig<E, A> {
  readonly sourceOf$: (name: string) => Observable<Either<E, A>>
  readonly retention: Retention<E, A>
  /** Changes the events for late subscribers. Subscribed to together with a given observable. Default: never. */
  readonly updates$?: Observable<(retained: Either<E, A> | undefined) => Either<E, A> | undefined>
}

interface Tagged {
  readonly _tag: string
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
export const sharedStreams = <E extends Tagged, A>(
  config: SharedStreamsConfig<E, A>,
): ((name: string) => SharedStream<E, A>) => {
  const streams = new Map<string, SharedStream<E, A>>()
  return (name) => {
    const key = name.toLowerCase()
    const stream = streams.get(key) ?? sharedStream(config.sourceOf$(name), config)
    streams.set(key, stream)
    return stream
  }
}

/** A stream whose subscribers share one subscription to the given observable. */
interface SharedStream<E extends Tagged, A> {
  readonly event$: Observable<Either<E, A>>
  /** The events of the current subscription. */
  readonly retained: () => RetainedEvent<E, A>
}

const sharedStream = <E extends Tagged, A>(
  source$: Observable<Either<E, A>>,
  { retention, updates$ = EMPTY }: SharedStreamsConfig<E, A>,
): SharedStream<E, A> => {
  let current = new RetainedEvent<E, A>(retention)
  /** True if the status has reported an outage that the given observable has not emitted. */
  let isOfStatus = false
  /** True while the given observable emits synchronously during `subscribe`. */
  let isConnecting = false
  /**
   * Emits when a subscription without subscribers ends: at once in real time, and in virtual time at the end of the frame. A
   * subscriber of the same frame, such as the next inner stream of a `switchMap`, continues the subscription. Events that a given
   * observable emits synchronously are emitted again for the next subscription.
   */
  const end$ = (): Observable<unknown> =>
    rxClock.isVirtual && !isConnecting ? delay$(rxClock, 0) : of(undefined)
  const connected$ = new Observable<Either<E, A>>((subscriber) => {
    const retained = new RetainedEvent(retention)
    current = retained
    const update = (retainedAfter: (before: Either<E, A> | undefined) => Either<E, A> | undefined): void => {
      const before = retained.event
      retained.event = retainedAfter(before)
      isOfStatus = retained.event !== before
    }
    subscriber.add(updates$.subscribe(update))
    const retaining$ = source$.pipe(
      tap((event) => {
        isOfStatus = false
        retained.add(event)
      }),
      takeWhile((event) => !isFinal(event), true),
    )
    isConnecting = true
    retaining$.subscribe(subscriber)
    isConnecting = false
  }).pipe(share({ resetOnRefCountZero: end$ }))
  const joined$ = new Observable<Either<E, A>>((subscriber) => {
    const before = current
    /** True if the subscriber has received an outage that the given observable emits next. */
    let isKnown = false
    const isNew = (event: Either<E, A>): boolean => {
      const isRepeated = isKnown && isDisconnected(event)
      isKnown = false
      return !isRepeated
    }
    connected$.pipe(filter(isNew)).subscribe(subscriber)
    if (before.event === undefined || before !== current) return
    before.repeat(subscriber)
    isKnown = isOfStatus
  })
  const event$ = withAtOnceLimit$(joined$, () => current.event === undefined || isLeft(current.event))
  return { event$, retained: () => current }
}

const isFinal = (event: Either<Tagged, unknown>): boolean => isLeft(event) && finalTags.has(event.left._tag)
