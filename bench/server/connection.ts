import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { framePoolOf, slicesOf, sumOf, type FramePool } from './frame-pool.js'
import { closeFrame, createFrameReader, opcodes, pongFrame, textFrame } from './frames.js'
import { protocols, type Protocol, type Subscription } from './protocols.js'
import { readUpgrade } from './upgrade.js'

const framesPerSlice = 4_000

/** A clock that all processes of a machine share, in ms. */
const now = (): number => {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1e3 + nanoseconds / 1e6
}

/** The connection of one client. Sends prepared frames as fast as the client reads them, or frames at a rate. */
export class Connection {
  private readonly subscriptions: Subscription[] = []
  private protocol: Protocol | undefined
  private pool: FramePool | undefined

  constructor(
    private readonly socket: Socket,
    /** Used if the client does not subscribe, as the lower bounds. */
    private readonly defaultTopics: readonly string[],
  ) {
    socket.setNoDelay(true)
    socket.on('error', () => socket.destroy())
    // Otherwise a write that waits for a drain would wait without end.
    socket.on('close', () => socket.emit('drain'))
    void this.serve()
  }

  get subscriptionCount(): number {
    return this.subscriptions.length
  }

  get open(): boolean {
    return this.protocol !== undefined
  }

  /** Prepares the frames of bursts: prices of the first `topics` topics. */
  prepareFrames(topics = Infinity): { readonly meanFrameBytes: number } {
    const { protocol } = this
    if (protocol === undefined) throw new Error('not open')
    const defaults = this.defaultTopics.map((topic) => ({ topic, id: topic }))
    const all = this.subscriptions.length === 0 ? defaults : this.subscriptions
    this.pool = framePoolOf(protocol, all.slice(0, topics))
    return { meanFrameBytes: this.pool.bytes.length / (this.pool.offsets.length - 1) }
  }

  async sendBurst(
    frames: number,
    subscribers: number,
  ): Promise<{ readonly count: number; readonly sum: number }> {
    if (this.pool === undefined) throw new Error('not prepared')
    for (const slice of slicesOf(this.pool, frames, framesPerSlice)) {
      if (!this.socket.write(slice)) await once(this.socket, 'drain')
    }
    return { count: frames * subscribers, sum: sumOf(frames, subscribers) }
  }

  /** Sends frames at a constant rate. The price of each frame is the time at which it is sent. */
  async sendAtRate(frames: number, perMs: number): Promise<{ readonly count: number }> {
    const { protocol, subscriptions } = this
    if (protocol === undefined) throw new Error('not open')
    const start = now()
    for (let sent = 0; sent < frames;) {
      // Polls the clock in each turn, because timers are too coarse.
      await nextTurn()
      const due = Math.min(frames, Math.floor((now() - start) * perMs))
      const batch: Buffer[] = []
      for (; sent < due; sent += 1) {
        const subscription = subscriptions[sent % subscriptions.length]
        if (subscription === undefined) throw new Error('no subscription')
        batch.push(textFrame(protocol.price(subscription, now().toFixed(6))))
      }
      if (batch.length > 0) this.socket.write(Buffer.concat(batch))
    }
    return { count: frames }
  }

  /** Sends one price of each topic per tick, in one write. Ticks that are late follow at once. */
  async sendTicks(ticks: number, tickMs: number): Promise<{ readonly count: number }> {
    const { protocol, subscriptions } = this
    if (protocol === undefined) throw new Error('not open')
    const prepared = Array.from({ length: 100 }, (_, index) =>
      Buffer.concat(subscriptions.map((each) => textFrame(protocol.price(each, `${2_000 + index / 100}`)))),
    )
    const start = now()
    for (let sent = 0; sent < ticks;) {
      const due = Math.min(ticks, Math.floor((now() - start) / tickMs))
      for (; sent < due; sent += 1) {
        if (!this.socket.writable) throw new Error('the client has closed its connection')
        const bytes = prepared[sent % prepared.length]
        if (bytes !== undefined && !this.socket.write(bytes)) await once(this.socket, 'drain')
      }
      await sleep(1)
    }
    return { count: ticks * subscriptions.length }
  }

  private async serve(): Promise<void> {
    const [head] = (await once(this.socket, 'data')) as [Buffer]
    const { path, response } = readUpgrade(head.toString('latin1'))
    const protocol = protocols[path]
    if (protocol === undefined) throw new Error(`no protocol at ${path}`)
    const read = createFrameReader()
    this.socket.on('data', (bytes: Buffer) => {
      for (const { opcode, payload } of read(bytes)) {
        if (opcode === opcodes.ping) this.socket.write(pongFrame(payload))
        else if (opcode === opcodes.close) this.socket.end(closeFrame(payload))
        else if (opcode === opcodes.text) this.receive(protocol, payload.toString())
      }
    })
    this.socket.write(response)
    this.protocol = protocol
  }

  private receive(protocol: Protocol, text: string): void {
    protocol.receive(text, {
      reply: (message) => this.socket.write(textFrame(JSON.stringify(message))),
      subscribed: (subscription) => this.subscriptions.push(subscription),
    })
  }
}
