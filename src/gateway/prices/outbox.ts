import { FrameBatch } from './frame-batch.js'
import type { TextFrame } from './text-frame.js'

/** A connection to which frames are sent. */
export interface Recipient {
  /** The frames since the last `write`; `undefined` if there are none. Set by the outbox. */
  batch: FrameBatch | undefined
  readonly write: (bytes: Uint8Array) => void
}

/** Collects the frames of one tick, and then writes them once to each connection. */
export class Outbox {
  private start = FrameBatch.empty()
  private recipients: Recipient[] = []

  add(recipient: Recipient, frame: TextFrame): void {
    if (recipient.batch === undefined) {
      if (this.recipients.length === 0) process.nextTick(() => this.flush())
      this.recipients.push(recipient)
    }
    recipient.batch = (recipient.batch ?? this.start).with(frame)
  }

  /** Writes the frames of one connection, before something else is sent over it. */
  flushOne(recipient: Recipient): void {
    const { batch } = recipient
    recipient.batch = undefined
    if (batch !== undefined) recipient.write(batch.bytes)
  }

  private flush(): void {
    const { recipients } = this
    this.recipients = []
    this.start = FrameBatch.empty()
    for (const recipient of recipients) this.flushOne(recipient)
  }
}
