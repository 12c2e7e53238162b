import type { PriceFeed } from '../../client/price-feed.js'

/** In ms. */
const shortestSpacing = 5

/**
 * The probes of the service for one consumer, who measures the age of prices by the answers of the gateway: data after an
 * answer count as newer than the message that it answers.
 */
export class ConsumerProbes {
  private askedAt: number
  private isFirstMissing: (() => boolean) | undefined

  constructor(
    private readonly requestProbe: PriceFeed['requestProbe'],
    /** Monotonic, in ms. */
    private readonly now: () => number,
  ) {
    this.askedAt = now()
  }

  /**
   * The consumer has its first topic. A consumer takes all prices of a new connection for newer than the connection, so they
   * wait for the answer to this probe.
   */
  onTopic(): void {
    this.isFirstMissing ??= this.requestProbe(0)
  }

  /** True while no price may be sent. */
  get isWaiting(): boolean {
    return this.isFirstMissing?.() === true
  }

  /**
   * Called for a message that asks for an answer. Returns a function that returns true until the answer may be sent. Requests
   * are as far apart as those of this consumer before: the probes are as many as those of the consumer that asks most often,
   * but not more than those of a client, which asks at most every 5 ms.
   */
  request(): () => boolean {
    const { askedAt, requestProbe } = this
    this.askedAt = this.now()
    return requestProbe(Math.max(shortestSpacing, this.askedAt - askedAt))
  }
}
