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
import type { Price } from '../../../../src/domain/price.js'
import type { Candle } from '../../../../src/operators/index.js'

type Out<E> = Either<E, Candle>

/** `candles` as a chain of RxJS's operators, over a list of the window's prices. */
export const referenceCandles =
  <E>(ms: number) =>
  (source$: Observable<Either<E, Price>>): Observable<Out<E>> =>
    defer(() => {
      let prices: number[] = []
      let from = 0
      let interruptions = 0
      let isCurrent = false
      let lastEpoch: number | undefined
      const start = (): number => Math.floor(asyncScheduler.now() / ms) * ms
      const close = (): Out<E>[] => {
        if (prices.length === 0 || start() === from) return []
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
        prices = []
        interruptions = 0
        return [right(candle)]
      }
      const closeLater$ = (): Observable<Out<E>> =>
        timer(Math.max(1, from + ms - asyncScheduler.now())).pipe(mergeMap(close))
      const add$ = ({ price, epoch }: Price): Observable<Out<E>> => {
        if (lastEpoch !== undefined && epoch !== lastEpoch) interruptions += 1
        lastEpoch = epoch
        isCurrent = true
        prices.push(price)
        if (prices.length > 1) return EMPTY
        from = start()
        return closeLater$()
      }
      return source$.pipe(
        endWith(undefined),
        mergeMap((event): Observable<Out<E>> | (Out<E> | undefined)[] => {
          const closed = close()
          if (event === undefined) return [...closed, undefined]
          if (!isLeft(event)) return concat(closed, add$(event.right))
          interruptions += 1
          isCurrent = false
          return [...closed, event]
        }),
        takeWhile((out) => out !== undefined),
      )
    })
