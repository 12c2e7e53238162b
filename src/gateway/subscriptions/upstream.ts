import { Subscription, type Observable } from 'rxjs'
import { behindMsOf, type ConnectionStatus } from '../../base/domain/status.js'

/** The words with which a gateway begins its reason for consumers. */
export const serviceIsDown = 'the service is down'

interface UpstreamListener {
  /** True if the prices of a client in this state are not current, and consumers must not receive them. */
  readonly isDown: (status: ConnectionStatus) => boolean
  /** An outage begins. */
  readonly onDown: (text: string) => void
  readonly onUp: () => void
}

/** Whether the connection to the service is down, by the status of the client. An outage of one topic does not count. */
export class Upstream {
  private current: ConnectionStatus = { _tag: 'Idle' }
  private wasUp = true
  private reason: DownReason = 'connection lost'
  private readonly subscription = new Subscription()

  constructor(private readonly listener: UpstreamListener) {}

  start({ status$ }: { readonly status$: Observable<ConnectionStatus> }): void {
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
    return !this.listener.isDown(this.current)
  }

  /** The reason for consumers while the connection is down; `undefined` while it is up. */
  get downText(): string | undefined {
    return this.isUp ? undefined : `${serviceIsDown}: ${this.reason}`
  }

  close(): void {
    this.subscription.unsubscribe()
  }

  private onStatus(status: ConnectionStatus): void {
    this.current = status
    if (status._tag === 'Waiting') this.reason = downReasonOf(status.reason)
    else if (status._tag === 'Closed') this.reason = 'the client of the gateway is closed'
    else if (behindMsOf(status) !== undefined) this.reason = 'prices are behind'
    else if (this.listener.isDown(status)) this.reason = 'the connection is being opened again'
    const { downText, wasUp } = this
    const isUp = downText === undefined
    if (isUp === wasUp) return
    this.wasUp = isUp
    if (isUp) this.listener.onUp()
    else this.listener.onDown(downText)
  }
}

/**
 * Why the connection to the service is down, as a text for consumers. The client's own reason may contain paths,
 * addresses and texts of the service. It is only in the status of the client, and in the gateway's `inspect()`.
 */
type DownReason = (typeof patterns)[number][0] | 'connection lost'

/** The first pattern that fits decides. Each reason fits its own pattern: the service may be another gateway. */
const patterns = [
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
] as const

const downReasonOf = (text: string): DownReason =>
  patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? 'connection lost'
