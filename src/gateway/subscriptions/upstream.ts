import type { Observable, Subscription } from 'rxjs'
import { behindMsOf, type ConnectionStatus } from '../../base/domain/snapshot.js'
import type { Clock } from '../../base/time/clock.js'

/** The words with which a gateway begins its reason for consumers. */
export const serviceIsDown = 'the service is down'

interface UpstreamConfig {
  readonly clock: Pick<Clock, 'elapsed'>
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
  /** When the connection came up or went down: monotonic, in ms. */
  private changedAt: number
  /** The time in which it was up before, in ms. */
  private upTimeBefore = 0
  /** True while the client has no topic, and therefore no connection. */
  private isIdle = false
  private readonly subscription: Subscription

  constructor(
    status$: Observable<ConnectionStatus>,
    private readonly config: UpstreamConfig,
  ) {
    this.changedAt = config.clock.elapsed()
    this.subscription = status$.subscribe({
      next: (status) => this.onStatus(status),
      // The status of a replay completes after its last row.
      complete: () => this.onStatus({ _tag: 'Closed' }),
    })
  }

  get isUp(): boolean {
    return this.downText === undefined
  }

  /** The time in which the connection has been up, in ms. */
  get upTime(): number {
    const { isUp, upTimeBefore, changedAt, config } = this
    return isUp ? upTimeBefore + config.clock.elapsed() - changedAt : upTimeBefore
  }

  close(): void {
    this.subscription.unsubscribe()
  }

  private onStatus(status: ConnectionStatus): void {
    const { isUp: wasUp, isIdle: wasIdle, upTime, config } = this
    this.status = status
    this.isIdle = status._tag === 'Idle'
    // The first dial for a topic follows no lost connection, although `attempt` continues until a connection is stable.
    const isFirstDial = wasIdle && status._tag === 'Connecting'
    const isDown = config.isDown(status) && !isFirstDial
    this.downText = isDown ? `${serviceIsDown}: ${reasonOf(status)}` : undefined
    if (wasUp === this.isUp) return
    this.upTimeBefore = upTime
    this.changedAt = config.clock.elapsed()
    if (this.downText === undefined) config.onUp()
    else config.onDown(this.downText)
  }
}

/** Why the prices of a client are not current. The reason in a status may have a path, an address or a text of the service. */
const reasonOf = (status: ConnectionStatus): string => {
  if (status._tag === 'Waiting') return 'connection lost'
  if (status._tag === 'Closed') return 'the client of the gateway is closed'
  return behindMsOf(status) === undefined ? 'the connection is being opened again' : 'prices are behind'
}
