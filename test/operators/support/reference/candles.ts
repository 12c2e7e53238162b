import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import {
  asyncScheduler,
  concat,
  defer,
  EMPTY,
  endWith,
  mergeMap,
  takeWhile,
  timer,
  type Observable,
} from 'rxjs'
import type { Price } from '../../../../src/base/domain/price.js'
import { activeReplayClock } from '../../../../src/base/time/clock.js'
import type { Candle } from '../../../../src/operators/index.js'

type Out<E> = Either<E, Candle>

/** `candles` as a chain of RxJS's operators, over a list of the window's prices. No value is later than its event. */
/** After the events of the millisecond of a time: in a replay 1 ms later, under a `TestScheduler` last in its frame. */
const afterEvents$ = (time: number): Observable<unknown> => {
  const remaining = Math.max(0, time - asyncScheduler.now())
  if (activeReplayClock() !== undefined) return timer(remaining + 1)
  return timer(remaining).pipe(mergeMap(() => timer(0)))
}

export const referenceCandles =
  <E>(ms: number) =>
  (source$: Observable<Either<E, Price>>): Observable<Out<E>> =>
    defer(() => {
      const windowAt = (time: number): number => Math.floor(time / ms) * ms
      let prices: number[] = []
      let from = windowAt(asyncScheduler.now())
      let interruptions = 0
      let isCurrent = false
      let lastEpoch: number | undefined
      const moveTo = (time: number): Out<E>[] => {
        const next = Math.max(from, windowAt(time))
        if (next === from) return []
        const [high, low] = [Math.max(...prices), Math.min(...prices)]
        const candle = {
          open: prices[0]!,
          high,
          low,
          close: prices.at(-1)!,
          count: prices.length,
          from,
          to: from + ms,
          interruptions,
          isCurrent,
        }
        from = next
        if (prices.length === 0) return []
        prices = []
        interruptions = 0
        return [right(candle)]
      }
      const closeLater$ = (): Observable<Out<E>> => {
        const to = from + ms
        return afterEvents$(to).pipe(mergeMap(() => moveTo(to)))
      }
      const add$ = ({ price, epoch }: Price): Observable<Out<E>> => {
        if (lastEpoch !== undefined && epoch !== lastEpoch) interruptions += 1
        lastEpoch = epoch
        isCurrent = true
        prices.push(price)
        return prices.length > 1 ? EMPTY : closeLater$()
      }
      return source$.pipe(
        endWith(undefined),
        mergeMap((event): Observable<Out<E>> | (Out<E> | undefined)[] => {
          const now = asyncScheduler.now()
          if (event === undefined) return [...moveTo(now), undefined]
          const receivedAt = (isLeft(event) ? undefined : (event.right as Partial<Price>).receivedAt) ?? now
          const closed = moveTo(receivedAt < now ? now - 1 : receivedAt)
          if (!isLeft(event)) return concat(closed, add$(event.right))
          interruptions += 1
          isCurrent = false
          return [...closed, event]
        }),
        takeWhile((out) => out !== undefined),
      )
    })
