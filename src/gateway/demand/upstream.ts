import { Subscription } from 'rxjs'
import type { PriceClient } from '../../client/client.js'
import { isDown, type ConnectionStatus } from '../../domain/status.js'

export interface UpstreamListener {
  /** `reason`: in words, without secrets. */
  readonly onDown: (reason: string) => void
  readonly onUp: () => void
}

/** Whether the connection to the service is down: by the status of the client, or by a `Disconnected` of one stream. */
export class Upstream<Stream> {
  private current: ConnectionStatus = { _tag: 'Idle' }
  private readonly disconnected = new Set<Stream>()
  private wasUp = true
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

  onDisconnected(stream: Stream, reason: string): void {
    this.disconnected.add(stream)
    this.notify(reason)
  }

  onConnected(stream: Stream): void {
    if (this.disconnected.delete(stream)) this.notify('')
  }

  close(): void {
    this.subscription.unsubscribe()
  }

  private onStatus(status: ConnectionStatus): void {
    this.current = status
    if (status._tag === 'Open') this.disconnected.clear()
    this.notify(status._tag === 'Waiting' ? status.reason : reasons[status._tag])
  }

  private notify(reason: string): void {
    const { isUp, wasUp } = this
    if (isUp === wasUp) return
    this.wasUp = isUp
    if (isUp) this.listener.onUp()
    else this.listener.onDown(reason)
  }
}

const reasons: Readonly<Record<Exclude<ConnectionStatus['_tag'], 'Waiting'>, string>> = {
  Idle: '',
  Open: '',
  Connecting: 'the connection is being opened again',
  Closed: 'the client of the gateway is closed',
}
