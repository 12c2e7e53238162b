import { isRight, type Either } from 'fp-ts/lib/Either.js'
import type { Observable, Subscription } from 'rxjs'

/** The events of a stream so far. */
export interface CollectedEvents<E, A> {
  readonly events: Either<E, A>[]
  /** The values of the `Right` events. */
  readonly values: () => A[]
  /** `Right`, or the tag of the error, for each event. */
  readonly tags: () => string[]
  readonly isComplete: () => boolean
  readonly subscription: Subscription
}

/** Subscribes to a stream and collects its events. */
export const collectEvents = <E extends { readonly _tag: string }, A>(
  events$: Observable<Either<E, A>>,
): CollectedEvents<E, A> => {
  const events: Either<E, A>[] = []
  let complete = false
  const subscription = events$.subscribe({
    next: (event) => events.push(event),
    complete: () => {
      complete = true
    },
  })
  return {
    events,
    values: () => events.filter(isRight).map(({ right }) => right),
    tags: () => events.map((event) => (isRight(event) ? 'Right' : event.left._tag)),
    isComplete: () => complete,
    subscription,
  }
}
