import { Subscription, timer } from 'rxjs'
import type { GatewayDisconnectCause } from '../../base/diagnostics/messages.js'
import { closeCodes, type EndCause } from '../subscriptions/sessions.js'
import type { FrameBatch, Outbox, Recipient } from './outbox.js'
import { closeReason, type ConsumerStream, type ConsumerWebSocket, type TextFrame } from './text-frame.js'

/** The WebSocket of one consumer: one write for the frames of a tick, pings, and the end of the connection. */
export class ConsumerSocket implements Recipient {
  batch: FrameBatch | undefined
  /** Size of the frames that were written, in bytes. */
  sentBytes = 0
  endCause: GatewayDisconnectCause = 'consumer'
  /** True from the close frame on: messages of the consumer that arrive later have no effect. */
  isEnding = false
  unansweredPings = 0
  private readonly endTimer = new Subscription()

  constructor(
    readonly webSocket: ConsumerWebSocket,
    /** The underlying socket. A write to it costs less than a message of `ws`, and may contain several frames. */
    private readonly stream: ConsumerStream,
    private readonly outbox: Outbox,
    private readonly onWritten: (bytes: number) => void,
  ) {}

  get unsentBytes(): number {
    return this.stream.writableLength
  }

  /** Number of bytes that are written after this tick. */
  get pendingBytes(): number {
    return this.batch?.length ?? 0
  }

  add(frame: TextFrame): void {
    this.outbox.add(this, frame)
  }

  /** Writes the frames of this tick now. */
  flush(): void {
    this.outbox.flushOne(this)
  }

  readonly write = (bytes: Uint8Array): void => {
    if (this.webSocket.readyState !== this.webSocket.OPEN) return
    this.stream.write(bytes)
    this.sentBytes += bytes.length
    this.onWritten(bytes.length)
  }

  /** Counts a ping. Returns false, and ends the connection, if this number of pings has no answer. */
  countPing(maxUnanswered: number): boolean {
    if (this.unansweredPings++ < maxUnanswered) return true
    if (!this.isEnding) this.endCause = 'no-pong'
    this.webSocket.terminate()
    return false
  }

  /** Sends a close frame. Ends the connection if the consumer does not end it within `ms`. */
  end(cause: EndCause, reason: string, ms: number): void {
    this.isEnding = true
    this.endCause = cause
    this.flush()
    this.webSocket.close(closeCodes[cause], closeReason(reason))
    this.endTimer.add(timer(ms).subscribe(() => this.webSocket.terminate()))
  }

  onClosed(): void {
    this.isEnding = true
    this.endTimer.unsubscribe()
  }
}
