import type { TextFrame } from './text-frame.js'

/** A connection to which frames are sent. */
export interface Recipient {
  /** The frames since the last `write`; `undefined` if there are none. Set by the outbox. */
  batch: FrameBatch | undefined
  readonly write: (bytes: Uint8Array) => void
}

/** Collects the frames of one tick, and then writes them once to each connection. */
export class Outbox {
  private start = new FrameBatch()
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
    this.start = new FrameBatch()
    for (const recipient of recipients) this.flushOne(recipient)
  }
}

/** A sequence of frames, whose bytes are built once for all connections that get it within a tick. */
export class FrameBatch {
  private lastChild: FrameBatch | undefined
  /** The sequences that continue this one, by their last frame; absent while there is only one. */
  private children: Map<TextFrame, FrameBatch> | undefined
  private encoded: Buffer | undefined

  /** In bytes. */
  readonly length: number

  constructor(
    private readonly frame: TextFrame = '',
    private readonly previous?: FrameBatch,
  ) {
    this.length = frame.length + (previous?.length ?? 0)
  }

  /** The sequence with one more frame: the same object for the same frame. */
  with(frame: TextFrame): FrameBatch {
    const { lastChild } = this
    if (lastChild?.frame === frame) return lastChild
    const child = this.children?.get(frame) ?? new FrameBatch(frame, this)
    if (lastChild !== undefined) this.children ??= new Map([[lastChild.frame, lastChild]])
    this.children?.set(frame, child)
    this.lastChild = child
    return child
  }

  get bytes(): Buffer {
    this.encoded ??= Buffer.from(this.frames.join(''), 'latin1')
    return this.encoded
  }

  private get frames(): readonly TextFrame[] {
    const frames = [this.frame]
    for (let each = this.previous; each !== undefined; each = each.previous) frames.push(each.frame)
    return frames.reverse()
  }
}
