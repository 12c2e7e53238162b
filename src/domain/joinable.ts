import type { Observable } from 'rxjs'

// What `withPast` needs to join two streams without a missing price. These are not properties of the streams, because
// the stream of an operator must not have those of its source.

type OpenLive<T> = (onConfirmed?: () => void) => Observable<T>

const liveStreams = new WeakMap<Observable<unknown>, OpenLive<unknown>>()

/**
 * A live stream of a topic. `open$` returns the stream. It calls `onConfirmed` when the service confirms the topic, at
 * once if it is already confirmed: from then on, the stream has each price of the service.
 */
export const liveStream$ = <T>(open$: OpenLive<T>): Observable<T> => {
  const stream$ = open$()
  liveStreams.set(stream$, open$)
  return stream$
}

/** Opens a stream. For a stream of which the confirmation is unknown, `onConfirmed` is called at once. */
export const openLive$ = <T>(stream$: Observable<T>, onConfirmed: () => void): Observable<T> => {
  const open$ = liveStreams.get(stream$) as OpenLive<T> | undefined
  if (open$ !== undefined) return open$(onConfirmed)
  onConfirmed()
  return stream$
}

type ReadPast<T> = (from?: number) => Observable<T>

const endlessPasts = new WeakMap<Observable<unknown>, ReadPast<unknown>>()

/**
 * A past that ends when it is subscribed to. `read$` returns the past from a time on, in ms since the Unix epoch.
 * Without `from`, it returns the whole past.
 */
export const endlessPast$ = <T>(read$: ReadPast<T>): Observable<T> => {
  const past$ = read$()
  endlessPasts.set(past$, read$)
  return past$
}

/** The function that reads a past from a time on; `undefined` for a past whose end is given, and for other streams. */
export const readerOf = <T>(past$: Observable<T>): ReadPast<T> | undefined =>
  endlessPasts.get(past$) as ReadPast<T> | undefined
