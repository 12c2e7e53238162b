import { from, NEVER, Observable, Subscriber, type ObservableInput } from 'rxjs'
import { ConfigurationError } from '../base/errors/configuration-error.js'
import { EventStream } from '../base/time/stream.js'

// Two copies of RxJS may be loaded in one process: two installations, or the CommonJS and the ES module files of one.
// Each copy has its own classes, clocks and timers, and the library can make only those of its own copy virtual.

/** Interoperable observables of other libraries have no `lift`, which is also the condition of RxJS's own `isObservable`. */
export const isOfOtherRxjs = (value: unknown): boolean =>
  !(value instanceof Observable) && hasMethod(value, 'lift') && hasMethod(value, 'subscribe')

/** True for the subscriber with which an operator of another copy of RxJS subscribes to its source. */
export const isSubscriberOfOtherRxjs = (subscriber: unknown): boolean => !(subscriber instanceof Subscriber)

const hasMethod = (value: unknown, name: string): boolean =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function'

/** `name`: the option or the method that received the observable. */
export const otherRxjsError = (name: string): ConfigurationError =>
  new ConfigurationError(
    name,
    'uses another copy of RxJS than svc-streams, whose clocks and timers svc-streams cannot make virtual. Install one ' +
      'copy: `npm ls rxjs` lists the copies, and `npm dedupe` or `overrides` in package.json removes the second one. ' +
      'In a bundler, set an alias for rxjs, so that `import` and `require` load the same files',
  )

/**
 * The result of a strategy. Calls `onOther`, and emits nothing, if it is of another copy of RxJS, or if an operator is that its last
 * call of `pipe` has applied.
 */
export const withCheckedOperators$ = <A>(result$: ObservableInput<A>, onOther: () => void): Observable<A> => {
  if (isOfOtherRxjs(result$)) {
    onOther()
    return NEVER
  }
  const stream$ = from(result$)
  /* eslint-disable @typescript-eslint/no-deprecated -- nothing else names the operators of a stream */
  const { operator, source: source$ } = stream$
  /* eslint-enable @typescript-eslint/no-deprecated */
  if (operator === undefined || source$ === undefined) return stream$
  const checkedSource$ = new EventStream<unknown>((subscriber) => {
    if (isSubscriberOfOtherRxjs(subscriber)) onOther()
    else withCheckedOperators$<unknown>(source$, onOther).subscribe(subscriber)
  })
  return new Observable<A>((subscriber) => operator.call(subscriber, checkedSource$))
}

/** Throws a `ConfigurationError` for an observable of another copy of RxJS. Accepts any value. */
export const checkRxjs = (name: string, value: unknown): void => {
  if (isOfOtherRxjs(value)) throw otherRxjsError(name)
}
