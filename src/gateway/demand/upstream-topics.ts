import type { PriceClient } from '../../client/client.js'
import { priceFeedOf } from '../../client/price-feed.js'
import { currentClock } from '../../time/current-clock.js'
import { Demand } from './demand.js'
import type { TopicFeed } from './topic-feed.js'
import { Upstream, type DownReason } from './upstream.js'

export interface UpstreamTopicsConfig<Frame> {
  /** Name of the service: prefix of topics. */
  readonly service: string
  /** Encodes a price frame, once for all consumers. Its characters are all ASCII. */
  readonly encode: (payload: string) => Frame
  /** An outage begins: the consumers must be ended. `reason`: one of `DownReason`. */
  readonly onDown: (reason: DownReason) => void
}

/** The connection to the service, and the demand for its topics. */
export interface UpstreamTopics<Frame> {
  readonly upstream: Pick<Upstream<unknown>, 'isUp' | 'status' | 'downReason'>
  readonly demand: Demand<Frame>
  /** Ends all subscriptions. Idempotent. */
  readonly close: () => void
}

/**
 * Subscribes to the topics of a client that are wanted, and to those that `Demand` keeps during an outage, so that the
 * client keeps dialling.
 */
export const createUpstreamTopics = <Frame>(
  client: PriceClient,
  { service, encode, onDown }: UpstreamTopicsConfig<Frame>,
): UpstreamTopics<Frame> => {
  const upstream = new Upstream<TopicFeed<Frame>>({
    onDown: (reason) => {
      demand.onDown()
      onDown(reason)
    },
    onUp: () => demand.onUp(),
  })
  const demand = new Demand<Frame>({
    clock: currentClock(),
    service,
    encode,
    source: priceFeedOf(client),
    listener: {
      onDisconnected: (feed, { reason }) => upstream.onDisconnected(feed, reason),
      onConnected: (feed) => upstream.onConnected(feed),
      onCompleted: (feed) => {
        upstream.onConnected(feed)
        demand.delete(feed)
      },
    },
  })
  upstream.start(client)
  return {
    upstream,
    demand,
    close: () => {
      upstream.close()
      demand.close()
    },
  }
}
