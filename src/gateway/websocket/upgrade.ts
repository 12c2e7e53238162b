import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Observable } from 'rxjs'
import type { RawData, WebSocket, WebSocketServer } from 'ws'
import { addressGroupOf } from '../server/address-group.js'
import { refuseUpgrade } from '../server/http-response.js'
import type { ConsumerInput } from '../server/consumer-input.js'
import { withoutQuery } from '../server/request.js'
import type { ConsumerListener, WebSocketFront } from './web-socket-front.js'

/** The WebSockets of an HTTP server. */
export interface Upgrades {
  /** Handles an upgrade request that has passed the access checks. `token`: its digest, if it needs one. */
  readonly accept: (request: IncomingMessage, socket: Socket, head: Buffer, token: Buffer | undefined) => void
  /** Ends the connections that have no access. */
  readonly endWithout: (hasAccess: (token: Buffer | undefined) => boolean) => void
}

export interface UpgradeConfig {
  readonly inputOf: (socket: Socket) => ConsumerInput
  readonly maxConnectionsPerAddress: number
  readonly streams$: Streams
}

/** The texts that a WebSocket with this path receives, until they complete; `undefined` if the path has none. */
export type Streams = (path: string) => Observable<string> | undefined

/** A page that has not read more than this is disconnected, in bytes. */
const maxUnreadBytes = 64 * 1024 * 1024

/** A longer message closes its connection with 1009. */
const maxMessageBytes = 16 * 1024

/** Passes the WebSockets of an HTTP server, by the server of `ws`, to the front of a gateway. */
export const createUpgrade = (
  front: WebSocketFront,
  Server: typeof WebSocketServer,
  config: UpgradeConfig,
): Upgrades => {
  const upgrader = new Server({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    clientTracking: false,
    autoPong: false,
  })
  const open = new Map<ConsumerListener, Buffer | undefined>()
  /** The number of connections of each address. */
  const counts = new Map<string, number>()

  const refuse = (socket: Socket, status: number, reason: string): void => {
    front.onRefused(status)
    refuseUpgrade(socket, status, reason)
  }

  const accept: Upgrades['accept'] = (request, socket, head, token) => {
    const path = withoutQuery(request.url ?? '')
    const text$ = config.streams$(path)
    if (path !== '/' && text$ === undefined) return refuse(socket, 404, 'expected the path /')
    // Node 26 accepts a body of any length, and delays all frames until its end.
    if (hasBody(request)) return refuse(socket, 400, 'expected no body')
    const reason = text$ === undefined ? front.refusal() : undefined
    if (reason !== undefined) return refuse(socket, 503, reason)
    const address = addressGroupOf(socket.remoteAddress ?? '')
    const count = counts.get(address) ?? 0
    if (count >= config.maxConnectionsPerAddress) {
      return refuse(socket, 429, `the gateway has ${count} connections of this address`)
    }
    upgrader.handleUpgrade(request, socket, head, (webSocket) => {
      counts.set(address, (counts.get(address) ?? 0) + 1)
      webSocket.once('close', () => {
        const others = (counts.get(address) ?? 1) - 1
        if (others === 0) counts.delete(address)
        else counts.set(address, others)
      })
      if (text$ !== undefined) return sendAll(text$, webSocket, config.inputOf(socket))
      const listener = listen(front, webSocket, socket, config.inputOf(socket))
      open.set(listener, token)
      webSocket.once('close', () => open.delete(listener))
    })
  }

  const endWithout: Upgrades['endWithout'] = (hasAccess) => {
    for (const [listener, token] of open) {
      if (!hasAccess(token)) listener.end('no-access', 'the access token has been removed')
    }
  }

  return { accept, endWithout }
}

/** False for an offer of another protocol, such as `h2c`, which a server may ignore. */
export const isWebSocketUpgrade = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket'

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const sendAll = (text$: Observable<string>, webSocket: WebSocket, input: ConsumerInput): void => {
  webSocket.on('error', () => undefined)
  const sending = text$.subscribe({
    next: (text) => {
      if (webSocket.bufferedAmount > maxUnreadBytes) webSocket.terminate()
      else webSocket.send(text)
    },
    complete: () => webSocket.close(1001),
  })
  webSocket.once('close', () => sending.unsubscribe())
  input.start()
}

const listen = (
  front: WebSocketFront,
  webSocket: WebSocket,
  socket: Socket,
  input: ConsumerInput,
): ConsumerListener => {
  const listener = front.accept(webSocket, socket, () => input.pausedMs)
  /** `ws` handles all unread data of a socket that is closed at once. */
  const counted =
    <A extends readonly unknown[]>(handle: (...message: A) => unknown) =>
    (...message: A): void => {
      if (socket.destroyed) return
      input.messages.take()
      handle(...message)
    }
  webSocket.on(
    'message',
    counted((data: RawData, isBinary: boolean) => {
      if (isBinary) listener.onBinary()
      else if (listener.onText((data as Buffer).toString())) input.newTopics.take()
    }),
  )
  webSocket.on('ping', counted(listener.onPing))
  webSocket.on(
    'pong',
    counted((payload: Buffer) => listener.onPong(payload.toString())),
  )
  // `ws` closes the connection after an error, such as a frame that violates the protocol.
  webSocket.on('error', () => undefined)
  webSocket.on('close', listener.onClosed)
  input.start()
  return listener
}
