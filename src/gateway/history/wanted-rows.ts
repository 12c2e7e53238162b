import { Subscription } from 'rxjs'
import type { PriceClient } from '../../client/client.js'
import type { Topic } from '../../base/domain/topic.js'
import type { Row } from '../../backtest/recording/codec/row.js'
import { priceRow$, RowTimes } from '../../backtest/recording/write/client-rows.js'

/** The rows of one topic while it is wanted, and its `End` afterwards. */
export class WantedRows {
  private count = 0
  /** Closed while the topic is not wanted, and when its stream has completed, for example by a rejection. */
  private rows = Subscription.EMPTY

  constructor(
    private readonly client: PriceClient,
    private readonly topic: Topic,
    private readonly onRow: (row: Row) => void,
    private readonly times = new RowTimes(),
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
    if (!this.rows.closed) return
    this.rows = priceRow$(this.client, this.topic, this.times).subscribe((row) => this.onRow(row))
  }

  private leave(): void {
    if (--this.count > 0 || this.rows.closed) return
    this.rows.unsubscribe()
    this.onRow({ _tag: 'End', at: this.times.now(), of: this.topic })
  }
}
