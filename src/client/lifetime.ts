import { left, type Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { defer, Observable } from 'rxjs'
import { clientClosed } from '../base/errors/constructors.js'
import type { ClientClosed } from '../base/errors/model.js'
import {
  completedTask,
  fromTask$,
  noCancel,
  type Cancel,
  type CancellableTask,
} from '../base/task/cancellable-task.js'
import { Multicast } from '../base/task/multicast.js'

/** Ends the streams and tasks of a client when it is closed. */
export class Lifetime {
  private readonly closed$ = new Multicast<void>()
  /** One function per running task, which cancels it. */
  private readonly running = new FreeList<() => void>()
  private isClosed = false

  /** The source until the client is closed. Afterwards `ClientClosed`, then completion. */
  whileOpen$<E, A>(source$: Observable<Either<E, A>>): Observable<Either<E | ClientClosed, A>> {
    return defer(() => (this.isClosed ? fromTask$(completedTask(left(clientClosed))) : this.until$(source$)))
  }

  /** The source until the client is closed. Afterwards empty. */
  until$<A>(source$: Observable<A>): Observable<A> {
    return new Observable((subscriber) => {
      if (this.isClosed) return subscriber.complete()
      // Not `takeUntil`, whose subscriber is one more call for each event.
      subscriber.add(this.closed$.subscribe(() => subscriber.complete()))
      source$.subscribe(subscriber)
    })
  }

  /** The task as a `TaskEither`. Closing the client cancels it: the result is `ClientClosed`. */
  once<E, A>(task: CancellableTask<Either<E, A>>): TaskEither<E | ClientClosed, A> {
    return () =>
      new Promise((resolve) => {
        if (this.isClosed) return resolve(left(clientClosed))
        let cancel = noCancel
        const settle = (result: Either<E | ClientClosed, A>): void => {
          this.running.remove(slot)
          resolve(result)
        }
        const end = (): void => {
          cancel()
          settle(left(clientClosed))
        }
        const slot = this.running.add(end)
        cancel = this.cancelIfClosed(task(settle))
      })
  }

  /** Starting a task may run the caller's code, which may close the client. */
  private cancelIfClosed(cancel: Cancel): Cancel {
    if (this.isClosed) cancel()
    return cancel
  }

  close(): void {
    this.isClosed = true
    this.closed$.next()
    this.closed$.complete()
    for (const end of this.running.items()) end()
  }
}

/**
 * A free list: stores items in reusable slots. Replaces a `Set`: with many short-lived items, V8 keeps old hash tables
 * and their items in memory, which took a third of the time of a request.
 */
export class FreeList<A> {
  private readonly slots: (A | undefined)[] = []
  private readonly free: number[] = []

  /** Returns the number of the item's slot. */
  add(item: A): number {
    const slot = this.free.pop() ?? this.slots.length
    this.slots[slot] = item
    return slot
  }

  /** Must be called once per `add`: a slot that is removed twice would be used twice. */
  remove(slot: number): void {
    this.slots[slot] = undefined
    this.free.push(slot)
  }

  items(): readonly A[] {
    return this.slots.filter((item) => item !== undefined)
  }
}
