import type { Observable, Subscription } from 'rxjs'
import { behindMsOf, type ConnectionStatus } from '../../base/domain/snapshot.js'

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
  status: ConnectionStatus = { _tag: 'Idle' }
  /** The reason for consumers while the connection is down; `undefined` while it is up. */
  downText: string | undefined
  private readonly subscription: Subscription

  constructor(
    status$: Observable<ConnectionStatus>,
    private readonly listener: UpstreamListener,
  ) {
    this.subscription = status$.subscribe({
      next: (status) => this.onStatus(status),
      // The status of a replay completes after its last row.
      complete: () => this.onStatus({ _tag: 'Closed' }),
    })
  }

  get isUp(): boolean {
    return this.downText === undefined
  }

  close(): void {
    this.subscription.unsubscribe()
  }

  private onStatus(status: ConnectionStatus): void {
    const { isUp: wasUp, listener } = this
    this.status = status
    this.downText = listener.isDown(status) ? `${serviceIsDown}: ${reasonOf(status)}` : undefined
    if (wasUp && this.downText !== undefined) listener.onDown(this.downText)
    if (!wasUp && this.downText === undefined) listener.onUp()
  }
}

/** Why the prices of a client are not current. The reason in a status may have a path, an address or a text of the service. */
const reasonOf = (status: ConnectionStatus): string => {
  if (status._tag === 'Waiting') return 'connection lost'
  if (status._tag === 'Closed') return 'the client of the gateway is closed'
  return behindMsOf(status) === undefined ? 'the connection is being opened again' : 'prices are behind'
}
