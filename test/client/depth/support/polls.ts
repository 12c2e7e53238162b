import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { of, take, type Observable } from 'rxjs'
import type { Address, Depth, DepthError } from 'svc-streams'
import { depth, networkError } from 'svc-streams/testing'
import { Secrets } from '../../../../src/wire/auth/secrets.js'
import { DepthPolls } from '../../../../src/client/depth/polls.js'
import { noCancel } from '../../../../src/base/task/cancellable-task.js'
import { node } from '../../../../src/wire/platform/node.js'
import { rxClock } from '../../../../src/base/time/clock.js'
import { cancellableTaskOf } from '../../../support/cancellable-task.js'
import { runInVirtualTime, type VirtualTimeOptions } from '../../../support/time/virtual-time.js'

export const mint: Address = '0xaa'
export const refused = networkError(new Error('refused'))

/** Two depths and a failure, by their characters in a marble diagram. */
export const results: Readonly<Record<string, Either<DepthError, Depth>>> = {
  d: right(depth(mint)),
  e: right(depth(mint, { price: 2 })),
  f: left(refused),
}

/** All in ms. */
const defaultTimes = { initialDelay: 250, maxDelay: 30_000, linger: 1000 }

/** Polls whose requests subscribe to a stream and take its first value as the result. */
export const pollsOf = (
  request$: (mint: Address) => Observable<Either<DepthError, Depth>>,
  times: Partial<typeof defaultTimes> = {},
  arePricesSettled = () => true,
): DepthPolls =>
  new DepthPolls({
    relayer: { host: 'relayer', depth: (requested) => cancellableTaskOf(request$(requested)) },
    secrets: new Secrets(),
    whenSendable: (onTurn) => {
      onTurn()
      return noCancel
    },
    reconnect: { ...defaultTimes, ...times },
    linger: times.linger ?? defaultTimes.linger,
    publish: node.publish,
    addSource: node.addSource,
    clock: rxClock,
    arePricesSettled,
  })

/**
 * The start times of the first `count` requests. Each request has its result at once, in this order; the last result
 * repeats.
 */
export const startsOf = (
  interval: number,
  events: readonly Either<DepthError, Depth>[],
  count: number,
  options: VirtualTimeOptions = {},
): readonly number[] => {
  const starts: number[] = []
  runInVirtualTime(({ now }) => {
    const request$ = (): Observable<Either<DepthError, Depth>> => {
      starts.push(now())
      return of(events[starts.length - 1] ?? events.at(-1)!)
    }
    pollsOf(request$).depth$(mint, interval).pipe(take(count)).subscribe()
  }, options)
  return starts
}
