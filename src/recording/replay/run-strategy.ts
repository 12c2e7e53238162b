import { from, Observable } from 'rxjs'
import type { Client } from '../../client/client.js'
import { isOfOtherRxjs, isSubscriberOfOtherRxjs, otherRxjsError } from '../../option-kinds/other-rxjs.js'

/**
 * The stream that a strategy returns for a client. Fails with a `ConfigurationError` if the strategy uses another copy of
 * RxJS: if it returns an observable of that copy, or applies an operator of that copy to a stream of the client or to the
 * stream that it returns. The error is not emitted inside the strategy, which may catch it or subscribe again.
 */
export const runStrategy$ = <A>(
  strategy$: (client: Client) => Observable<A>,
  client: Client,
): Observable<A> =>
  new Observable<A>((subscriber) => {
    const fail = (): void => subscriber.error(otherRxjsError('run$'))
    const result$ = strategy$({
      ...client,
      status$: checked$(client.status$, fail),
      errors$: checked$(client.errors$, fail),
      price$: (topic) => checked$(client.price$(topic), fail),
      depth$: (mint, interval) => checked$(client.depth$(mint, interval), fail),
    })
    if (isOfOtherRxjs(result$)) return fail()
    return withCheckedOperators$(from(result$), fail).subscribe(subscriber)
  })

/** The source. Calls `onOtherRxjs` instead of subscribing for a subscriber of another copy of RxJS. */
const checked$ = <A>(source$: Observable<A>, onOtherRxjs: () => void): Observable<A> =>
  new Observable<A>((subscriber) =>
    isSubscriberOfOtherRxjs(subscriber) ? onOtherRxjs() : source$.subscribe(subscriber),
  )

/** The stream with a check of each operator that its last call of `pipe` has applied. */
const withCheckedOperators$ = <A>(stream$: Observable<A>, onOtherRxjs: () => void): Observable<A> => {
  /* eslint-disable @typescript-eslint/no-deprecated -- nothing else names the operators of a stream */
  const { operator, source: source$ } = stream$
  /* eslint-enable @typescript-eslint/no-deprecated */
  if (operator === undefined || source$ === undefined) return stream$
  const checkedSource$ = checked$(withCheckedOperators$<unknown>(source$, onOtherRxjs), onOtherRxjs)
  return new Observable<A>((subscriber) => operator.call(subscriber, checkedSource$))
}
