import net, { type Socket as TcpSocket, type TcpNetConnectOpts } from 'node:net'
import tls, { type ConnectionOptions } from 'node:tls'
import { WebSocket, type ClientOptions } from 'ws'
import { isLeft } from 'fp-ts/lib/Either.js'
import { causeOf } from '../../../base/errors/failure-cause.js'
import {
  messageTooBig,
  noCloseFrame,
  notifyPong,
  type ResponseHead,
  type InternalSocket,
  type SocketListener,
  type WebSocketTransport,
} from '../ports.js'
import { FrameTap } from './frame-tap.js'
import { noCancel, type Cancel } from '../../../base/task/cancellable-task.js'
import { dialHost } from '../dial-host.js'

/** Time from the first close frame, of either side, to the end of the TCP connection, in ms. Then the socket is terminated. */
const closeTimeout = 1000

/** Above this number of pings in one read, `ws` closes the connection. Its default is too low after a blocked event loop. */
const maxPendingAutoPongs = 1024

/** The types of `ws` lack `closeTimeout` and `maxPendingAutoPongs`. */
type Options = Omit<ClientOptions, 'createConnection'> & {
  readonly closeTimeout: number
  readonly maxPendingAutoPongs: number
  readonly createConnection: (options: WsDialOptions, onEnd: OnConnectionEnd) => void
}

/** Node's callback for a connection that is not there at once. */
type OnConnectionEnd = (error: Error | null, connection?: FrameTap) => void

/** The options that `ws` passes to `createConnection`. */
type WsDialOptions = TcpNetConnectOpts & ConnectionOptions & { readonly host: string }

/** Error codes of `ws` for a message above `maxPayload`, and for a frame whose length exceeds a safe integer. */
const tooBigErrors: readonly (string | undefined)[] = [
  'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH',
  'WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH',
]

/** WebSockets over `ws`. `ca`: the only PEM certificates to trust; default: Node's certificates. */
export const wsTransport = (ca: string | undefined): WebSocketTransport => {
  const connections = new Set<Connection>()

  return {
    dial(url, { maxFrameBytes }, listener) {
      const connection = new Connection(listener)
      connections.add(connection)
      // The caller has the socket before its first event.
      void Promise.resolve()
        .then(() => connection.dial(url, maxFrameBytes, ca))
        .catch((failure: unknown) => connection.end(noCloseFrame, causeOf(failure).message))
      void connection.whenClosed.then(() => connections.delete(connection))
      return connection
    },
    async close() {
      for (const connection of connections) connection.close()
      await Promise.all(Array.from(connections, ({ whenClosed }) => whenClosed))
    },
  }
}

/** One WebSocket. It has no socket of `ws` until `dial`. */
class Connection implements InternalSocket {
  private socket: WebSocket | undefined
  /** True after `close` and `terminate`. */
  private isEnded = false
  private cancelDial: Cancel = noCancel
  private resolveClosed = (): void => undefined
  readonly whenClosed = new Promise<void>((resolve) => (this.resolveClosed = resolve))

  constructor(private readonly listener: SocketListener) {}

  get bufferedAmount(): number {
    return this.socket?.bufferedAmount ?? 0
  }

  dial(url: string, maxFrameBytes: number, ca: string | undefined): void {
    if (this.isEnded) throw new Error('closed before it was dialled')
    let tcpFailure: Error | undefined
    const connect: Options['createConnection'] = (dialOptions, onEnd) => {
      const tap = (address: string): FrameTap =>
        new FrameTap(
          (onread) => connectTcp(url, { ...dialOptions, host: address, onread }, dialOptions.host),
          maxFrameBytes,
          this.listener,
        )
      const readyEvent = isSecure(url) ? 'secureConnect' : 'connect'
      this.cancelDial = dialHost(dialOptions.host, tap, readyEvent, (result) => {
        if (isLeft(result)) return onEnd(result.left)
        onEnd(
          null,
          result.right.on('error', (error) => (tcpFailure = error)),
        )
      })
    }
    this.socket = new WebSocket(url, optionsOf(maxFrameBytes, ca, connect))
    this.forwardEvents(this.socket, () => tcpFailure)
  }

