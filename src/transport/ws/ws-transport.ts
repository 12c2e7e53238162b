import { connect as connectTcp, isIP, type Socket as TcpSocket, type TcpNetConnectOpts } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import { WebSocket, type ClientOptions } from 'ws'
import { causeOf } from '../../errors/failure-cause.js'
import type { Socket, SocketListener, WebSocketTransport } from '../ports.js'
import { FrameTap } from './frame-tap.js'

/** How long a socket may take to go after a goodbye, ours or the peer's, before it is cut, in ms. */
const goodbye = 1000

/** Pings that came while the event loop was blocked, and are read at once, are no attack. */
const mostPings = 1024

/** `closeTimeout` and `maxPendingAutoPongs` are not in the types of `ws` yet. */
type Options = Omit<ClientOptions, 'createConnection'> & {
  readonly closeTimeout: number
  readonly maxPendingAutoPongs: number
  readonly createConnection: (options: DialOptionsOfWs) => FrameTap
}

/** What `ws` dials with. */
type DialOptionsOfWs = TcpNetConnectOpts & ConnectionOptions & { readonly host: string }

const noCloseFrame = 1006
const frameTooLong = 1009

/** A message longer than allowed; a frame that says it is longer than a number holds. */
const tooLongForWs: readonly (string | undefined)[] = [
  'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH',
  'WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH',
]

/** WebSockets by `ws`. `ca`: PEM certificates to trust besides nothing else; default: Node's own. */
export const wsTransport = (ca: string | undefined): WebSocketTransport => {
  const sockets = new Map<WebSocket, Promise<void>>()

  return {
    dial(url, { maxFrameBytes }, listener) {
      const socket = new WebSocket(url, optionsOf(url, maxFrameBytes, ca, listener))
      const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()))
      sockets.set(socket, gone)
      void gone.then(() => sockets.delete(socket))
      listen(socket, listener)
      return handle(socket)
    },
    async close() {
      for (const socket of sockets.keys()) sayGoodbye(socket)
      await Promise.all(sockets.values())
    },
  }
}

const optionsOf = (
  url: string,
  maxFrameBytes: number,
  ca: string | undefined,
  listener: SocketListener,
): ClientOptions => {
  const connect = url.startsWith('wss:') ? connectWithTls : connectPlainly
  const options: Options = {
    // Compression costs far more than it saves on frames of a hundred bytes.
    perMessageDeflate: false,
    // A text that is not UTF-8 is a bad frame: no reason to cut the connection of every topic.
    skipUTF8Validation: true,
    // ws keeps 32 bits of it: 4 GiB and one byte would be one byte.
    maxPayload: Math.min(maxFrameBytes, 2 ** 31 - 1),
    closeTimeout: goodbye,
    maxPendingAutoPongs: mostPings,
    ...(ca === undefined ? {} : { ca }),
    createConnection: (dial) =>
      new FrameTap(
        (onread) => connect({ ...dial, onread }),
        maxFrameBytes,
        (memory, start, end) => listener.bytes(memory, start, end),
        () => listener.alive(),
      ),
  }
  // Its types ask for a socket, where a Duplex will do.
  return options as unknown as ClientOptions
}

// An empty path is none: that of the request would be taken for a file to connect to.

const connectPlainly = (dial: DialOptionsOfWs): TcpSocket => connectTcp({ ...dial, path: '' })

const connectWithTls = (dial: DialOptionsOfWs): TcpSocket =>
  connectTls({ ...dial, path: '', servername: isIP(dial.host) === 0 ? dial.host : '' })

const listen = (socket: WebSocket, listener: SocketListener): void => {
  let failure: (Error & { readonly code?: string }) | undefined
  socket.on('open', () => listener.opened())
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) listener.binary(data)
    else if (!listener.bytes(data, 0, data.length)) listener.text(data.toString())
  })
  socket.on('ping', () => listener.alive())
  socket.on('pong', () => listener.alive())
  socket.on('error', (error) => {
    failure ??= error
    // After a frame that it cannot read, ws would wait half a minute for the peer's goodbye.
    if (socket.readyState !== WebSocket.CONNECTING) socket.terminate()
  })
  socket.on('close', (code, reason) => {
    const tooLong = tooLongForWs.includes(failure?.code)
    listener.closed(tooLong ? frameTooLong : code, describe(code, reason.toString(), failure))
  })
}

const describe = (code: number, reason: string, failure: Error | undefined): string => {
  if (failure !== undefined) return causeOf(failure).message
  if (reason !== '') return reason
  return code === noCloseFrame ? 'the connection ended without a close frame' : 'closed by the service'
}

const handle = (socket: WebSocket): Socket => ({
  send: (frame) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(frame)
  },
  ping: () => {
    if (socket.readyState === WebSocket.OPEN) socket.ping()
  },
  close: () => sayGoodbye(socket),
  terminate: () => socket.terminate(),
})

const sayGoodbye = (socket: WebSocket): void => {
  if (socket.readyState === WebSocket.CONNECTING) {
    socket.terminate()
  } else if (socket.readyState === WebSocket.OPEN) {
    socket.close(1000)
  }
}
