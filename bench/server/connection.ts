import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { closeFrame, createFrameReader, opcodes, pongFrame, textFrame } from './frames.js'
import { poolOf, slicesOf, sumOf, type Pool } from './pool.js'
import { protocols, type Protocol, type Subscription } from './protocols.js'
import { readUpgrade } from './upgrade.js'

const framesPerSlice = 4_000

/** The clock that all processes of a machine share, in ms. */
const now = (): number => {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1e3 + nanoseconds / 1e6
}

/** One client. It is sent frames as fast as it takes them, or at a rate; the bytes are made before. */
export class Connection {
  private readonly subscriptions: Subscription[] = []
  private readonly floorTopics: readonly string[]
  private protocol: Protocol | undefined
  private pool: Pool | undefined

  constructor(
    private readonly socket: Socket,
    floorTopics: readonly string[],
  ) {
    this.floorTopics = floorTopics
    socket.setNoDelay(true)
    socket.on('error', () => socket.destroy())
    void this.serve()
  }

  get subscribed(): number {
    return this.subscriptions.length
  }

  get open(): boolean {
    return this.protocol !== undefined
  }

  /** Makes the bytes: for what was subscribed to, or for all topics where nothing was. */
  prepare(): { readonly meanFrameBytes: number } {
    const { protocol } = this
    if (protocol === undefined) throw new Error('not open')
    const all = this.floorTopics.map((topic) => ({ topic, id: topic }))
    this.pool = poolOf(protocol, this.subscriptions.length === 0 ? all : this.subscriptions)
    return { meanFrameBytes: this.pool.bytes.length / (this.pool.offsets.length - 1) }
  }

  async burst(
    frames: number,
    subscribers: number,
  ): Promise<{ readonly count: number; readonly sum: number }> {
    if (this.pool === undefined) throw new Error('not prepared')
    for (const slice of slicesOf(this.pool, frames, framesPerSlice)) {
      if (!this.socket.write(slice)) await once(this.socket, 'drain')
    }
    return { count: frames * subscribers, sum: sumOf(frames, subscribers) }
  }

  /** Sends frames at a rate, evenly, each with the time of its sending as its price. */
  async pace(frames: number, perMs: number): Promise<{ readonly count: number }> {
    const { protocol, subscriptions } = this
    if (protocol === undefined) throw new Error('not open')
    const began = now()
    for (let sent = 0; sent < frames;) {
      // Spinning, because a timer is far too coarse; a turn each time, because the socket needs it.
      await turn()
      const due = Math.min(frames, Math.floor((now() - began) * perMs))
      const batch: Buffer[] = []
      for (; sent < due; sent += 1) {
        const subscription = subscriptions[sent % subscriptions.length]
        if (subscription === undefined) throw new Error('nobody has subscribed')
        batch.push(textFrame(protocol.price(subscription, now().toFixed(6))))
      }
      if (batch.length > 0) this.socket.write(Buffer.concat(batch))
    }
    return { count: frames }
  }

  private async serve(): Promise<void> {
    const [head] = (await once(this.socket, 'data')) as [Buffer]
    const { path, answer } = readUpgrade(head.toString('latin1'))
    const protocol = protocols[path]
    if (protocol === undefined) throw new Error(`nothing is at ${path}`)
    const read = createFrameReader()
    this.socket.on('data', (bytes: Buffer) => {
      for (const { opcode, payload } of read(bytes)) {
        if (opcode === opcodes.ping) this.socket.write(pongFrame(payload))
        else if (opcode === opcodes.close) this.socket.end(closeFrame(payload))
        else if (opcode === opcodes.text) this.receive(protocol, payload.toString())
      }
    })
    this.socket.write(answer)
    this.protocol = protocol
  }

  private receive(protocol: Protocol, text: string): void {
    protocol.receive(text, {
      reply: (message) => this.socket.write(textFrame(JSON.stringify(message))),
      subscribed: (subscription) => this.subscriptions.push(subscription),
    })
  }
}
