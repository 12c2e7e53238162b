import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener, type Server as HttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import {
  connect,
  createServer as createNetServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net'
import { onTestFinished } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import type { KeyAndCertificate } from './certificate.js'
import { acceptKeyOf, upgradeResponse } from './upgrade.js'

// Servers on free ports of 127.0.0.1. Each one is closed after its test.

const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const closeServer = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()))

/** Starts a TCP server that never ends a connection by itself. Returns its port. */
export const startTcpServer = async (onConnection: (socket: Socket) => void): Promise<number> => {
  const sockets = new Set<Socket>()
  const server = createNetServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    onConnection(socket)
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    return closeServer(server)
  })
  return listen(server)
}

/** True if a server accepts connections on a port of 127.0.0.1. */
export const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

/** Finds a port of 127.0.0.1 on which no server listens. */
export const findUnusedPort = async (): Promise<number> => {
  const server = createNetServer()
  const port = await listen(server)
  await closeServer(server)
  return port
}

const createWebServer = (onRequest: RequestListener, certificate?: KeyAndCertificate): HttpServer => {
  const server =
    certificate === undefined ? createHttpServer(onRequest) : createHttpsServer(certificate, onRequest)
  onTestFinished(() => {
    server.closeAllConnections()
    return closeServer(server)
  })
  return server
}

/** Starts an HTTP server, or an HTTPS server if a certificate is given. Returns its origin. */
export const startHttpServer = async (
  onRequest: RequestListener,
  certificate?: KeyAndCertificate,
): Promise<string> => {
  const port = await listen(createWebServer(onRequest, certificate))
  return certificate === undefined ? `http://127.0.0.1:${port}` : `https://127.0.0.1:${port}`
}

export interface TestWebSocketServer {
  readonly url: string
  /** The server's ends of the open sockets. */
  readonly clients: ReadonlySet<WebSocket>
}

const busy: RequestListener = (_request, response) => response.writeHead(503).end('busy')

/** Starts a WebSocket server. By default, other requests receive status 503. */
export const startWebSocketServer = async (
  onSocket: (
    socket: WebSocket,
    headers: Readonly<Record<string, unknown>>,
    path: string | undefined,
    tcpSocket: Socket,
  ) => void,
  {
    certificate,
    onRequest = busy,
  }: { certificate?: KeyAndCertificate | undefined; onRequest?: RequestListener } = {},
): Promise<TestWebSocketServer> => {
  const http = createWebServer(onRequest, certificate)
  const server = new WebSocketServer({ server: http, perMessageDeflate: true })
  server.on('connection', (socket, { headers, url, socket: tcpSocket }) => {
    socket.on('error', () => socket.terminate())
    onSocket(socket, headers, url, tcpSocket)
  })
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate()
  })
  const port = await listen(http)
  return { url: `${certificate === undefined ? 'ws' : 'wss'}://127.0.0.1:${port}`, clients: server.clients }
}

/** Starts a WebSocket server that accepts the upgrade, writes the bytes, and then never responds. Returns its URL. */
export const startUnresponsiveServer = async (...bytes: number[]): Promise<string> => {
  const port = await startTcpServer((socket) => {
    socket.once('data', (request: Buffer) => {
      socket.write(Buffer.concat([upgradeResponse(acceptKeyOf(request.toString())), Buffer.of(...bytes)]))
    })
  })
  return `ws://127.0.0.1:${port}`
}
