import { isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { catchError, concat, defer, EMPTY, map, of, type Observable } from 'rxjs'
import type { Client, PriceClient } from '../../../client/client.js'
import type { Address, Topic } from '../../../base/domain/topic.js'
import { liveSourceOf, copyPosition } from '../../../base/domain/past.js'
import { reportError } from '../../../base/task/safe-notify.js'
import { timeOfEvent } from '../../../base/time/event-time.js'
import { rxClock } from '../../../base/time/clock.js'
import type { Row } from '../codec/row.js'

/** Both clocks are rounded: they agree if they differ by less, in ms. */
const rounding = 2

/** The times of the rows of one recorder: the wall clock of its start, and then monotonic time. In ms since the Unix epoch. */
export class RowTimes {
  /** The wall clock less the monotonic one, at the start or when the wall clock was set. */
  private offset = rxClock.wallClock() - rxClock.elapsed()
  /** The time of the last row. No price is of a time before the recorder. */
  private latest = rxClock.wallClock()

  /**
   * `onClockSet`: a new recording begins, because the wall clock has been set. Gets the time of the next row, and the step in ms.
   * `maxDifference`: a wall clock that differs by more from these times has been set, in ms.
   */
  constructor(
    private readonly onClockSet: (at: number, step: number) => void = () => undefined,
    private readonly maxDifference = 1_000,
  ) {}

  /**
   * The time at which the client emitted the event. Other handlers may have taken time before: the time of a value is then
   * its `receivedAt`, so that a replay emits it at the time of the live run, but never before an earlier row.
   */
  of(event: Either<unknown, unknown>): number {
    // One reading: the operators of a live run take the first one of a turn.
    const wallClock = rxClock.wallClock()
    return this.next(Math.min(this.read(wallClock), timeOfEvent(event, wallClock)))
  }

  now(): number {
    return this.next(this.read())
  }

  private next(time: number): number {
    return (this.latest = Math.max(this.latest, time))
  }

  /** Like `now`, without an effect on the times of later rows: the clock may have passed that of an event of this turn. */
  read(wallClock = rxClock.wallClock()): number {
    if (rxClock.isVirtual) return wallClock
    const time = Math.floor(this.offset + rxClock.elapsed())
    const difference = wallClock - time
    if (Math.abs(difference) < rounding) return wallClock
    if (Math.abs(difference) <= this.maxDifference) return time
    this.offset += difference
    this.latest = wallClock
    this.onClockSet(wallClock, difference)
    return wallClock
  }
}

export const statusRow$ = ({ status$ }: PriceClient, times = new RowTimes()): Observable<Row> =>
  status$.pipe(map((status) => ({ _tag: 'Status', at: times.of(right(status)), status })))

export const uncorrelatedRow$ = ({ errors$ }: PriceClient, times = new RowTimes()): Observable<Row> =>
  errors$.pipe(map((error) => ({ _tag: 'Uncorrelated', at: times.of(left(error)), error })))

/** The events of one topic, and an `End` row when its stream completes. */
export const priceRow$ = (client: PriceClient, topic: Topic, times = new RowTimes()): Observable<Row> =>
  withEndRow$(
    () => {
      const { open$, position } = liveSourceOf(client.price$(topic))
      return open$().pipe(
        map((event): Row => {
          const at = times.of(event)
          const last = isRight(event) ? position() : undefined
          if (last === undefined) return { _tag: 'Price', at, topic, event }
          return { _tag: 'Price', at, topic, event, position: copyPosition(last) }
        }),
      )
    },
    topic,
    times,
  )

/** The events of one mint, and an `End` row when its stream completes. `interval` in ms. */
export const depthRow$ = (
  client: Client,
  mint: Address,
  interval: number,
  times = new RowTimes(),
): Observable<Row> =>
  withEndRow$(
    () =>
      client
        .depth$(mint, interval)
        .pipe(map((event) => ({ _tag: 'Depth', at: times.of(event), mint, event }))),
    mint,
    times,
  )

/** A stream of a custom client may fail. RxJS reports the exception, and the other streams continue. */
const withEndRow$ = (row$: () => Observable<Row>, name: Topic | Address, times: RowTimes): Observable<Row> =>
  concat(
    defer(row$).pipe(
      catchError((thrown) => {
        reportError(thrown)
        return EMPTY
      }),
    ),
    defer(() => of<Row>({ _tag: 'End', at: times.now(), of: name })),
  )
