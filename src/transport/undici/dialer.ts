import type { Socket } from 'node:net'
import type { buildConnector } from 'undici/index.js'
import { responsiveDeadline } from '../../time/deadline.js'
import { systemClock } from '../../time/system-clock.js'
import type { UndiciModules } from '../packages.js'

export interface DialerOptions {
  /** The only PEM certificates to trust; default: Node's certificates. */
  readonly ca: string | undefined
  /** Maximum time to connect by TCP and TLS, in ms. */
  readonly connectTimeout: number
}

/** Idle time before TCP sends its first keep-alive probe, in ms. */
const keepAliveDelay = 60_000

/**
 * Opens the sockets of the HTTP requests of one client. Unlike undici's own connector, it returns a socket before it is
 * connected, and closes such sockets too.
 */
export class Dialer {
  private readonly sockets = new Set<Socket>()
  /** Not the clock of the client: sockets connect in real time. */
  private readonly clock = systemClock()
  /** The last TLS session of each origin. Its reuse saves a round trip. */
  private readonly sessions = new Map<string, Buffer>()

  constructor(
    private readonly modules: UndiciModules,
    private readonly options: DialerOptions,
  ) {}

  /** Calls `onResult` once, asynchronously, when the socket is connected or has failed. */
  dial(target: buildConnector.Options, onResult: buildConnector.Callback): Socket {
    const isTls = target.protocol === 'https:'
    const socket = isTls ? this.connectTls(target) : this.modules.net.connect(addressOf(target))
    const { connectTimeout } = this.options
    const timer = responsiveDeadline(this.clock, connectTimeout, () => {
      const message = `no connection to ${target.hostname}:${addressOf(target).port} (timeout: ${connectTimeout}ms)`
      socket.destroy(new this.modules.errors.ConnectTimeoutError(message))
    })
    let hasResult = false
    const settle: buildConnector.Callback = (...result) => {
      timer.unsubscribe()
      if (hasResult) return
      hasResult = true
      onResult(...result)
    }
    this.sockets.add(socket)
    socket.setKeepAlive(true, keepAliveDelay).setNoDelay(true)
    socket.once(isTls ? 'secureConnect' : 'connect', () => settle(null, socket))
    socket.on('error', (error) => settle(error, null))
    socket.once('close', () => {
      this.sockets.delete(socket)
      settle(new Error('the connection was closed'), null)
    })
    return socket
  }

  /** Closes every socket. Resolves when all are closed. */
  async close(): Promise<void> {
    const closed = [...this.sockets].map(
      (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()).destroy()),
    )
    await Promise.all(closed)
  }

  private connectTls(target: buildConnector.Options): Socket {
    const { ca } = this.options
    const { net, tls } = this.modules
    const { hostname, servername } = target
    const address = addressOf(target)
    const origin = `${hostname}:${address.port}`
    const session = this.sessions.get(origin)
    const socket = tls.connect({
      ...address,
      ALPNProtocols: ['http/1.1'],
      // TLS forbids IP addresses as server names.
      servername: servername ?? (net.isIP(hostname) === 0 ? hostname : ''),
      ...(ca === undefined ? {} : { ca }),
      ...(session === undefined ? {} : { session }),
    })
    socket.on('session', (issued) => this.sessions.set(origin, issued))
    return socket
  }
}

const addressOf = ({ hostname, port, protocol }: buildConnector.Options) => ({
  host: hostname,
  port: Number(port) || (protocol === 'https:' ? 443 : 80),
})
