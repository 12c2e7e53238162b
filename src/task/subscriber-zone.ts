import { Observable } from 'rxjs'

/** zone.js, as far as it is used here. Its global exists if the program has loaded it, as Angular does. */
interface Global {
  readonly Zone?: { readonly current: { run(work: () => void): void } }
}

/**
 * The source, whose handlers run in the zone of zone.js that has subscribed: a socket is shared by subscribers of several
 * zones. Without zone.js, subscribers are those of the source.
 */
export const inSubscriberZone$ = <A>(source$: Observable<A>): Observable<A> =>
  new Observable((subscriber) => {
    const { Zone } = globalThis as Global
    if (Zone === undefined) {
      source$.subscribe(subscriber)
      return
    }
    const zone = Zone.current
    const observer = {
      next: (value: A) => zone.run(() => subscriber.next(value)),
      error: (thrown: unknown) => zone.run(() => subscriber.error(thrown)),
      complete: () => zone.run(() => subscriber.complete()),
    }
    subscriber.add(source$.subscribe(observer))
  })
