import { Subscription, type Observable } from 'rxjs'
import type { Address } from '../../../base/domain/address.js'
import type { OnPosition } from '../../../base/domain/joinable.js'
import type { Topic } from '../../../base/domain/topic.js'
import { activeContext, runInContext } from '../rx-context.js'
import type { Client } from '../../../client/client.js'
import type { Row } from '../../recording/codec/row.js'
import {
  depthRow$,
  priceRow$,
  RowTimes,
  statusRow$,
  uncorrelatedRow$,
} from '../../recording/write/client-rows.js'

/** A stream that a strategy wants, and the number of its subscribers. */
interface Wanted {
  count: number
  readonly row$: (times: RowTimes) => Observable<Row>
  readonly rows: Subscription
}

/** The rows of the streams that a strategy subscribes to, from `start` on. A stream is requested once, while it is wanted. */
export class LiveRows {
  private readonly wanted = new Map<string, Wanted>()
  private readonly all = new Subscription()
  private times: RowTimes | undefined
  /** A strategy requests streams on a clock of its own, on which a live client does not run. */
  private readonly context = activeContext()

  constructor(
    private readonly client: Client,
    private readonly onRow: (row: Row) => void,
    /** Called when the clock has been set, with the step in ms. */
    private readonly onStep: (step: number) => void,
  ) {}

  /** True while a live client gives the rows of a stream. */
  isWanted(name: Topic | Address): boolean {
    return this.wanted.has(name.toLowerCase())
  }

  /** Now, in ms since the Unix epoch. After `start`. */
  now(): number {
    return this.times?.now() ?? NaN
  }

  /** Has an effect once. `onClosed`: called when the client is closed. */
  start(onClosed: () => void): void {
    if (this.times !== undefined) return
    const times = (this.times = new RowTimes((_, step) => this.onStep(step)))
    this.all.add(
      statusRow$(this.client, times).subscribe({ next: (row) => this.onRow(row), complete: onClosed }),
    )
    this.all.add(uncorrelatedRow$(this.client, times).subscribe((row) => this.onRow(row)))
    for (const wanted of this.wanted.values()) this.request(wanted, times)
  }

  stop(): void {
    this.all.unsubscribe()
  }

  wantPrices(topic: Topic, onConfirmed: OnPosition): Subscription {
    return this.want(topic, (times) => priceRow$(this.client, topic, times, onConfirmed))
  }

  /** The interval of the first subscriber counts, in ms. */
  wantDepths(mint: Address, interval: number): Subscription {
    return this.want(mint, (times) => depthRow$(this.client, mint, interval, times))
  }

  private want(name: string, row$: Wanted['row$']): Subscription {
    const key = name.toLowerCase()
    const wanted = this.wanted.get(key) ?? { count: 0, row$, rows: new Subscription() }
    this.wanted.set(key, wanted)
    if (++wanted.count === 1 && this.times !== undefined) this.request(wanted, this.times)
    return new Subscription(() => {
      if (--wanted.count > 0) return
      wanted.rows.unsubscribe()
      this.wanted.delete(key)
    })
  }

  private request({ row$, rows }: Wanted, times: RowTimes): void {
    this.all.add(rows)
    runInContext(this.context, () => rows.add(row$(times).subscribe((row) => this.onRow(row))))
  }
}
