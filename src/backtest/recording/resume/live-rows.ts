import { Subscription, type Observable } from 'rxjs'
import type { Address } from '../../../base/domain/address.js'
import type { OnPosition } from '../../../base/domain/joinable.js'
import type { Topic } from '../../../base/domain/topic.js'
import { activeContext, runInContext } from '../replay/rx-context.js'
import type { Client } from '../../../client/client.js'
import { nameOf, type RecordingHeader, type Row } from '../format/row.js'
import { depthRow$, priceRow$, RowTimes, statusRow$, uncorrelatedRow$ } from '../record/client-rows.js'
import { StreamSeam } from './stream-seam.js'

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
    /** Called when the clock has been set, or the process was paused, with the step in ms. */
    private readonly onStep: (step: number) => void,
  ) {}

  /** True while a live client gives the rows of a stream. */
  isWanted(name: Topic | Address): boolean {
    return this.wanted.has(name.toLowerCase())
  }

  /** The wanted streams, by topic or mint in lower case. */
  get seams(): ReadonlyMap<string, StreamSeam> {
    return this.wanted
  }

  /** The seam of the stream of a row, while it is wanted. */
  seamOf(row: Row | RecordingHeader): StreamSeam | undefined {
    const name = row._tag === 'Recording' ? undefined : nameOf(row)
    return name === undefined ? undefined : (this.wanted.get(name) ?? this.wanted.get(name.toLowerCase()))
  }

  /** Now, in ms since the Unix epoch. After `start`. */
  now(): number {
    return this.times?.now() ?? NaN
  }

  /** Has an effect once. `onClosed`: called when the client is closed. */
  start(onClosed: () => void): void {
    if (this.times !== undefined) return
    const times = (this.times = new RowTimes((_, step) => this.onStep(step)))
    this.all.add(times.watchClock())
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
    return this.want(topic, (times, onConfirmed) => priceRow$(this.client, topic, times, onConfirmed))
  }

  /** The interval of the first subscriber counts, in ms. */
  wantDepths(mint: Address, interval: number): Subscription {
    return this.want(mint, (times) => depthRow$(this.client, mint, interval, times))
  }

  private want(name: string, row$: Wanted['row$']): Subscription {
    const key = name.toLowerCase()
    const wanted = this.wanted.get(key) ?? new Wanted(row$)
    this.wanted.set(key, wanted)
    if (++wanted.count === 1 && this.times !== undefined) this.request(wanted, this.times)
    return new Subscription(() => {
      if (--wanted.count > 0) return
      wanted.rows.unsubscribe()
      this.wanted.delete(key)
    })
  }

  private request(wanted: Wanted, times: RowTimes): void {
    this.all.add(wanted.rows)
    const row$ = wanted.row$(times, (position) => wanted.onConfirmed(position))
    runInContext(this.context, () => wanted.rows.add(row$.subscribe((row) => this.onRow(row))))
  }
}

class Wanted extends StreamSeam {
  /** Number of subscribers. */
  count = 0
  readonly rows = new Subscription()

  constructor(readonly row$: (times: RowTimes, onConfirmed: OnPosition) => Observable<Row>) {
    super()
  }
}
