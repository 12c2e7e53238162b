import { map, merge, Subscription, timer } from 'rxjs'
import type { Client } from '../../../client/client.js'
import type { Address } from '../../../base/domain/address.js'
import { systemClock } from '../../../base/time/system-clock.js'
import type { DepthRow } from '../../../backtest/recording/format/row.js'
import type { PageConfig } from '../model/served.js'

/** Time without a request of a page after which depth is no longer requested of the service, in ms. */
const lease = 30_000

/**
 * The last depth of each token, which is requested of the service while pages ask for all of them: a request of a page for
 * each token would cost more than all its prices.
 */
export class PageDepths {
  /** That of a page. The clock of a recording is another one. */
  private readonly clock = systemClock()
  private readonly rows = new Map<Address, DepthRow>()
  private polls = Subscription.EMPTY
  private lease = Subscription.EMPTY

  /** `client`: one with depth, unless the interval of the configuration is `null`. */
  constructor(
    private readonly client: Client,
    private readonly config: Pick<PageConfig, 'tokens' | 'depthInterval'>,
  ) {}

  /** None at first: the requests begin with this call. */
  read(): readonly DepthRow[] {
    const { tokens, depthInterval } = this.config
    if (depthInterval === null) return []
    this.lease.unsubscribe()
    this.lease = timer(lease + depthInterval).subscribe(() => this.close())
    if (this.polls.closed) this.polls = this.start(tokens, depthInterval)
    return [...this.rows.values()]
  }

  close(): void {
    this.lease.unsubscribe()
    this.polls.unsubscribe()
    this.rows.clear()
  }

  private start(tokens: PageConfig['tokens'], interval: number): Subscription {
    const depth$ = tokens.map(({ address }) =>
      this.client
        .depth$(address, interval)
        .pipe(
          map((event): DepthRow => ({ _tag: 'Depth', at: this.clock.wallClock(), mint: address, event })),
        ),
    )
    return merge(...depth$).subscribe((row) => this.rows.set(row.mint, row))
  }
}
