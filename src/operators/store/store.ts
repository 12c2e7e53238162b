import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { Observable, Subscription } from 'rxjs'
import type { Depth } from '../../base/domain/depth.js'
import { liveSourceOf } from '../../base/domain/past.js'
import type { Price } from '../../base/domain/price.js'
import type { DepthError, NotFresh, PriceError } from '../../base/errors/model.js'
import type { TopicState } from '../../base/domain/snapshot.js'
import { topicStateOf } from '../../base/errors/topic-state.js'
import { observable } from '../../base/option-kinds/observable.js'
import { checkValue, shown } from '../../base/option-kinds/parse-options.js'
import { reportError, safeUnsubscribe } from '../../base/task/safe-notify.js'
import { macrotasks } from '../../base/time/clock.js'

/** The latest state of a stream. The methods need no `this`. The store is subscribed to the stream while it has a listener. */
export interface Store<S> {
  /** The current snapshot: the same object until something changes. */
  readonly getSnapshot: () => S
  /** The snapshot before the first event, for the server's rendering and the hydration. */
  readonly getServerSnapshot: () => S
  /**
   * Calls the listener with the snapshot at once, and after changes: at most once per animation frame, or per turn of
   * the event loop without animation frames. Returns the function that removes the listener.
   */
  readonly subscribe: (listener: (snapshot: S) => void) => () => void
}

export interface CurrentPrice {
  readonly state: 'live'
  readonly price: Price
  readonly last: Price
  readonly error: undefined
}

export interface NoCurrentPrice<E = PriceError> {
  /**
   * `waiting`: no event yet, or no listener. `stale`: the service is silent or behind. `down`: the connection is down, or
   * the stream has ended. `rejected`: the service does not know the token.
   */
  readonly state: Exclude<TopicState, 'live'>
  readonly price: undefined
  /** The last price, which is not current; `undefined` before the first price. */
  readonly last: Price | undefined
  /** The error that explains why there is no current price; after the end of the stream, the error of its last event. */
  readonly error: E | undefined
}

/** `price` is defined only while the price is current. */
export type PriceStoreSnapshot<E = PriceError> = CurrentPrice | NoCurrentPrice<E>

export interface CurrentDepth {
  readonly state: 'live'
  readonly depth: Depth
  readonly last: Depth
  readonly error: undefined
}

export interface NoCurrentDepth {
  /**
   * `waiting`: no result yet, or no listener. `down`: the last request failed, or the stream has ended. `stale`: the
   * last response was unreadable. `rejected`: the service does not know the mint, or the request was invalid.
   */
  readonly state: Exclude<TopicState, 'live'>
  readonly depth: undefined
  /** The last depth, which is not current; `undefined` before the first depth. */
  readonly last: Depth | undefined
  /** The error that explains why there is no current depth; after the end of the stream, the error of its last event. */
  readonly error: DepthError | undefined
}

/** `depth` is defined only while it is the result of the last request. */
export type DepthStoreSnapshot = CurrentDepth | NoCurrentDepth

/**
 * A store of the current price of a `price$`, also after `freshWithin`. Throws a `ConfigurationError` for a value that is
 * no observable.
 *
 * @example
 * const store = priceStore(client.price$(topic))
 * // React: const { state, price } = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getServerSnapshot)
 * // Svelte: $store.price
 */
export const priceStore = <E extends PriceError | NotFresh = PriceError>(
  source$: Observable<Either<E, Price>>,
): Store<PriceStoreSnapshot<E>> => createStore<E, Price, PriceStoreSnapshot<E>>('price', source$)

/**
 * A store of the current depth of a `depth$`. Throws a `ConfigurationError` for a value that is no observable.
 *
 * @example
 * const store = depthStore(client.depth$(mint, 1_000))
 */
export const depthStore = (source$: Observable<Either<DepthError, Depth>>): Store<DepthStoreSnapshot> =>
  createStore<DepthError, Depth, DepthStoreSnapshot>('depth', source$)

