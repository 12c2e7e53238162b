import { constants } from 'node:os'
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
  private reason = connectionLost
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
    if (status._tag === 'Waiting') this.reason = systemCodeOf(status.reason) ?? connectionLost
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

const connectionLost = 'connection lost'

/**
 * Why the client waits, as a text for consumers: the code of a system error, such as ECONNREFUSED. The rest of the client's
 * reason may contain paths, addresses and texts of the service. It is only in the status of the client, and in the gateway's
 * `inspect()`.
 */
const systemCodeOf = (reason: string): string | undefined =>
  reason.match(/\bE[A-Z]+\b/g)?.find((code) => Object.hasOwn(constants.errno, code))
