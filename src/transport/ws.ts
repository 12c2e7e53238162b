import { WebSocket, type ClientOptions } from 'ws'
import type { Socket, SocketListener, WebSocketTransport } from './transport.js'

/** How long a socket may take to go after a goodbye, ours or the peer's, before it is cut, in ms. */
const goodbye = 1000

/** `closeTimeout` is not in the types of `ws` yet. */
type Options = ClientOptions & { readonly closeTimeout: number }

const noCloseFrame = 1006
const frameTooLong = 1009

/** WebSockets by `ws`. `ca`: PEM certificates to trust besides nothing else; default: Node's own. */
export const wsTransport = (ca: string | undefined): WebSocketTransport => {
  const sockets = new Map<WebSocket, Promise<void>>()

  return {
    dial(url, { maxFrameBytes }, listener) {
      const socket = new WebSocket(url, optionsOf(maxFrameBytes, ca))
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

const optionsOf = (maxFrameBytes: number, ca: string | undefined): Options => ({
  // Compression costs far more than it saves on frames of a hundred bytes.
  perMessageDeflate: false,
  // ws keeps 32 bits of it: 4 GiB and one byte would be one byte.
  maxPayload: Math.min(maxFrameBytes, 2 ** 31 - 1),
  closeTimeout: goodbye,
  ...(ca === undefined ? {} : { ca }),
})

const listen = (socket: WebSocket, listener: SocketListener): void => {
  let failure: (Error & { readonly code?: string }) | undefined
  socket.on('open', () => listener.opened())
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) listener.binary(data)
    else listener.text(data.toString())
  })
  socket.on('ping', () => listener.alive())
  socket.on('pong', () => listener.alive())
  socket.on('error', (error) => {
    failure ??= error
    // After a frame that it cannot read, ws would wait half a minute for the peer's goodbye.
    if (socket.readyState !== WebSocket.CONNECTING) socket.terminate()
  })
  socket.on('close', (code, reason) => {
    const tooLong = failure?.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'
    listener.closed(tooLong ? frameTooLong : code, describe(code, reason.toString(), failure))
  })
}

const describe = (code: number, reason: string, failure: Error | undefined): string => {
  if (failure !== undefined) return failure.message === '' ? failure.name : failure.message
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
