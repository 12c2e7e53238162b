import { Subscription, type Observable } from 'rxjs'
import type { Address } from '../../../base/domain/address.js'
import type { Topic } from '../../../base/domain/topic.js'
import type { Client } from '../../../client/client.js'
import type { Row } from '../format/row.js'
import { depthRow$, priceRow$, RowTimes, statusRow$, uncorrelatedRow$ } from '../record/client-rows.js'

/** The rows of the streams that a strategy subscribes to, from `start` on. A stream is requested once, while it is wanted. */
export class LiveRows {
  private readonly wanted = new Map<string, Wanted>()
  private readonly all = new Subscription()
  private times: RowTimes | undefined

  constructor(
    private readonly client: Client,
    private readonly onRow: (row: Row) => void,
  ) {}

  /** True while a live client gives the rows of a stream. */
  isWanted(name: Topic | Address): boolean {
    return this.wanted.has(name.toLowerCase())
  }

  /** `onClosed`: called when the client is closed. */
  start(onClosed: () => void): void {
    const times = (this.times = new RowTimes())
    this.all.add(
      statusRow$(this.client, times).subscribe({ next: (row) => this.onRow(row), complete: onClosed }),
    )
    this.all.add(uncorrelatedRow$(this.client, times).subscribe((row) => this.onRow(row)))
    for (const wanted of this.wanted.values()) this.request(wanted, times)
  }

  stop(): void {
    this.all.unsubscribe()
  }

  wantPrices(topic: Topic): Subscription {
    return this.want(topic, (times) => priceRow$(this.client, topic, times))
  }

  /** The interval of the first subscriber counts, in ms. */
  wantDepths(mint: Address, interval: number): Subscription {
    return this.want(mint, (times) => depthRow$(this.client, mint, interval, times))
  }

  private want(name: string, row$: Wanted['row$']): Subscription {
    const key = name.toLowerCase()
    const wanted = this.wanted.get(key) ?? { row$, count: 0, rows: undefined }
    this.wanted.set(key, wanted)
    if (++wanted.count === 1 && this.times !== undefined) this.request(wanted, this.times)
    return new Subscription(() => {
      if (--wanted.count > 0) return
      wanted.rows?.unsubscribe()
      this.wanted.delete(key)
    })
  }

  private request(wanted: Wanted, times: RowTimes): void {
    wanted.rows = new Subscription()
    this.all.add(wanted.rows)
    wanted.rows.add(wanted.row$(times).subscribe((row) => this.onRow(row)))
  }
}

interface Wanted {
  readonly row$: (times: RowTimes) => Observable<Row>
  /** Number of subscribers. */
  count: number
  rows: Subscription | undefined
}
