import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { noop, type Observable } from 'rxjs'
import { WebSocketServer, type WebSocket } from 'ws'
import type { GatewaySetup } from '../options.js'
import { addressGroupOf } from '../server/address-group.js'
import { refuseUpgrade } from '../server/http-response.js'
import type { ConsumerInput } from '../server/consumer-input.js'
import { closeCodes } from '../subscriptions/sessions.js'
import { withoutQuery } from '../server/request.js'
import type { Connection } from './connection.js'
import type { WebSocketFront } from './web-socket-front.js'

interface UpgradesConfig extends Pick<GatewaySetup, 'maxConnectionsPerAddress' | 'report'> {
  readonly inputOf: (socket: Socket) => ConsumerInput
  readonly streams$: Streams
}

/** The texts that a WebSocket with this path receives, until they complete; `undefined` if the path has none. */
export type Streams = (path: string) => Observable<string> | undefined

/** A page that has not read more than this is disconnected, in bytes. */
const maxUnreadBytes = 64 * 1024 * 1024

interface OpenWebSocket {
  /** See `addressGroupOf`. */
  readonly address: string
  /** The digest of its token, if it needs one. */
  readonly token: Buffer | undefined
  /** Of a consumer of prices. */
  readonly connection: Connection | undefined
}

/** A longer message closes its connection with 1009. */
const maxMessageBytes = 16 * 1024

/** Passes the WebSockets of an HTTP server, by the server of `ws`, to the front of a gateway. */
export class Upgrades {
  private readonly upgrader: WebSocketServer
  private readonly open = new Map<WebSocket, OpenWebSocket>()

  constructor(
    private readonly front: WebSocketFront,
    private readonly config: UpgradesConfig,
  ) {
    this.upgrader = new WebSocketServer({
      noServer: true,
      maxPayload: maxMessageBytes,
      perMessageDeflate: false,
      clientTracking: false,
      autoPong: false,
    })
  }

  /** Answers an upgrade request without an upgrade, and reports that. */
  refuse(socket: Socket, status: number, body: string): void {
    this.config.report('svc-streams:gateway-refused', { status })
    refuseUpgrade(socket, status, body)
  }

  /** Handles an upgrade request that has passed the access checks. `token`: its digest, if it needs one. */
  accept(request: IncomingMessage, socket: Socket, head: Buffer, token: Buffer | undefined): void {
    const { front, config } = this
    const path = withoutQuery(request.url ?? '')
    const text$ = config.streams$(path)
    if (path !== '/' && text$ === undefined) return this.refuse(socket, 404, 'expected the path /')
    const refusal = text$ === undefined ? front.refusal() : undefined
    if (refusal !== undefined) return this.refuse(socket, 503, refusal.text)
    const address = addressGroupOf(socket.remoteAddress ?? '')
    const { maxConnectionsPerAddress: limit } = config
    if (this.open.size >= limit && this.countOf(address) >= limit)
      return this.refuse(socket, 429, `the gateway has ${limit} connections of this address`)
    this.upgrader.handleUpgrade(request, socket, head, (webSocket) => {
      const input = config.inputOf(socket)
      const connection =
        text$ === undefined ? front.accept(webSocket, socket, () => input.pausedMs) : undefined
      this.open.set(webSocket, { address, token, connection })
      webSocket.on('close', () => {
        this.open.delete(webSocket)
        if (connection !== undefined) front.onClosed(connection)
      })
      // `ws` closes the connection after an error, such as a frame that violates the protocol.
      webSocket.on('error', noop)
      if (connection !== undefined) listen(connection, webSocket, socket, input)
      if (text$ !== undefined) sendAll(text$, webSocket)
      input.start()
    })
  }

  /** Ends the connections that have no access. */
  endWithout(hasAccess: (token: Buffer | undefined) => boolean): void {
    const reason = 'the access token has been removed'
    for (const [webSocket, { token, connection }] of this.open) {
      if (hasAccess(token)) continue
      if (connection === undefined) webSocket.close(closeCodes['no-access'], reason)
      else connection.end('no-access', reason)
    }
  }

  private countOf(address: string): number {
    return [...this.open.values()].filter((each) => each.address === address).length
  }
}

/** False for an offer of another protocol, such as `h2c`, which a server may ignore. */
export const isWebSocketUpgrade = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket'

const sendAll = (text$: Observable<string>, webSocket: WebSocket): void => {
  const sending = text$.subscribe({
    next: (text) => {
      if (webSocket.bufferedAmount > maxUnreadBytes) webSocket.terminate()
      else webSocket.send(text)
    },
    complete: () => webSocket.close(closeCodes.closing),
  })
  webSocket.once('close', () => sending.unsubscribe())
}

const listen = (connection: Connection, webSocket: WebSocket, socket: Socket, input: ConsumerInput): void => {
  // `ws` handles all unread data of a socket that is closed at once.
  const unlessClosed = (handle: (data: Buffer) => void) => (data: Buffer) => {
    if (!socket.destroyed) handle(data)
  }
  webSocket.on('message', (data: Buffer, isBinary: boolean) => {
    if (socket.destroyed) return
    // The bytes are a part of a larger memory, which a waiting message must not keep.
    const text = isBinary ? '' : data.toString()
    input.onMessage(text.length, () => (isBinary ? connection.onBinary() : connection.onText(text)))
  })
  webSocket.on(
    'ping',
    unlessClosed((payload) => {
      input.onControlFrame()
      connection.onPing(payload)
    }),
  )
  webSocket.on(
    'pong',
    unlessClosed((payload) => {
      input.onControlFrame()
      connection.onPong(payload.toString())
    }),
  )
}
