import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { Observable, type Subscriber } from 'rxjs'
import { complete } from '../../task/safe-notify.js'

/** One stream of a recording: all who listen hear the same, and who comes later begins with what holds then. */
export class ReplayStream<E, A> {
  private readonly audience = new Set<Subscriber<Either<E, A>>>()
  private last: Either<E, A> | undefined
  private current: Either<E, A> | undefined
  private over = false

  constructor(
    /** Whether what was told holds until something else is told. */
    private readonly holds: (event: Either<E, A>) => boolean,
    /** Somebody comes to listen; returns what is to be done when they leave. */
    private readonly joined: () => () => void,
  ) {}

  readonly event$ = new Observable<Either<E, A>>((subscriber) => {
    if (this.current !== undefined) subscriber.next(this.current)
    if (this.over) return subscriber.complete()
    this.audience.add(subscriber)
    subscriber.add(() => this.audience.delete(subscriber))
    subscriber.add(this.joined())
  })

  tell(event: Either<E, A>): void {
    this.over = false
    this.last = event
    if (this.holds(event)) this.current = event
    for (const subscriber of [...this.audience]) subscriber.next(event)
  }

  /** What was told holds no longer, if it is of these. */
  release(these: (event: Either<E, A>) => boolean): void {
    if (this.current !== undefined && these(this.current)) this.current = undefined
  }

  /** An error that came last is why it ended, and is told to who comes later. */
  end(): void {
    this.over = true
    this.current = this.last !== undefined && isLeft(this.last) ? this.last : undefined
    const audience = [...this.audience]
    this.audience.clear()
    for (const subscriber of audience) complete(subscriber)
  }
}
