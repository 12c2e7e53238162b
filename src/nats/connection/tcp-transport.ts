import {
  checkOptions,
  connect,
  setTransportFactory,
  type ConnectionOptions,
  type NatsConnection,
  type NodeConnectionOptions,
  type Server,
  type ServerInfo,
  type Transport,
} from '@nats-io/transport-node'
import { isLeft } from 'fp-ts/lib/Either.js'
import dns from 'node:dns'
import { readFile } from 'node:fs/promises'
import net from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls, type ConnectionOptions as TlsConnectOptions } from 'node:tls'
import { noCancel, type Cancel } from '../../base/task/cancellable-task.js'
import type { Clock } from '../../base/time/clock.js'
import { delay } from '../../base/time/deadline.js'
import { deferred } from '../../base/task/deferred.js'
import { dialHost } from '../../wire/transport/dial-host.js'
import { protocolVersion } from '../subjects.js'

/** Opens a TCP socket without Nagle's delay. It emits `connect`. */
export type OpenTcpSocket = (port: number, host: string) => Duplex

export const openTcpSocket: OpenTcpSocket = (port, host) => net.connect(port, host).setNoDelay(true)

/** The dials of one connection to NATS. The NATS client passes its options, and with them this object, to each transport. */
export interface Dials {
  readonly openSocket: OpenTcpSocket
  readonly clock: Clock
  /** Called with the failure of each dial, and with that of the open connection. */
  readonly onError: (error: unknown) => void
  /** The transport that was dialled last, and its server. */
  transport?: Transport
  server?: string | undefined
  /** When the last dial of each server failed, or its connection ended: monotonic, in ms. */
  readonly endedAt: Map<string, number>
  /** True if there is more than one server. */
  hasOthers: boolean
  /** True if there are to be no more dials. */
  isEnded: boolean
}

interface TransportOptions extends NodeConnectionOptions {
  /** Absent for other connections of the program. */
  readonly dials?: Dials
}

const closedText = 'the connection was closed'

/** The time between the end of a connection to a server, and the next dial of this server, in ms. */
export const retryTime = 250

/**
 * Connects by the NATS client, which dials the servers in turn until one accepts, and again after each loss, without limit.
 * Rejects if `dials` has ended, or if an authenticator throws.
 */
export const connectNats = (options: NodeConnectionOptions, dials: Dials): Promise<NatsConnection> => {
  const all: TransportOptions = {
    ...options,
    ...{ waitOnFirstConnect: true, maxReconnectAttempts: -1, ignoreAuthErrorAbort: true },
    // `dialHost` resolves names.
    resolve: false,
    reconnectDelayHandler: () => {
      if (dials.isEnded) throw new Error(closedText)
      // A process has one factory, which each `connect` and `wsconnect` of the program sets.
      setTransportFactory(tcp)
      // The NATS client compares times of day, which may be set back: the transport waits instead.
      return -Infinity
    },
    dials,
  }
  const connecting = connect(all)
  setTransportFactory(tcp)
  return connecting
}

const tcp = { factory: (): Transport => new TcpTransport() }

/**
 * A TCP or TLS connection of the NATS client, like that of `@nats-io/transport-node`. There, the socket remains open after a
 * dial that times out, or during which the connection is closed. Here, `close` and `discard` destroy the socket at any time:
 * before the server accepts, while it sends nothing, and while it reads nothing.
 */
class TcpTransport implements Transport {
  /** The monitoring of NATS shows name and version. */
  readonly lang = 'svc-streams'
  readonly version = String(protocolVersion)
  closeError?: Error
  isClosed = false
  private dials: Dials | undefined
  /** The server that is dialled. */
  private server: string | undefined
  private cancelDial: Cancel = noCancel
  private isConnected = false
  private isSecure = false
  /** Below TLS: destroying it ends both. */
  private tcpSocket: Duplex | undefined
  private socket: Duplex | undefined
  private chunks: Uint8Array[] = []
  private arrival = deferred<undefined>()
  private readonly closing = deferred<Error | undefined>()

  async connect(server: Server, options: ConnectionOptions): Promise<void> {
    const { tls, dials, ignoreClusterUpdates = false } = options as TransportOptions
    this.dials = dials
    if (dials !== undefined) await this.waitForTurn(server, dials)
    const openSocket = dials?.openSocket ?? openTcpSocket
    const tcpSocket = await this.dial(server.hostname, (address) => openSocket(server.port, address))
    const first = tls?.handshakeFirst === true ? await this.startTls(tcpSocket, server, tls) : tcpSocket
    const info = await this.readInfo(first)
    checkOptions(info, options)
    if (dials !== undefined && !ignoreClusterUpdates)
      dials.hasOthers ||= info.connect_urls?.some((url) => url !== server.listen) === true
    const isTlsWanted = info.tls_required === true || (info.tls_available === true && tls !== null)
    const socket = isTlsWanted && !this.isSecure ? await this.startTls(tcpSocket, server, tls) : first
    this.assertOpen()
    this.isConnected = true
    this.read(socket)
  }

