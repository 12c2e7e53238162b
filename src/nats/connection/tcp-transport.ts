import {
  checkOptions,
  type ConnectionOptions,
  type Server,
  type ServerInfo,
  type Transport,
} from '@nats-io/transport-node'
import { once } from 'node:events'
import net from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls, TLSSocket } from 'node:tls'
import { deferred } from '../../base/task/deferred.js'
import { handshakeOptionsOf } from '../options.js'
import { protocolVersion } from '../subjects.js'

/** Opens a TCP socket. It emits `connect`. */
export type OpenTcpSocket = (port: number, host: string) => Duplex

/** The time that one of several addresses of a host has before the next one is dialled, in ms. */
const addressTime = 600

const openTcpSocket: OpenTcpSocket = (port, host) =>
  net.connect({ port, host, noDelay: true, autoSelectFamilyAttemptTimeout: addressTime })

/** The NATS client passes its options, and with them this object, to each transport of one connection. */
export interface Dials {
  /** `undefined`: that of Node. */
  readonly openSocket: OpenTcpSocket | undefined
  /** Called with the failure of each dial, and with that of the open connection. */
  readonly onError: (error: unknown) => unknown
  /** The transport that was dialled last. */
  transport?: Transport
}

/** Other connections of the program have no `dials`. */
type Options = ConnectionOptions & { readonly dials?: Dials }

/**
 * A TCP or TLS connection of the NATS client, like that of `@nats-io/transport-node`. There, the socket remains open after a
 * dial during which the connection is closed. Here, `close` and `discard` destroy it, whatever the server does.
 */
export class TcpTransport implements Transport {
  /** The monitoring of NATS shows name and version. */
  readonly lang = 'svc-streams'
  readonly version = String(protocolVersion)
  isClosed = false
  private isConnected = false
  private dials: Dials | undefined
  /** Below TLS: destroying it ends both. */
  private tcpSocket: Duplex | undefined
  private socket: Duplex | undefined
  private chunks: Uint8Array[] = []
  private arrival = deferred<undefined>()
  private readonly closing = deferred<Error | undefined>()
  private rejectDial: (error: Error) => void = () => undefined

  connect(server: Server, options: ConnectionOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      // A step of the dial does not end if its socket is destroyed.
      this.rejectDial = reject
      this.dial(server, options).then(resolve, reject)
    })
  }

  async *[Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array> {
    do {
      await this.arrival.promise
      this.arrival = deferred()
      const { chunks } = this
      this.chunks = []
      yield* chunks
    } while (!this.isClosed)
  }

  isEncrypted(): boolean {
    return this.socket instanceof TLSSocket
  }

  send(frame: Uint8Array): void {
    if (!this.isClosed) this.socket?.write(frame)
  }

  close(error?: Error): Promise<void> {
    this.end(error)
    return Promise.resolve()
  }

  /** The pings of the last connection may continue during a dial. */
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
    if (error !== undefined) this.dials?.onError(error)
    if (this.isClosed) return
    this.isClosed = true
    this.tcpSocket?.destroy()
    this.arrival.resolve(undefined)
    this.rejectDial(error ?? new Error('the connection was closed'))
    if (this.isConnected) this.closing.resolve(error)
  }

  private async dial({ port, hostname, tlsName }: Server, options: Options): Promise<void> {
    const { tls, dials } = options
    const isFirst = dials !== undefined && dials.transport === undefined
    if (dials !== undefined) dials.transport = this
    // The NATS client dials its first server twice: if that is stopped, the others would wait for it.
    if (isFirst) throw new Error('the server is dialled next')
    this.dials = dials
    const tcpSocket = (dials?.openSocket ?? openTcpSocket)(port, hostname)
    this.tcpSocket = tcpSocket
    this.use(tcpSocket)
    await once(tcpSocket, 'connect')
    // The certificate must be valid for the host, or for the name of the cluster.
    const host = tlsName === '' ? hostname : tlsName
    if (tls?.handshakeFirst === true) await this.startTls(tcpSocket, host, tls)
    const info = await this.readInfo()
    checkOptions(info, options)
    const isTlsWanted = info.tls_required === true || (info.tls_available === true && tls !== null)
    if (isTlsWanted && !this.isEncrypted()) await this.startTls(tcpSocket, host, tls)
    this.isConnected = true
  }

  private async startTls(tcpSocket: Duplex, host: string, tls: Options['tls']): Promise<void> {
    tcpSocket.removeAllListeners('data')
    // The name in the handshake cannot be an address.
    const servername = net.isIP(host) === 0 ? host : ''
    const socket = connectTls({ host, servername, ...handshakeOptionsOf(tls), socket: tcpSocket })
    this.use(socket)
    await once(socket, 'secureConnect')
  }

  private use(socket: Duplex): void {
    this.socket = socket
    socket.on('error', (error: Error) => this.end(error))
    socket.on('close', () => this.end())
    socket.on('data', (chunk: Uint8Array) => {
      this.chunks.push(chunk)
      this.arrival.resolve(undefined)
    })
  }

  /** Reads the first message of the server, without removing it from the data of the connection. */
  private async readInfo(): Promise<ServerInfo> {
    await this.arrival.promise
    const [, json] = /^INFO (.*)\r\n/.exec(Buffer.concat(this.chunks).toString()) ?? []
    if (json !== undefined) return JSON.parse(json) as ServerInfo
    this.arrival = deferred()
    return this.readInfo()
  }
}
