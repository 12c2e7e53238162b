import { defer, Observable } from 'rxjs'
import { isSubscriberOfOtherRxjs, otherRxjsError, withCheckedOperators$ } from '../../testing/other-rxjs.js'
import { reportError } from '../../base/task/safe-notify.js'
import { EventStream, type Stream } from '../../base/time/stream.js'
import { ContextSubscriber } from './context-subscriber.js'
import { activeContext } from './rx-context.js'
import type { Playback } from './playback.js'
import { withStreams, type StrategyClient } from './strategy-client.js'
import type { VirtualTime } from './virtual-time.js'

/** The client of a strategy. `end`: ends only the run of this strategy. */
export type CreateStrategyClient = (end: () => void) => StrategyClient

/**
 * Runs a strategy over a replay, from its header on: with the contract of `run$` of a `ReplayClient`. The subscriber of the result
 * is called in the time in which it subscribed. The error of another copy of RxJS is not emitted inside the strategy, which may
 * catch it or subscribe again.
 */
export const runStrategy$ = <A>(
  playback: Playback,
  createClient: CreateStrategyClient,
  strategy$: (client: StrategyClient) => Observable<A>,
): Observable<A> =>
  new Observable<A>((subscriber) => {
    const context = activeContext()
    const result = new ContextSubscriber(subscriber, context)
    const run = playback.startRun(() => result.complete())
    subscriber.add(() => run.leave(() => result.unsubscribe()))

    const onOtherRxjs = (): void => result.error(otherRxjsError('run$'))
    const start = (clock: VirtualTime | undefined): void => {
      const own = createClient(() => run.end())
      const client = withStreams(
        () => own,
        (source$) => checked$(source$(), onOtherRxjs, clock),
      )
      defer(() => withCheckedOperators$(strategy$(client), onOtherRxjs)).subscribe(result)
    }
    playback
      .header()
      .then(() => {
        if (!subscriber.closed) run.begin(start)
      })
      .catch(reportError)
  })

/** The source, whose subscribers are called on the clock. Calls `onOtherRxjs` instead for one of another copy of RxJS. */
const checked$ = <A>(source$: Observable<A>, onOtherRxjs: () => void, clock?: VirtualTime): Stream<A> =>
  new EventStream((subscriber) => {
    if (isSubscriberOfOtherRxjs(subscriber)) onOtherRxjs()
    else if (clock === undefined) source$.subscribe(subscriber)
    else source$.subscribe(new ContextSubscriber(subscriber, clock, subscriber))
  })
