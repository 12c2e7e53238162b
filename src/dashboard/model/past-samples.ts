import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { defer, map, reduce, type Observable } from 'rxjs'
import type { History } from '../../client/history.js'
import type { PastEvent } from '../../domain/past.js'
import type { Topic } from '../../domain/topic.js'
import type { HistoryError } from '../../errors/model.js'
import { rxClock } from '../../time/rx-clock.js'
import { ChartSamples, type ChartData } from './chart-samples.js'

/**
 * Reads the last `windowMs` of a topic from a history as samples. One value: a `Left` if not all of them can be read. The
 * clock of a recorder may be ahead: a later time than the current one counts as that.
 */
export const readPastSamples$ = (
  history: History,
  topic: Topic,
  windowMs: number,
  slotMs: number,
): Observable<Either<HistoryError, ChartData>> =>
  defer(() => {
    const now = rxClock.wallClock()
    const samples = new ChartSamples(windowMs, slotMs)
    const read = (
      result: Either<HistoryError, unknown>,
      event: Either<HistoryError, PastEvent>,
    ): Either<HistoryError, unknown> => {
      if (isLeft(event)) return event
      const { right: past } = event
      if (past._tag === 'Gap') samples.interrupt(Math.min(past.from, now))
      else samples.add(Math.min(past.at, now), past.price)
      return result
    }
    return history.prices$(topic, { from: now - windowMs }).pipe(
      reduce(read, right(undefined)),
      map((result) => (isLeft(result) ? result : right(samples.data(now)))),
    )
  })
