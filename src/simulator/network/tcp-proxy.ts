import { connect, createServer, type Socket } from 'node:net'
import { BehaviorSubject, filter, firstValueFrom, race, Subject, timer } from 'rxjs'
import { integer, numberOption, portOption } from '../../base/option-kinds/number-option.js'
import { checkedOption, required, type OptionTable } from '../../base/option-kinds/option.js'
import { host, listen } from '../listen.js'
import { closeOnce } from '../../base/task/close-once.js'
import { checkValue, parseFields, SimulatorError } from '../simulator-error.js'
import { seedOption } from '../market/random-walk.js'
import { seededRandom, type Random } from '../market/seeded-random.js'

/** A TCP proxy between a client and a service that can inject network faults. */
export interface TcpProxy {
  /** URL of the service through the proxy. */
  readonly url: string
  /** Number of open connections. */
  readonly connections: number
  /**
   * Delays data by `ms` (0 to 60 000), counted from the arrival of each chunk, in order. Does not limit the bandwidth: the
   * delayed data is kept in memory. Throws a `SimulatorError` for other values.
   */
  readonly delay: (ms: number) => void
  /**
   * Limits the bytes that are forwarded in a second, in each direction and over all connections, like a slow link: the
   * sender's data waits in the buffers of the system. `Infinity` removes the limit. Throws a `SimulatorError` for values that
   * are not above 0.
   */
  readonly bytesPerSecond: (limit: number) => void
  /** Closes all connections without a WebSocket close frame. */
  readonly cut: () => void
  /** Resets all connections. */
  readonly reset: () => void
  /**
   * Forwards no data and closes no connection until `heal`. New connections are accepted, and frozen too. With a direction,
   * only data to the service (`up`) or to the client (`down`) is frozen.
   */
  readonly freeze: (direction?: 'up' | 'down') => void
  /** Flips one bit of the next chunk to the service (`up`) or to the client (`down`). */
  readonly corrupt: (direction: 'up' | 'down') => void
  /** Removes all faults. Delayed and frozen data is forwarded immediately. */
  readonly heal: () => void
  /** Closes all connections. Resolves when the port is free. Idempotent. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Options of `startTcpProxy`. */
export interface TcpProxyOptions {
  /** URL of the service, such as a simulator's `priceWsUrl`. The proxy's URL keeps its scheme, path and query. */
  readonly target: string
  /** Port to listen on; 0 picks a free port. Default: 0. */
  readonly port?: number
  /** Number of bytes that are forwarded in a second, in each direction. Default: `Infinity`. */
  readonly bytesPerSecond?: number
  /** Seed that selects the bits that `corrupt` flips. Default: 1. */
  readonly seed?: number
}

/**
 * Starts a TCP proxy on loopback that can delay, cut, reset, freeze and corrupt connections. Rejects with a
 * `SimulatorError` if an option is invalid or the port is in use.
 *
 * @example
 * const network = await startTcpProxy({ target: simulator.priceWsUrl })
 * const client = createClient({ environment: 'mainnet', ...simulator, priceWsUrl: network.url })
 * network.freeze() // the client receives no data, no close frame and no error
 */
export const startTcpProxy = async (options: TcpProxyOptions): Promise<TcpProxy> => {
  const { target, port, seed, bytesPerSecond } = parseFields(proxyTable, options, 'option')
  const url = new URL(target)
  const servicePort = Number(url.port) || defaultPorts[url.protocol]
  if (servicePort === undefined) throw new SimulatorError('target', 'expected a URL with a port')
  const serviceHost = url.hostname.replace(/^\[|\]$/g, '')

  const random = seededRandom(`proxy ${seed}`)
  const clients = new Set<Socket>()
  const up = new Direction(bytesPerSecond, random)
  const down = new Direction(bytesPerSecond, random)
  const directions = { up, down }
  const both = [up, down]
  const heal = (): void => both.forEach((direction) => direction.heal())

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const service = connect({ host: serviceHost, port: servicePort, allowHalfOpen: true, noDelay: true })
    clients.add(client)
    client.on('close', () => clients.delete(client))
    // `forward` detects the destroyed socket.
    client.on('error', () => client.destroy())
    service.on('error', () => service.destroy())
    void up.forward(client, service)
    void down.forward(service, client)
  })
  url.port = String(await listen(server, port, 'port'))
  url.hostname = host

  const { close } = closeOnce(
    () =>
      new Promise((resolve) => {
        heal()
        server.close(() => resolve())
        for (const client of clients) client.destroy()
      }),
  )

  return {
    url: url.href,
    get connections() {
      return clients.size
    },
    delay: (ms) => {
      checkValue('delay', ms, integer(0, 60_000, 'a whole number of ms'))
      for (const each of both) each.delayMs = ms
    },
    bytesPerSecond: (limit) => {
      checkValue('bytesPerSecond', limit, proxyTable.bytesPerSecond)
      for (const each of both) each.bandwidth = new Bandwidth(limit)
    },
    cut: () => {
      for (const client of clients) client.destroy()
    },
    reset: () => {
      for (const client of clients) reset(client)
    },
    freeze: (direction) => {
      for (const each of direction === undefined ? both : [directions[direction]]) each.freeze()
    },
    corrupt: (direction) => {
      directions[direction].isCorrupting = true
    },
    heal,
    close,
    [Symbol.asyncDispose]: close,
  }
}

