import {
  startNatsMessageProxy,
  type NatsMessage,
  type NatsMessageProxy,
} from '../../../../support/nats/message-proxy.js'

type Direction = NatsMessage['direction']

/** `renewal`: of a lease, or the reply to it. They are frequent. `other`: subscribe, confirmation and so on. */
type MessageKind = 'price' | 'renewal' | 'other'

/** A fault of one message. */
export interface MessageFault {
  readonly direction: Direction
  /** Applies to the next message of this kind. */
  readonly of: MessageKind
  /** `swap`: the message comes after the one that follows it. */
  readonly kind: 'lose' | 'repeat' | 'swap'
}

/** The connection of one gateway or consumer to NATS, with faults for its next messages. */
export class FaultyLink {
  private faults: MessageFault[] = []
  /** The swapped message of each direction, until the next one has passed. */
  private readonly swapped = new Map<Direction, () => void>()
  /** The messages of each direction that is delayed, in order. */
  private readonly delayed = new Map<Direction, (() => void)[]>()

  private constructor(private readonly proxy: NatsMessageProxy) {
    proxy.alter = (message) => {
      this.pass(message)
      return []
    }
  }

  static async start(onFinished: (release: () => void) => void, target: string): Promise<FaultyLink> {
    return new FaultyLink(await startNatsMessageProxy(onFinished, target))
  }

  get url(): string {
    return this.proxy.url
  }

  add(fault: MessageFault): void {
    this.faults.push(fault)
  }

  /** Delays all messages of a direction, which stay in order. Those that are delayed already are sent first. */
  delay(direction: Direction, ms: number): void {
    this.endDelay(direction)
    const messages: (() => void)[] = []
    this.delayed.set(direction, messages)
    setTimeout(() => {
      if (this.delayed.get(direction) === messages) this.endDelay(direction)
    }, ms)
  }

  dropConnections(): void {
    this.heal()
    this.proxy.dropConnections()
  }

  /** Ends all faults. */
  heal(): void {
    this.faults = []
    this.endDelay('up')
    this.endDelay('down')
    for (const forward of this.swapped.values()) forward()
    this.swapped.clear()
  }

  private pass(message: NatsMessage): void {
    const { direction, bytes } = message
    const forward = (): void => message.forward(bytes)
    const fault = this.takeFault(message)
    if (fault?.kind === 'lose') return
    if (fault?.kind === 'swap' && !this.swapped.has(direction)) {
      this.swapped.set(direction, forward)
      return
    }
    this.send(direction, forward)
    if (fault?.kind === 'repeat') this.send(direction, forward)
    const before = this.swapped.get(direction)
    this.swapped.delete(direction)
    if (before !== undefined) this.send(direction, before)
  }

  private takeFault(message: NatsMessage): MessageFault | undefined {
    const { direction } = message
    const kind = kindOf(message)
    const index = this.faults.findIndex((fault) => fault.direction === direction && fault.of === kind)
    return index < 0 ? undefined : this.faults.splice(index, 1)[0]
  }

  private send(direction: Direction, forward: () => void): void {
    const delayed = this.delayed.get(direction)
    if (delayed === undefined) forward()
    else delayed.push(forward)
  }

  private endDelay(direction: Direction): void {
    for (const forward of this.delayed.get(direction) ?? []) forward()
    this.delayed.delete(direction)
  }
}

const kindOf = ({ subject, payload }: NatsMessage): MessageKind => {
  if (subject.startsWith('svc.price.')) return 'price'
  return payload.includes('"type":"renew') ? 'renewal' : 'other'
}
