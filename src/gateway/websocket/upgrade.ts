import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { RawData, WebSocket, WebSocketServer } from 'ws'
import { refuseUpgrade } from '../server/http-response.js'
import { withoutQuery } from '../server/request.js'
import type { WebSocketFront } from './web-socket-front.js'

/** Handles an upgrade request that has passed the access checks. */
type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** A longer message closes its connection with 1009. */
const maxMessageBytes = 16 * 1024

/** Passes the WebSockets of an HTTP server, by the server of `ws`, to the front of a gateway. */
export const createUpgrade = (front: WebSocketFront, Server: typeof WebSocketServer): Upgrade => {
  const upgrader = new Server({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    clientTracking: false,
    autoPong: false,
  })

  const refuse = (socket: Duplex, status: number, reason: string): void => {
    front.onRefused(status)
    refuseUpgrade(socket, status, reason)
  }

  return (request, socket, head) => {
    if (withoutQuery(request.url ?? '') !== '/') return refuse(socket, 404, 'expected the path /')
    // Node 26 accepts a body of any length, and delays all frames until its end.
    if (hasBody(request)) return refuse(socket, 400, 'expected no body')
    const reason = front.refusal()
    if (reason !== undefined) return refuse(socket, 503, reason)
    upgrader.handleUpgrade(request, socket, head, (webSocket) => listen(front, webSocket, socket))
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const listen = (front: WebSocketFront, webSocket: WebSocket, socket: Duplex): void => {
  const listener = front.accept(webSocket, socket)
  webSocket.on('message', (data: RawData, isBinary) => {
    if (isBinary) listener.onBinary()
    else listener.onText((data as Buffer).toString())
  })
  webSocket.on('ping', listener.onPing)
  webSocket.on('pong', (payload) => listener.onPong(payload.toString()))
  // `ws` closes the connection after an error, such as a frame that violates the protocol.
  webSocket.on('error', () => undefined)
  webSocket.on('close', listener.onClosed)
}
