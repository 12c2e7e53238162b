import { catchError, concat, defer, EMPTY, map, of, Subscription, type Observable } from 'rxjs'
import type { Client, PriceClient } from '../../client/client.js'
import type { Address } from '../../domain/address.js'
import type { Topic } from '../../domain/topic.js'
import { reportError } from '../../task/safe-notify.js'
import { rxClock } from '../../time/rx-clock.js'
import type { Row } from '../format/row.js'

// The streams of a client as rows. Each row has the time at which the client emitted the event.

export const statusRow$ = ({ status$ }: PriceClient): Observable<Row> =>
  status$.pipe(map((status) => ({ _tag: 'Status', at: rxClock.wallClock(), status })))

export const uncorrelatedRow$ = ({ errors$ }: PriceClient): Observable<Row> =>
  errors$.pipe(map((error) => ({ _tag: 'Uncorrelated', at: rxClock.wallClock(), error })))

/** The events of one topic, and an `End` row when its stream completes. */
export const priceRow$ = (client: PriceClient, topic: Topic): Observable<Row> =>
  withEndRow$(
    () =>
      client.price$(topic).pipe(map((event) => ({ _tag: 'Price', at: rxClock.wallClock(), topic, event }))),
    topic,
  )

/** The events of one mint, and an `End` row when its stream completes. `interval` in ms. */
export const depthRow$ = (client: Client, mint: Address, interval: number): Observable<Row> =>
  withEndRow$(
    () =>
      client
        .depth$(mint, interval)
        .pipe(map((event) => ({ _tag: 'Depth', at: rxClock.wallClock(), mint, event }))),
    mint,
  )

/** A stream of a custom client may fail. RxJS reports the exception, and the other streams continue. */
const withEndRow$ = (row$: () => Observable<Row>, name: Topic | Address): Observable<Row> =>
  concat(
    defer(row$).pipe(
      catchError((thrown) => {
        reportError(thrown)
        return EMPTY
      }),
    ),
    defer(() => of<Row>({ _tag: 'End', at: rxClock.wallClock(), of: name })),
  )

/** The rows of one topic while it is wanted, and its `End` afterwards. */
export class WantedRows {
  private count = 0
  /** Closed while the topic is not wanted, and when its stream has completed, for example by a rejection. */
  private rows = Subscription.EMPTY

  constructor(
    private readonly client: PriceClient,
    private readonly topic: Topic,
    private readonly onRow: (row: Row) => void,
  ) {}

  get isWanted(): boolean {
    return this.count > 0
  }

  /** The topic is wanted until the subscription ends. */
  want(): Subscription {
    this.count++
    this.start()
    return new Subscription(() => this.leave())
  }

  /** Requests the topic, unless its stream runs. */
  start(): void {
    if (this.rows.closed) this.rows = priceRow$(this.client, this.topic).subscribe((row) => this.onRow(row))
  }

  private leave(): void {
    if (--this.count > 0 || this.rows.closed) return
    this.rows.unsubscribe()
    this.onRow({ _tag: 'End', at: rxClock.wallClock(), of: this.topic })
  }
}
