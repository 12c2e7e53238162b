import {
  checkOptions,
  DataBuffer,
  extractProtocolMessage,
  INFO,
  NatsConnectionImpl,
  deferred as natsDeferred,
  ProtocolHandler,
  type NatsConnection,
  type NodeConnectionOptions,
  type Server,
  type ServerInfo,
  type Transport,
} from '@nats-io/transport-node'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { noCancel, type Cancel } from '../../base/task/cancellable-task.js'
import type { Clock } from '../../base/time/clock.js'
import { staggeredRace } from '../../base/time/staggered-race.js'
import { dialHost } from '../../wire/transport/dial-host.js'
import dns from 'node:dns'
import { readFile } from 'node:fs/promises'
import net from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls, type ConnectionOptions as TlsConnectOptions } from 'node:tls'
import { deferred } from '../../base/task/deferred.js'
import { protocolVersion } from '../subjects.js'

/** Opens a TCP socket without Nagle's delay. It emits `connect`. */
export type OpenTcpSocket = (port: number, host: string) => Duplex

const openTcpSocket: OpenTcpSocket = (port, host) => net.connect(port, host).setNoDelay(true)

/** The options of a connection. The NATS client passes all of them to its transport. */
export interface DialOptions extends NodeConnectionOptions {
  /** Default: `openTcpSocket`. */
  readonly openSocket?: OpenTcpSocket
  /** The name that the certificate of a server must have that is dialled by its address. Default: the address. */
  readonly nameOfAddresses?: string
}

/** The time after which the next server is dialled too, in ms. A stopped server accepts TCP, but sends nothing. */
const nextDialTime = 250

/** Receives the result of a dial. One method is called, once. */
export interface DialListener {
  /** `server`: its entry in the list. */
  readonly onConnected: (connection: NatsConnection, server: string) => void
  /** No server has accepted. `error`: the error of the last dial. */
  readonly onFailed: (error: unknown) => void
}

/**
 * Connects to the first of several servers that accepts. The next server of the list is dialled when a dial fails, or
 * after a delay. At most one socket per server is open. All sockets except that of the result are destroyed.
 */
export const dialServers = (
  servers: readonly string[],
  options: DialOptions,
  clock: Clock,
  { onConnected, onFailed }: DialListener,
): Cancel =>
  staggeredRace<string, unknown, { readonly connection: NatsConnection; readonly server: string }>(
    servers,
    nextDialTime,
    clock,
    (server, onEnd) => {
      const controller = new AbortController()
      dial({ ...options, servers: server, signal: controller.signal }).then(
        (connection) => {
          if (controller.signal.aborted) void connection.close()
          else onEnd(right({ connection, server }))
        },
        (error: unknown) => onEnd(left(error)),
      )
      return () => controller.abort()
    },
    (result) => {
      if (isLeft(result)) onFailed(result.left.at(-1))
      else onConnected(result.right.connection, result.right.server)
    },
  )

/**
 * The servers of the cluster that the server has sent last. Unlike `info`, this list is also available after the end of
 * the connection.
 */
export const clusterServers = (connection: NatsConnection): readonly string[] => {
  const { protocol } = connection as NatsConnection & Pick<NatsConnectionImpl, 'protocol'>
  return protocol.info?.connect_urls ?? []
}

/**
 * The `connect` of the NATS client, with a transport of this connection alone. The NATS client has one transport per
 * process, for all connections and their reconnects: that of the program's own `connect` or `wsconnect`.
 */
const dial = async (options: TransportOptions): Promise<NatsConnection> => {
  // `dialHost` resolves names.
  const connection = Reflect.construct(NatsConnectionImpl, [
    { ...options, resolve: false },
  ]) as NatsConnection & NatsConnectionImpl
  const protocol = new ProtocolHandler(connection.options, connection)
  Object.assign(protocol, { prepare: () => prepare(protocol) })
  await protocol.dialLoop()
  connection.protocol = protocol
  return connection
}

/** Called before the only dial. Returns the promise of the first answer of the server. */
const prepare = (protocol: ProtocolHandler): Promise<void> => {
  const answer: ProtocolHandler['pongs'][number] = natsDeferred()
  const transport = new TcpTransport()
  answer.catch(() => undefined)
  protocol.pongs.unshift(answer)
  protocol.connectError = (error = new Error('the connection was closed')) => answer.reject(error)
  protocol.transport = transport
  void transport.closed().then((error) => {
    protocol.connected = false
    if (!protocol.isClosed()) void protocol.disconnected(error ?? protocol.lastError)
  })
  return answer
}

interface TransportOptions extends DialOptions {
  /** Destroys the socket when it aborts. Absent for other connections in this process. */
  readonly signal?: AbortSignal
}