  private async waitForTurn({ listen }: Server, dials: Dials): Promise<void> {
    const { clock, server, hasOthers, endedAt } = dials
    const isRepeated = server === listen && hasOthers
    Object.assign(dials, { transport: this, server: isRepeated ? undefined : listen })
    // The NATS client chooses its first server twice. If it is stopped, the others would wait for it.
    if (isRepeated) throw new Error('the next server is dialled')
    const waitMs = (endedAt.get(listen) ?? -Infinity) + retryTime - clock.elapsed()
    if (waitMs > 0)
      await this.unlessClosed<undefined>((resolve) => {
        const timer = delay(clock, waitMs, () => resolve(undefined))
        return () => timer.unsubscribe()
      })
    this.server = listen
  }

  async *[Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array> {
    for (;;) {
      if (this.chunks.length === 0) await this.arrival.promise
      const { chunks } = this
      this.chunks = []
      yield* chunks
      if (this.isClosed) return
      if (this.chunks.length === 0) this.arrival = deferred()
    }
  }

  isEncrypted(): boolean {
    return this.isSecure
  }

  send(frame: Uint8Array): void {
    if (!this.isClosed) this.socket?.write(frame)
  }

  close(error?: Error): Promise<void> {
    this.end(error)
    return Promise.resolve()
  }

  /** The pings of the last connection may go on during a dial. */
  disconnect(): void {
    if (this.isConnected) this.end()
  }

  closed(): Promise<Error | undefined> {
    return this.closing.promise
  }

  discard(): void {
    // The NATS client dials again if it is informed.
    this.isConnected = false
    this.end()
  }

  private end(error?: Error): void {
    const { dials } = this
    if (error !== undefined) dials?.onError(error)
    if (this.isClosed) return
    this.isClosed = true
    if (this.server !== undefined) dials?.endedAt.set(this.server, dials.clock.elapsed())
    if (error !== undefined) this.closeError = error
    this.cancelDial()
    this.tcpSocket?.destroy()
    this.arrival.resolve(undefined)
    if (this.isConnected) this.closing.resolve(error)
  }

  private dial(host: string, open: (address: string) => Duplex): Promise<Duplex> {
    return this.unlessClosed((resolve, reject) =>
      dialHost({ net, dns }, host, open, 'connect', (result) => {
        if (isLeft(result)) return reject(result.left)
        this.tcpSocket = this.socket = result.right
        resolve(result.right)
      }),
    )
  }

  private async startTls(tcpSocket: Duplex, server: Server, tls: ConnectionOptions['tls']): Promise<Duplex> {
    const { hostname: host, tlsName } = server
    // The certificate must be valid for the host, or for the name of the cluster. The name in the handshake cannot be an address.
    const servername = tlsName === '' && net.isIP(host) === 0 ? host : tlsName
    const settings = { rejectUnauthorized: true, host, servername, ...tls, ...(await filesOf(tls)) }
    this.assertOpen()
    const socket = connectTls({ ...settings, socket: tcpSocket })
    this.socket = socket
    this.isSecure = true
    const isOpen = deferred<undefined>()
    socket.once('secureConnect', () => isOpen.resolve(undefined))
    await Promise.race([isOpen.promise, failure(socket)])
    return socket
  }

  /** Rejects when the transport is closed. `start` returns the function that cancels. */
  private unlessClosed<A>(
    start: (resolve: (value: A) => void, reject: (error: Error) => void) => Cancel,
  ): Promise<A> {
    return new Promise((resolve, reject) => {
      this.assertOpen()
      const cancel = start(resolve, reject)
      this.cancelDial = () => {
        cancel()
        reject(new Error(closedText))
      }
    })
  }

  private assertOpen(): void {
    if (this.isClosed) throw new Error(closedText)
  }

  /** Reads the first message of the server, without removing it from the data of the connection. */
  private async readInfo(socket: Duplex): Promise<ServerInfo> {
    const first = deferred<string>()
    const onData = (chunk: Uint8Array): void => {
      this.chunks.push(chunk)
      const text = Buffer.concat(this.chunks).toString()
      if (!text.includes('\r\n')) return
      socket.off('data', onData).pause()
      first.resolve(text)
    }
    socket.on('data', onData)
    const text = await Promise.race([first.promise, failure(socket)])
    if (!text.startsWith('INFO ')) throw new Error('unexpected response of the server')
    return JSON.parse(text.slice('INFO '.length, text.indexOf('\r\n'))) as ServerInfo
  }

  private read(socket: Duplex): void {
    let cause: Error | undefined
    socket.on('data', (chunk: Uint8Array) => {
      this.chunks.push(chunk)
      this.arrival.resolve(undefined)
    })
    socket.on('error', (error: Error) => (cause = error))
    socket.on('close', () => this.end(cause))
    // The first message, which was already read.
    this.arrival.resolve(undefined)
    socket.resume()
  }
}

/** Rejects when the socket closes. Its errors never end the process. */
const failure = async (socket: Duplex): Promise<never> => {
  const closed = deferred<Error>()
  let cause = new Error('the server has closed the connection')
  socket.on('error', (error: Error) => (cause = error))
  socket.once('close', () => closed.resolve(cause))
  throw await closed.promise
}

/** The certificates and the key that the options name by files. */
const filesOf = async (tls: ConnectionOptions['tls']): Promise<TlsConnectOptions> => {
  const { certFile, keyFile, caFile } = tls ?? {}
  return {
    ...(certFile === undefined ? {} : { cert: await readFile(certFile) }),
    ...(keyFile === undefined ? {} : { key: await readFile(keyFile) }),
    ...(caFile === undefined ? {} : { ca: [await readFile(caFile)] }),
  }
}