  send(frame: string): void {
    this.openSocket?.send(frame)
  }

  ping(payload: string): void {
    this.openSocket?.ping(payload)
  }

  close(): void {
    this.isEnded = true
    const { socket } = this
    if (socket?.readyState === socket?.CONNECTING) socket?.terminate()
    else this.openSocket?.close(1000)
  }

  terminate(): void {
    this.isEnded = true
    this.socket?.terminate()
  }

  end(code: number, reason: string, refusal?: ResponseHead): void {
    this.resolveClosed()
    this.cancelDial()
    this.listener.closed(code, reason, refusal)
  }

  private get openSocket(): WebSocket | undefined {
    const { socket } = this
    return socket?.readyState === socket?.OPEN ? socket : undefined
  }

  /** `tcpFailure`: an error of the TCP connection. `ws` has no event for it once the WebSocket is open. */
  private forwardEvents(socket: WebSocket, tcpFailure: () => Error | undefined): void {
    const { listener } = this
    let failure: (Error & { readonly code?: string }) | undefined
    let refusal: ResponseHead | undefined
    socket.on('unexpected-response', (_request, { statusCode = 0, headers }) => {
      refusal = { status: statusCode, headers }
      failure = new Error(`Unexpected server response: ${statusCode}`)
      socket.terminate()
    })
    socket.on('open', () => listener.opened())
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) listener.binary(data)
      else if (!listener.bytes(data, 0, data.length)) listener.text(data.toString())
    })
    socket.on('ping', () => listener.alive())
    socket.on('pong', (payload) => notifyPong(listener, payload.toString('latin1')))
    socket.on('error', (error) => {
      failure ??= error
      // After an invalid frame, ws would wait for the service's close frame.
      if (socket.readyState !== socket.CONNECTING) socket.terminate()
    })
    socket.on('close', (code, reason) => {
      const isTooBig = tooBigErrors.includes(failure?.code)
      const cause = failure ?? (code === noCloseFrame ? tcpFailure() : undefined)
      this.end(isTooBig ? messageTooBig : code, describe(code, reason.toString(), cause), refusal)
    })
  }
}

const isSecure = (url: string): boolean => url.startsWith('wss:')

/** `host`: the name in the URL, which the certificate must have. */
const connectTcp = (url: string, options: WsDialOptions, host: string): TcpSocket => {
  // The path of these options is that of the request, which Node would use as the path of a Unix socket. An empty one is not used.
  const withoutPath = { ...options, path: '' }
  if (!isSecure(url)) return net.connect(withoutPath)
  return tls.connect({ ...withoutPath, servername: net.isIP(host) === 0 ? host : '' })
}

const optionsOf = (
  maxFrameBytes: number,
  ca: string | undefined,
  createConnection: Options['createConnection'],
): ClientOptions => {
  const options: Options = {
    // Compression costs far more than it saves on frames of a hundred bytes.
    perMessageDeflate: false,
    // An invalid text concerns one frame. With validation, it would close the connection of every topic.
    skipUTF8Validation: true,
    // ws truncates it to 32 bits, so that 4 GiB + 1 would be 1.
    maxPayload: Math.min(maxFrameBytes, 2 ** 31 - 1),
    closeTimeout,
    maxPendingAutoPongs,
    ...(ca === undefined ? {} : { ca }),
    createConnection,
  }
  // The types of ws require a net.Socket at once, but a Duplex that comes later is sufficient.
  return options as unknown as ClientOptions
}

const describe = (code: number, reason: string, failure: Error | undefined): string => {
  if (failure !== undefined) return causeOf(failure).message
  if (reason !== '') return reason
  return code === noCloseFrame ? 'the connection ended without a close frame' : 'closed by the service'
}
