/// <reference lib="esnext.disposable" preserve="true" />
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { checkFields, checkValue, integer, portCheck, type Checks } from '../check.js'
import { seedCheck } from '../market/random-walk.js'
import { seededRandom } from '../market/random.js'
import { host, listen } from '../service/listen.js'
import { SimulatorError } from '../simulator-error.js'
import { link, reset } from './tcp-link.js'

/** A network between a client and a service, on request a bad one. */
export interface TcpProxy {
  /** The service's address by way of the proxy. */
  readonly url: string
  /** How many connections it carries now. */
  readonly connections: number
  /** From now on each piece of data arrives so much later, in ms, and those behind it wait for it; 0: at once. */
  readonly delay: (ms: number) => void
  /** Ends all connections, without a WebSocket's close frame. */
  readonly cut: () => void
  /** Resets all connections. */
  readonly reset: () => void
  /** Carries nothing and ends nothing until it heals; new connections are accepted, and as deaf. */
  readonly freeze: () => void
  /** Flips a bit of the data that goes to the service (`up`) or comes from it (`down`) next. */
  readonly corrupt: (direction: 'up' | 'down') => void
  /** From now on all is well: nothing is late or corrupted, and what was frozen goes on where it was. */
  readonly heal: () => void
  /** Ends everything; resolves when the port is free. Idempotent. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

export interface TcpProxyOptions {
  /** The service's address, such as a simulator's `priceWsUrl`. Its scheme, path and query stay in the proxy's own. */
  readonly target: string
  /** The port to listen on. Default: 0, any free one. */
  readonly port?: number
  /** What decides which bits are flipped. Default: 1. */
  readonly seed?: number
}

/**
 * Starts a TCP proxy on loopback that delays, cuts, resets, freezes and corrupts when told to. Rejects with a
 * `SimulatorError` where an option is bad or the port taken.
 *
 * @example
 * const network = await startTcpProxy({ target: simulator.priceWsUrl })
 * const client = createClient({ environment: 'mainnet', ...simulator, priceWsUrl: network.url })
 * network.freeze() // and no close frame, no error, nothing
 */
export const startTcpProxy = async (options: TcpProxyOptions): Promise<TcpProxy> => {
  checkFields(options, optionChecks, 'option')
  const { target, port = 0, seed = 1 } = options
  checkValue('target', target, optionChecks.target)
  const url = new URL(target)
  const servicePort = Number(url.port) || defaultPorts[url.protocol]
  if (servicePort === undefined) throw new SimulatorError('target', 'expected an address with a port')
  const serviceHost = url.hostname.replace(/^\[|\]$/g, '')

  const random = seededRandom(`proxy ${seed}`)
  const clients = new Set<Socket>()
  const toCorrupt = { up: false, down: false }
  let lateBy = 0
  let healed = new AbortController()
  let thawed = Promise.resolve()
  let thaw = (): void => undefined

  const passage = async (): Promise<void> => {
    // When it heals, what is late has been late enough.
    if (lateBy > 0) await wait(lateBy, undefined, { signal: healed.signal }).catch(() => undefined)
    await thawed
  }
  const mangled = (data: Buffer, direction: 'up' | 'down'): Buffer => {
    if (!toCorrupt[direction]) return data
    toCorrupt[direction] = false
    const corrupted = Buffer.from(data)
    const at = Math.floor(random() * corrupted.length)
    corrupted.writeUInt8(corrupted.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at)
    return corrupted
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const service = connect({ host: serviceHost, port: servicePort, allowHalfOpen: true, noDelay: true })
    clients.add(client)
    client.on('close', () => clients.delete(client))
    // What has failed is gone, which its link finds out.
    client.on('error', () => client.destroy())
    service.on('error', () => service.destroy())
    link(client, service, { passage, mangled })
  })
  url.port = String(await listen(server, port, 'port'))
  url.hostname = host

  const close = (): Promise<void> =>
    new Promise((resolve) => {
      healed.abort()
      thaw()
      server.close(() => resolve())
      for (const client of clients) client.destroy()
    })

  return {
    url: url.href,
    get connections() {
      return clients.size
    },
    delay: (ms) => {
      checkValue('delay', ms, integer(0, 60_000, 'a whole number of ms'))
      lateBy = ms
    },
    cut: () => {
      for (const client of clients) client.destroy()
    },
    reset: () => {
      for (const client of clients) reset(client)
    },
    freeze: () => {
      thaw()
      thawed = new Promise((resolve) => (thaw = resolve))
    },
    corrupt: (direction) => {
      toCorrupt[direction] = true
    },
    heal: () => {
      lateBy = 0
      healed.abort()
      healed = new AbortController()
      toCorrupt.up = toCorrupt.down = false
      thaw()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

const optionChecks: Checks<TcpProxyOptions> = {
  target: {
    expected: 'the address of a service',
    holds: (value) => typeof value === 'string' && URL.canParse(value),
  },
  port: portCheck,
  seed: seedCheck,
}

const defaultPorts: Readonly<Partial<Record<string, number>>> = {
  'http:': 80,
  'ws:': 80,
  'https:': 443,
  'wss:': 443,
}
