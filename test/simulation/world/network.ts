import type { SimulatedProcess } from './process.js'
import type { World } from './world.js'

/** `up`: from a client to a service. */
export type Direction = 'up' | 'down'

/** The bytes that the kernels of both ends take before the sender has to wait. */
const kernelBuffer = 65_536

/** The size of a packet without data, in bytes. */
const packetBytes = 60

/** A machine. Its kernel answers for processes that are gone, unless it is off. */
export interface Host {
  /** The process that listens, if there is one. */
  process: SimulatedProcess | undefined
  isOn: boolean
}

/** The network between one client and a service. The faults of a network are its fields and methods. */
export class Link {
  /** One way, in ms. */
  latency = 5
  /** The longest additional delay of a packet, in ms. Packets stay in order. */
  jitter = 0
  private bytesPerMs = Infinity
  /** Connections are reset, and dials fail. */
  private isDown = false
  /** The process of the client can open no further socket. */
  hasNoDescriptors = false
  private readonly blocked: Record<Direction, boolean> = { up: false, down: false }
  private readonly waiting: Record<Direction, (() => void)[]> = { up: [], down: [] }
  private readonly queued: Record<Direction, Packet[]> = { up: [], down: [] }
  readonly connections = new Set<Connection>()

  constructor(private readonly world: World) {}

  /** Packets of a direction arrive only after `unblock`: TCP repeats them. */
  block(direction: Direction): void {
    this.blocked[direction] = true
  }

  unblock(direction: Direction): void {
    this.blocked[direction] = false
    const waiting = this.waiting[direction]
    this.waiting[direction] = []
    for (const arrive of waiting) arrive()
  }

  cut(): void {
    this.isDown = true
    for (const connection of [...this.connections]) connection.reset()
  }

  restore(): void {
    this.isDown = false
  }

  /** `Infinity`: what waits for its transmission is transmitted at once. */
  setSpeed(bytesPerMs: number): void {
    this.bytesPerMs = bytesPerMs
    if (bytesPerMs !== Infinity) return
    for (const direction of ['up', 'down'] as const)
      for (const packet of this.queued[direction].splice(0))
        if (packet.isNeeded()) this.fly(direction, packet)
  }

  /** Transmits a packet. Packets with the same `series` arrive in order. */
  carry(direction: Direction, packet: Packet): void {
    const queue = this.queued[direction]
    if (this.bytesPerMs === Infinity && queue.length === 0) return this.fly(direction, packet)
    queue.push(packet)
    if (queue.length === 1) this.transmit(direction)
  }

  /** Transmits the first packet of the queue, then the next one. */
  private transmit(direction: Direction): void {
    const queue = this.queued[direction]
    while (queue[0]?.isNeeded() === false) queue.shift()
    const [packet] = queue
    if (packet === undefined) return
    this.world.at(this.world.now + packet.bytes / this.bytesPerMs, () => {
      // The link has become quick meanwhile.
      if (queue[0] !== packet) return
      queue.shift()
      this.fly(direction, packet)
      this.transmit(direction)
    })
  }

  private fly(direction: Direction, { sentAt, series, arrive }: Packet): void {
    const delay = this.latency + (this.jitter === 0 ? 0 : this.world.between(0, this.jitter))
    series.lastArrival = Math.max(Math.max(sentAt, this.world.now) + delay, series.lastArrival)
    this.world.at(series.lastArrival, () => {
      if (this.blocked[direction]) this.waiting[direction].push(arrive)
      else arrive()
    })
  }

  /** Connects a process to a host. Calls `onResult` in the process: with the connection, or with why there is none. */
  connect(client: SimulatedProcess, host: Host, onResult: (result: Connection | string) => void): void {
    const packet = (sentAt: number, arrive: () => void): Packet => ({
      ...{ bytes: packetBytes, sentAt, arrive, isNeeded: always, series: { lastArrival: 0 } },
    })
    const answer = (result: Connection | string): void => {
      const arrive = (): void => client.receive({}, () => onResult(result))
      this.carry('down', packet(this.world.now, arrive))
    }
    if (this.hasNoDescriptors) return client.receive({}, () => onResult('connect EMFILE'))
    if (this.isDown) return answer('connect ENETUNREACH')
    const onRequest = (): void => {
      const { process, isOn } = host
      if (!isOn) return
      const isRefused = process === undefined || process.isDead
      answer(isRefused ? 'connect ECONNREFUSED' : new Connection(this, client, process, host))
    }
    this.carry('up', packet(client.now, onRequest))
  }
}

