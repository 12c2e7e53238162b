import type { Socket as TcpSocket, TcpNetConnectOpts } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type { WebSocket as WsSocket, ClientOptions } from 'ws'
import { isRight } from 'fp-ts/lib/Either.js'
import { causeOf } from '../../../base/errors/failure-cause.js'
import {
  messageTooBig,
  noCloseFrame,
  notifyPong,
  type ResponseHead,
  type Socket,
  type SocketListener,
  type WebSocketTransport,
} from '../ports.js'
import { FrameTap } from './frame-tap.js'
import { noCancel, type Cancel } from '../../../base/task/cancellable-task.js'
import { dialHost } from '../dial-host.js'
import type { WsModules } from '../packages.js'

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
export const wsTransport = (modules: WsModules, ca: string | undefined): WebSocketTransport => {
  const sockets = new Map<WsSocket, Promise<void>>()

  return {
    dial(url, { maxFrameBytes }, listener) {
      let tcpFailure: Error | undefined
      let cancelDial: Cancel = noCancel
      const connect: Options['createConnection'] = (dialOptions, onEnd) => {
        const tap = (address: string): FrameTap =>
          new FrameTap(
            (onread) => connectTcp(modules, url, { ...dialOptions, host: address, onread }, dialOptions.host),
            maxFrameBytes,
            listener,
          )
        const readyEvent = isSecure(url) ? 'secureConnect' : 'connect'
        cancelDial = dialHost(modules, dialOptions.host, tap, readyEvent, (result) => {
          if (isRight(result))
            onEnd(
              null,
              result.right.on('error', (error) => (tcpFailure = error)),
            )
          else onEnd(result.left)
        })
      }
      const options = optionsOf(maxFrameBytes, ca, connect)
      const socket = new modules.WebSocket(url, options)
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
      sockets.set(socket, closed)
      void closed.then(() => {
        sockets.delete(socket)
        cancelDial()
      })
      forwardEvents(socket, listener, () => tcpFailure)
      return toPort(socket)
    },
    async close() {
      for (const socket of sockets.keys()) closeSocket(socket)
      await Promise.all(sockets.values())
    },
  }
}

const isSecure = (url: string): boolean => url.startsWith('wss:')

/** `host`: the name in the URL, which the certificate must have. */
const connectTcp = (
  { net, tls }: WsModules,
  url: string,
  options: WsDialOptions,
  host: string,
): TcpSocket => {
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

/** `tcpFailure`: an error of the TCP connection. `ws` has no event for it once the WebSocket is open. */
const forwardEvents = (
  socket: WsSocket,
  listener: SocketListener,
  tcpFailure: () => Error | undefined,
): void => {
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
    listener.closed(isTooBig ? messageTooBig : code, describe(code, reason.toString(), cause), refusal)
  })
}

const describe = (code: number, reason: string, failure: Error | undefined): string => {
  if (failure !== undefined) return causeOf(failure).message
  if (reason !== '') return reason
  return code === noCloseFrame ? 'the connection ended without a close frame' : 'closed by the service'
}

const toPort = (socket: WsSocket): Socket => ({
  get bufferedAmount() {
    return socket.bufferedAmount
  },
  send: (frame) => {
    if (socket.readyState === socket.OPEN) socket.send(frame)
  },
  ping: (payload) => {
    if (socket.readyState === socket.OPEN) socket.ping(payload)
  },
  close: () => closeSocket(socket),
  terminate: () => socket.terminate(),
})

const closeSocket = (socket: WsSocket): void => {
  if (socket.readyState === socket.CONNECTING) {
    socket.terminate()
  } else if (socket.readyState === socket.OPEN) {
    socket.close(1000)
  }
}