interface StoreSnapshot<E, A> {
  readonly state: TopicState
  readonly last: A | undefined
  readonly error: E | undefined
}

/** `field`: the name of the current value in a snapshot. */
const createStore = <E extends { readonly _tag: string }, A, S extends StoreSnapshot<E, A>>(
  field: 'price' | 'depth',
  source$: Observable<Either<E, A>>,
): Store<S> => {
  checkValue('source$', source$, observable, shown)
  const { isCurrent } = liveSourceOf(source$)
  const snapshotOf = (state: TopicState, last: A | undefined, error?: E): S =>
    ({ state, [field]: state === 'live' ? last : undefined, last, error }) as unknown as S
  const initial = snapshotOf('waiting', undefined)
  const listeners = new Set<(snapshot: S) => void>()
  let snapshot = initial
  /** Replaces the live `snapshot` while its value may be too old. */
  let late: S | undefined
  let subscription: Subscription | undefined
  let cancelFrame: (() => void) | undefined

  /** After a blocked event loop, timers run before the source can emit that its value is too old. */
  const current = (): S => {
    if (snapshot.state !== 'live' || isCurrent?.() !== false) return snapshot
    return (late ??= snapshotOf('stale', snapshot.last))
  }

  const notify = (): void => {
    cancelFrame = undefined
    for (const listener of [...listeners]) if (listeners.has(listener)) callSafely(listener, current())
  }

  const set = (next: S): void => {
    snapshot = next
    late = undefined
    if (listeners.size > 0) cancelFrame ??= startFrame(notify)
  }

  const setOther = (state: TopicState, error?: E): void => {
    // React renders again for each new object.
    if (state !== snapshot.state || error !== snapshot.error) set(snapshotOf(state, snapshot.last, error))
  }

  const onEvent = (event: Either<E, A>): void => {
    if (isLeft(event)) setOther(topicStateOf(event.left, snapshot.last !== undefined), event.left)
    else set(snapshotOf('live', event.right))
  }

  /** After the end of a stream there is no current value. The error of the last event remains as the reason. */
  const onEnd = (): void => {
    if (snapshot.state !== 'rejected') setOther('down', snapshot.error)
  }

  const start = (): void => {
    subscription = source$.subscribe({
      next: onEvent,
      error: (thrown: unknown) => {
        onEnd()
        reportError(thrown)
      },
      complete: onEnd,
    })
  }

  const stop = (): void => {
    safeUnsubscribe(subscription)
    subscription = undefined
    cancelFrame?.()
    cancelFrame = undefined
    setOther('waiting')
  }

  return {
    getSnapshot: () => {
      const given = current()
      // The value may be proven later without an event of the source.
      if (given === late && listeners.size > 0) cancelFrame ??= startFrame(notify)
      return given
    },
    getServerSnapshot: () => initial,
    subscribe: (listener) => {
      // One entry per call: a listener may be added twice.
      const entry = (current: S): void => listener(current)
      if (listeners.size === 0) start()
      listeners.add(entry)
      callSafely(entry, current())
      return () => {
        if (listeners.delete(entry) && listeners.size === 0) stop()
      }
    },
  }
}

const callSafely = <S>(listener: (snapshot: S) => void, snapshot: S): void => {
  try {
    listener(snapshot)
  } catch (thrown) {
    reportError(thrown)
  }
}

/** The functions of a browser that Node lacks. */
interface Frames {
  readonly requestAnimationFrame?: (callback: () => void) => number
  readonly cancelAnimationFrame?: (handle: number) => void
}

/** Calls back at the next animation frame; without frames, in a later turn of the event loop. Returns the cancel function. */
const startFrame = (callback: () => void): (() => void) => {
  const { requestAnimationFrame, cancelAnimationFrame } = globalThis as Frames
  if (requestAnimationFrame === undefined || cancelAnimationFrame === undefined) return macrotasks()(callback)
  const handle = requestAnimationFrame(callback)
  return () => cancelAnimationFrame(handle)
}
