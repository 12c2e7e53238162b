import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener, type Server as HttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer as createNetServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Certified } from './certificate.js'
import { acceptOf, agreed } from './upgrade.js'

// Servers on free ports of 127.0.0.1, which go when their test is over.

const listening = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const closed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()))

/** A TCP server that does with each connection what it is told, and does not end it by itself. Returns its port. */
export const tcpServer = async (onConnection: (socket: Socket) => void): Promise<number> => {
  const sockets = new Set<Socket>()
  const server = createNetServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    onConnection(socket)
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    return closed(server)
  })
  return listening(server)
}

/** A port of this machine at which nobody listens. */
export const deafPort = async (): Promise<number> => {
  const server = createNetServer()
  const port = await listening(server)
  await closed(server)
  return port
}

const web = (onRequest: RequestListener, certified?: Certified): HttpServer => {
  const server =
    certified === undefined ? createHttpServer(onRequest) : createHttpsServer(certified, onRequest)
  onTestFinished(() => {
    server.closeAllConnections()
    return closed(server)
  })
  return server
}

/** An HTTP server; with a certificate, an HTTPS one. Returns its origin. */
export const httpServer = async (onRequest: RequestListener, certified?: Certified): Promise<string> => {
  const port = await listening(web(onRequest, certified))
  return certified === undefined ? `http://127.0.0.1:${port}` : `https://127.0.0.1:${port}`
}

export interface WebSockets {
  readonly url: string
  /** The server's ends of the sockets that are open. */
  readonly clients: ReadonlySet<WebSocket>
}

/** A WebSocket server that does with each socket what it is told. */
export const webSocketServer = async (
  onSocket: (socket: WebSocket, headers: Readonly<Record<string, unknown>>, path: string | undefined) => void,
  certified?: Certified,
): Promise<WebSockets> => {
  const http = web((_request, response) => response.writeHead(503).end('busy'), certified)
  const server = new WebSocketServer({ server: http, perMessageDeflate: true })
  server.on('connection', (socket, { headers, url }) => {
    socket.on('error', () => socket.terminate())
    onSocket(socket, headers, url)
  })
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate()
  })
  const port = await listening(http)
  return { url: `${certified === undefined ? 'ws' : 'wss'}://127.0.0.1:${port}`, clients: server.clients }
}

/** A server that accepts the upgrade, writes the bytes, and never responds after that. */
export const rudeServer = async (...bytes: number[]): Promise<string> => {
  const port = await tcpServer((socket) => {
    socket.once('data', (request: Buffer) => {
      socket.write(Buffer.concat([agreed(acceptOf(request.toString())), Buffer.of(...bytes)]))
    })
  })
  return `ws://127.0.0.1:${port}`
}
