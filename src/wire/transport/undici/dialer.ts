import net, { type Socket, type TcpNetConnectOpts } from 'node:net'
import tls from 'node:tls'
import { left, type Either } from 'fp-ts/lib/Either.js'
import type { buildConnector } from 'undici/index.js'
import { responsiveDeadline } from '../../../base/time/responsive-deadlines.js'
import { systemClock } from '../../../base/time/system-clock.js'
import { dialHost } from '../dial-host.js'
import type { UndiciPackage } from '../packages.js'
import type { HttpTransportOptions } from '../ports.js'

/** Cancels a dial that has no result yet: `reason` becomes its result. */
export type CancelDial = (reason: Error) => void

/** Idle time before TCP sends its first keep-alive probe, in ms. */
const keepAliveDelay = 60_000

/** Opens the sockets of the HTTP requests of one client. Unlike undici's own connector, it cancels dials too. */
export class Dialer {
  private readonly sockets = new Set<Socket>()
  private readonly cancels = new Set<CancelDial>()
  /** Not the clock of the client: sockets connect in real time. */
  private readonly clock = systemClock()
  /** The last TLS session of each origin. Its reuse saves a round trip. */
  private readonly sessions = new Map<string, Buffer>()

  constructor(
    private readonly undici: UndiciPackage,
    private readonly options: Pick<HttpTransportOptions, 'ca' | 'connectTimeout'>,
  ) {}

  /** Calls `onResult` once, asynchronously, when the socket is connected, has failed or was cancelled. */
  dial(target: buildConnector.Options, onResult: (result: Either<Error, Socket>) => void): CancelDial {
    const { hostname, protocol } = target
    const { connectTimeout } = this.options
    const timer = responsiveDeadline(this.clock, connectTimeout, () => {
      const message = `no connection to ${hostname}:${portOf(target)} (timeout: ${connectTimeout}ms)`
      cancel(new this.undici.errors.ConnectTimeoutError(message))
    })
    const settle = (result: Either<Error, Socket>): void => {
      timer.unsubscribe()
      if (this.cancels.delete(cancel)) onResult(result)
    }
    const open = (address: string): Socket => this.open(target, address)
    const readyEvent = protocol === 'https:' ? 'secureConnect' : 'connect'
    const cancelAttempts = dialHost(hostname, open, readyEvent, settle)
    const cancel: CancelDial = (reason) => {
      cancelAttempts()
      void Promise.resolve(left(reason)).then(settle)
    }
    this.cancels.add(cancel)
    return cancel
  }

  /** Closes every socket. Resolves when all are closed. */
  async close(): Promise<void> {
    for (const cancel of this.cancels) cancel(new Error('the connection was closed'))
    const closed = [...this.sockets].map(
      (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()).destroy()),
    )
    await Promise.all(closed)
  }

  private open(target: buildConnector.Options, host: string): Socket {
    const address = { host, port: portOf(target) }
    const isTls = target.protocol === 'https:'
    const socket = isTls ? this.connectTls(target, address) : net.connect(address)
    this.sockets.add(socket)
    socket.setKeepAlive(true, keepAliveDelay).setNoDelay(true)
    return socket.once('close', () => this.sockets.delete(socket))
  }

  private connectTls(target: buildConnector.Options, address: TcpNetConnectOpts): Socket {
    const { ca } = this.options
    const { hostname, servername } = target
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

const portOf = ({ port, protocol }: buildConnector.Options): number =>
  Number(port) || (protocol === 'https:' ? 443 : 80)