interface Packet {
  readonly bytes: number
  /** In ms: later than now if the sender blocks its event loop. */
  readonly sentAt: number
  readonly series: { lastArrival: number }
  readonly arrive: () => void
  /** False once its connection is closed. */
  readonly isNeeded: () => boolean
}

const always = (): boolean => true

/** A TCP connection. */
export class Connection {
  readonly up: Pipe
  readonly down: Pipe
  isOpen = true

  constructor(
    readonly link: Link,
    readonly client: SimulatedProcess,
    readonly server: SimulatedProcess,
    host: Host,
  ) {
    this.up = new Pipe(this, 'up', client, server, () => host.isOn)
    this.down = new Pipe(this, 'down', server, client, () => true)
    link.connections.add(this)
  }

  /** Called in its process when the other end has ended the connection. Set by each end. */
  onEnd: Record<'client' | 'server', () => void> = { client: () => undefined, server: () => undefined }

  /** One end closes the socket, or its process dies. The other end notices after all data before. */
  end(by: 'client' | 'server'): void {
    if (!this.isOpen) return
    const isClient = by === 'client'
    const pipe = isClient ? this.up : this.down
    this.onEnd[by] = () => undefined
    const other = isClient ? 'server' : 'client'
    pipe.send(0, () => this.ended(other))
    const reverse = isClient ? this.down : this.up
    reverse.discard()
  }

  /** Both ends notice at once. */
  reset(): void {
    if (!this.isOpen) return
    this.close()
    this.client.receive({}, () => this.onEnd.client())
    this.server.receive({}, () => this.onEnd.server())
  }

  private ended(end: 'client' | 'server'): void {
    this.close()
    this.onEnd[end]()
  }

  private close(): void {
    this.isOpen = false
    this.up.discard()
    this.down.discard()
    this.link.connections.delete(this)
  }
}

interface Message {
  readonly bytes: number
  /** Called in the receiving process. */
  readonly read: () => void
}

/** One direction of a connection. */
export class Pipe {
  /** What the kernel has not taken. */
  private unsent: Message[] = []
  unsentBytes = 0
  private kernelBytes = 0
  lastArrival = 0
  private isDiscarded = false

  constructor(
    private readonly connection: Connection,
    private readonly direction: Direction,
    private readonly sender: SimulatedProcess,
    private readonly receiver: SimulatedProcess,
    private readonly isReceiverOn: () => boolean,
  ) {}

  send(bytes: number, read: () => void): void {
    if (this.isDiscarded) return
    this.unsent.push({ bytes, read })
    this.unsentBytes += bytes
    this.pump()
  }

  discard(): void {
    this.isDiscarded = true
    this.unsent = []
    this.unsentBytes = 0
  }

  private pump(): void {
    for (let next = this.unsent[0]; next !== undefined; next = this.unsent[0]) {
      if (this.kernelBytes > 0 && this.kernelBytes + next.bytes > kernelBuffer) return
      this.unsent.shift()
      this.unsentBytes -= next.bytes
      this.kernelBytes += next.bytes
      const message = next
      this.connection.link.carry(this.direction, {
        bytes: message.bytes,
        sentAt: this.sender.now,
        series: this,
        arrive: () => this.arrive(message),
        isNeeded: () => !this.isDiscarded,
      })
    }
  }

  private arrive(message: Message): void {
    if (this.isDiscarded) return
    if (this.receiver.isDead) {
      // A machine that is on again does not know the connection.
      if (this.isReceiverOn()) this.connection.reset()
      return
    }
    this.receiver.receive(this, () => {
      if (this.isDiscarded) return
      this.kernelBytes -= message.bytes
      this.pump()
      message.read()
    })
  }
}
