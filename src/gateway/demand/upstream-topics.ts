import type { PriceClient } from '../../client/client.js'
import { priceFeedOf } from '../../client/price-feed.js'
import { currentClock } from '../../time/current-clock.js'
import { Demand } from './demand.js'
import type { TopicFeed } from './topic-feed.js'
import { Subscription } from 'rxjs'
import { isDown, type ConnectionStatus } from '../../domain/status.js'

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

/**
 * Why the connection to the service is down, as consumers receive it. The client's own reason may contain paths, addresses
 * and texts of the service: it is in the status of the client, and in the gateway's `inspect()`.
 */
type DownReason =
  | 'connection refused'
  | 'connection reset'
  | 'host not found'
  | 'host unreachable'
  | 'TLS failed'
  | 'upgrade refused'
  | 'no answer in time'
  | 'prices are behind'
  | 'too many open files'
  | 'closed by the service'
  | 'connection lost'
  | 'the connection is being opened again'
  | 'the client of the gateway is closed'

interface UpstreamListener {
  readonly onDown: (reason: DownReason) => void
  readonly onUp: () => void
}

/** Whether the connection to the service is down: by the status of the client, or by a `Disconnected` of one stream. */
export class Upstream<Stream> {
  private current: ConnectionStatus = { _tag: 'Idle' }
  private readonly disconnected = new Set<Stream>()
  private wasUp = true
  private reason: DownReason = 'connection lost'
  private readonly subscription = new Subscription()

  constructor(private readonly listener: UpstreamListener) {}

  start({ status$ }: Pick<PriceClient, 'status$'>): void {
    this.subscription.add(
      status$.subscribe({
        next: (status) => this.onStatus(status),
        // The status of a replay completes after its last row.
        complete: () => this.onStatus({ _tag: 'Closed' }),
      }),
    )
  }

  get status(): ConnectionStatus {
    return this.current
  }

  get isUp(): boolean {
    return this.disconnected.size === 0 && !isDown(this.current)
  }

  /** The last reason why the connection was down. */
  get downReason(): DownReason {
    return this.reason
  }

  onDisconnected(stream: Stream, reason: string): void {
    this.disconnected.add(stream)
    this.reason = downReasonOf(reason)
    this.notify()
  }

  onConnected(stream: Stream): void {
    if (this.disconnected.delete(stream)) this.notify()
  }

  close(): void {
    this.subscription.unsubscribe()
  }

  private onStatus(status: ConnectionStatus): void {
    this.current = status
    if (status._tag === 'Open') this.disconnected.clear()
    if (status._tag === 'Waiting') this.reason = downReasonOf(status.reason)
    else if (isDown(status)) this.reason = reasons[status._tag === 'Closed' ? 'Closed' : 'Connecting']
    this.notify()
  }

  private notify(): void {
    const { isUp, wasUp } = this
    if (isUp === wasUp) return
    this.wasUp = isUp
    if (isUp) this.listener.onUp()
    else this.listener.onDown(this.reason)
  }
}

const reasons = {
  Connecting: 'the connection is being opened again',
  Closed: 'the client of the gateway is closed',
} as const

/** The first pattern that fits decides. Each reason fits its own pattern: the service may be another gateway. */
const patterns: readonly (readonly [DownReason, RegExp])[] = [
  ['too many open files', /EMFILE|ENFILE|too many open files/],
  ['connection refused', /ECONNREFUSED|connection refused/i],
  ['host not found', /ENOTFOUND|EAI_|host not found/i],
  ['host unreachable', /EHOSTUNREACH|ENETUNREACH|ENETDOWN|unreachable|not reachable/],
  ['TLS failed', /certificate|altnames|\b(?:TLS|SSL)\b|ERR_(?:TLS|SSL)/i],
  ['upgrade refused', /unexpected server response|upgrade refused/i],
  ['prices are behind', /\bbehind\b/],
  ['no answer in time', /ETIMEDOUT|\bwithin \d+ ms\b|not answer|no answer|no gateway answers/],
  ['connection reset', /ECONNRESET|EPIPE|ECONNABORTED|socket hang up|connection reset/i],
  ['closed by the service', /closed by the service|without a close frame/],
  ['the connection is being opened again', /being opened again/],
  ['the client of the gateway is closed', /the client of the gateway is closed/],
]

const downReasonOf = (text: string): DownReason =>
  patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? 'connection lost'