export const proxyTable = {
  target: required(
    checkedOption<string>('URL', {
      expected: 'a URL with a port',
      holds: (value) => typeof value === 'string' && URL.canParse(value),
    }),
  ),
  port: portOption(),
  bytesPerSecond: numberOption({ above: 0, default: Infinity }),
  seed: seedOption,
} satisfies OptionTable<TcpProxyOptions>

/** The schedule of one direction of a link with a limited bandwidth. */
class Bandwidth {
  /** When the link has forwarded all chunks so far: monotonic, in ms. */
  private freeAt = 0

  constructor(private readonly bytesPerSecond: number) {}

  /** What the link forwards in one slot, in bytes. */
  get maxChunk(): number {
    return Math.max(1, Math.floor((this.bytesPerSecond * slotMs) / 1000))
  }

  /** Returns the time until a chunk has been forwarded, in ms. `now`: monotonic, in ms. */
  reserve(size: number, now: number): number {
    // A late timer must not reduce the bandwidth.
    this.freeAt = Math.max(this.freeAt, now - slotMs) + (1000 * size) / this.bytesPerSecond
    return this.freeAt - now
  }
}

/** Interval at which a slow link forwards a chunk, in ms. */
const slotMs = 10

const defaultPorts: Readonly<Partial<Record<string, number>>> = {
  'http:': 80,
  'ws:': 80,
  'https:': 443,
  'wss:': 443,
}

/** The data to the service, or the data to the client, of all connections. */
class Direction {
  delayMs = 0
  isCorrupting = false
  bandwidth: Bandwidth
  private readonly isFrozen$ = new BehaviorSubject(false)
  /** Ends the delays and the transmissions that are under way. */
  private readonly healed$ = new Subject<void>()

  constructor(
    bytesPerSecond: number,
    private readonly random: Random,
  ) {
    this.bandwidth = new Bandwidth(bytesPerSecond)
  }

  freeze(): void {
    this.isFrozen$.next(true)
  }

  heal(): void {
    this.delayMs = 0
    this.isCorrupting = false
    this.bandwidth = new Bandwidth(Infinity)
    this.healed$.next()
    this.isFrozen$.next(false)
  }

  /** Forwards the data of one socket to another one, in order and with backpressure. */
  async forward(from: Socket, to: Socket): Promise<void> {
    let delivered = Promise.resolve()
    let hasRoom = Promise.resolve()
    /** Delivers what arrives now when its delay is over, behind what arrived before. */
    const deliver = (write: () => void): void => {
      delivered = Promise.all([this.wait(this.delayMs), delivered])
        .then(() => Promise.all([this.whenOpen(), hasRoom]))
        .then(write)
    }
    const writeChunk = (chunk: Buffer): void => {
      if (!to.destroyed && !to.write(this.transformed(chunk))) hasRoom = drained(to)
    }
    const reads = from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
    try {
      for await (const read of reads) {
        for (let start = 0; start < read.length;) {
          const chunk = read.subarray(start, start + this.bandwidth.maxChunk)
          start += chunk.length
          // The sender's data waits in the buffers of the system, and not here.
          await Promise.all([this.whenOpen(), hasRoom])
          // The data of a closed connection uses no bandwidth.
          if (to.destroyed) break
          await this.wait(this.bandwidth.reserve(chunk.length, performance.now()))
          deliver(() => writeChunk(chunk))
        }
      }
      deliver(() => to.end())
    } catch (error) {
      // A socket was closed without a FIN. Close the other one in the same way.
      deliver(() => (isPrematureClose(error) ? to.destroy() : reset(to)))
    }
  }

  private async wait(ms: number): Promise<void> {
    if (ms > 0) await firstValueFrom(race(timer(ms), this.healed$))
  }

  private whenOpen(): Promise<boolean> {
    return firstValueFrom(this.isFrozen$.pipe(filter((isFrozen) => !isFrozen)))
  }

  private transformed(chunk: Buffer): Buffer {
    if (!this.isCorrupting) return chunk
    this.isCorrupting = false
    const corrupted = Buffer.from(chunk)
    const index = Math.floor(this.random() * corrupted.length)
    corrupted.writeUInt8(corrupted.readUInt8(index) ^ (1 << Math.floor(this.random() * 8)), index)
    return corrupted
  }
}

/** Resolves when a socket accepts data again or is closed. Leaves no listener: a slow reader causes many of these waits. */
const drained = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const settle = (): void => {
      socket.off('drain', settle).off('close', settle)
      resolve()
    }
    socket.on('drain', settle).on('close', settle)
  })

/** Closes a connection with an RST. Node never closes a socket that is reset after `end()`. */
const reset = (socket: Socket): void => {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

/** True if the socket was destroyed locally, and not reset or refused by its peer. */
const isPrematureClose = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