/**
 * A TCP or TLS connection of the NATS client, like that of `@nats-io/transport-node`. There, the socket remains open
 * after a dial that times out. Here, `close`, `discard` and `disconnect` destroy the socket at any time: before the
 * server accepts, while it sends nothing, and while it reads nothing.
 */
class TcpTransport implements Transport {
  /** The monitoring of NATS shows name and version. */
  readonly lang = 'svc-streams'
  readonly version = String(protocolVersion)
  closeError?: Error
  isClosed = false
  private isConnected = false
  /** The TCP socket, also below TLS: destroying it ends both. */
  private tcpSocket: Duplex | undefined
  private socket: Duplex | undefined
  private cancelDial: Cancel = noCancel
  private isSecure = false
  private chunks: Uint8Array[] = []
  private arrival = deferred<undefined>()
  private readonly closing = deferred<Error | undefined>()

  async connect({ hostname, port }: Server, options: TransportOptions): Promise<void> {
    const { tls, signal, openSocket = openTcpSocket } = options
    signal?.throwIfAborted()
    signal?.addEventListener('abort', () => this.discard(), { once: true })
    this.assertOpen()
    const tcpSocket = await this.dial(hostname, (address) => openSocket(port, address))
    this.tcpSocket = this.socket = tcpSocket
    if (tls?.handshakeFirst === true) await this.startTls(tcpSocket, hostname, options)
    const info = await this.readInfo(this.socket)
    checkOptions(info, options)
    const isTlsWanted = info.tls_required === true || (info.tls_available === true && tls !== null)
    if (isTlsWanted && !this.isSecure) await this.startTls(tcpSocket, hostname, options)
    this.assertOpen()
    this.isConnected = true
    this.read(this.socket)
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

  disconnect(): void {
    this.end()
  }

  closed(): Promise<Error | undefined> {
    return this.closing.promise
  }

  discard(): void {
    // Only `connect` reports a failed dial.
    this.isConnected = false
    this.end()
  }

  private dial(host: string, open: (address: string) => Duplex): Promise<Duplex> {
    return new Promise((resolve, reject) => {
      const cancel = dialHost({ net, dns }, host, open, 'connect', (result) => {
        if (isLeft(result)) reject(result.left)
        else resolve(result.right)
      })
      this.cancelDial = () => {
        cancel()
        reject(new Error('the connection was closed'))
      }
    })
  }

  private assertOpen(): void {
    if (this.isClosed) throw new Error('the connection was closed')
  }

  private end(error?: Error): void {
    if (this.isClosed) return
    this.isClosed = true
    if (error !== undefined) this.closeError = error
    this.cancelDial()
    this.tcpSocket?.destroy()
    this.arrival.resolve(undefined)
    if (this.isConnected) this.closing.resolve(error)
  }

  /** Reads the first message of the server, without removing it from the data of the connection. */
  private async readInfo(socket: Duplex): Promise<ServerInfo> {
    const info = deferred<ServerInfo>()
    const onData = (chunk: Uint8Array): void => {
      this.chunks.push(chunk)
      const text = extractProtocolMessage(DataBuffer.concat(...this.chunks))
      if (text === '') return
      socket.off('data', onData).pause()
      try {
        const [, json = ''] = INFO.exec(text) ?? []
        info.resolve(JSON.parse(json) as ServerInfo)
      } catch {
        socket.destroy(new Error('unexpected response of the server'))
      }
    }
    socket.on('data', onData)
    return Promise.race([info.promise, failure(socket)])
  }

  private async startTls(
    tcpSocket: Duplex,
    host: string,
    { tls, nameOfAddresses = '' }: TransportOptions,
  ): Promise<void> {
    const files = await filesOf(tls ?? {})
    this.assertOpen()
    // The certificate must be valid for the host. The name in the handshake cannot be an address.
    const servername = net.isIP(host) === 0 ? host : nameOfAddresses
    const socket = connectTls({
      rejectUnauthorized: true,
      host,
      servername,
      ...tls,
      ...files,
      socket: tcpSocket,
    })
    this.socket = socket
    this.isSecure = true
    await secured(socket)
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

const secured = async (socket: Duplex): Promise<void> => {
  const isOpen = deferred<undefined>()
  socket.once('secureConnect', () => isOpen.resolve(undefined))
  await Promise.race([isOpen.promise, failure(socket)])
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
const filesOf = async ({
  certFile,
  keyFile,
  caFile,
}: NonNullable<TransportOptions['tls']>): Promise<TlsConnectOptions> => ({
  ...(certFile === undefined ? {} : { cert: await readFile(certFile) }),
  ...(keyFile === undefined ? {} : { key: await readFile(keyFile) }),
  ...(caFile === undefined ? {} : { ca: [await readFile(caFile)] }),
})
