import { createServer, type Server } from 'node:http'
import { WebSocketServer, type RawData, type WebSocket } from 'ws'
import type { Address } from '../../domain/address.js'
import { refuseUpgrade, textResponse, writeResponse } from '../../server/http-response.js'
import { createServerConnection, type RawFrame, type ServerConnection } from './server-connection.js'
import type { ConnectionView, ServiceContext } from './service-context.js'

/** WebSocket server of the price reporter (section 4.3 of the service's documentation). */
export interface SocketServer {
  /** The HTTP server that accepts upgrades. */
  readonly server: Server
  readonly connections: readonly ConnectionView[]
  /** Number of upgrade requests, including refused ones. */
  readonly upgrades: number
  readonly publish: (address: Address, price: number) => void
  readonly send: (frame: RawFrame) => void
  /** Closes all connections: with a close frame if there is a code, otherwise without. */
  readonly drop: (code?: number) => void
  readonly close: () => void
}

/** A longer message closes its connection with 1009. */
const maxMessageBytes = 64 * 1024

export const createSocketServer = (context: ServiceContext): SocketServer => {
  const open = new Map<WebSocket, ServerConnection>()
  const upgrader = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes })
  let upgrades = 0
  let lastId = 0

  const accept = (socket: WebSocket, path: string): void => {
    const id = ++lastId
    const connection = createServerConnection(context, socket, id, path)
    open.set(socket, connection)
    if (context.faults.current.stall === true) socket.pause()
    socket.on('message', (data: RawData, isBinary) => {
      const bytes = data as Buffer
      const text = bytes.toString(isBinary ? 'hex' : 'utf8')
      context.frames.add({ connection: id, text })
      connection.receive(text, isBinary)
    })
    socket.on('ping', connection.countPing)
    // `ws` closes the socket after an error, such as a frame that violates the protocol.
    socket.on('error', () => undefined)
    socket.on('close', () => open.delete(socket))
  }

  const server = createServer((_, response) => {
    const headers = { Upgrade: 'websocket', Connection: 'Upgrade' }
    writeResponse(response, textResponse(426, 'Upgrade Required', headers))
  })
  server.on('upgrade', (request, socket, head) => {
    upgrades += 1
    const status = context.faults.current.refuseUpgrades
    if (status !== undefined) refuseUpgrade(socket, status)
    else upgrader.handleUpgrade(request, socket, head, (upgraded) => accept(upgraded, request.url ?? ''))
  })

  const drop = (code?: number): void => {
    for (const socket of open.keys()) {
      if (code === undefined) socket.terminate()
      else {
        // A paused socket does not read the close frame of the client.
        socket.resume()
        socket.close(code)
      }
    }
    open.clear()
  }

  let dropTimer: NodeJS.Timeout | undefined
  let isClosed = false
  context.faults.onChange(({ stall, drop: dropFault }) => {
    for (const socket of open.keys()) {
      if (stall === true) socket.pause()
      else socket.resume()
    }
    clearInterval(dropTimer)
    if (dropFault !== undefined && !isClosed) {
      dropTimer = setInterval(() => drop(dropFault.code), dropFault.every)
    }
  })

  return {
    server,
    get connections() {
      return Array.from(open.values(), ({ view }) => view)
    },
    get upgrades() {
      return upgrades
    },
    publish: (address, price) => open.forEach((connection) => connection.publish(address, price)),
    send: (frame) => open.forEach((connection) => connection.send(frame)),
    drop,
    close: () => {
      isClosed = true
      clearInterval(dropTimer)
      for (const socket of upgrader.clients) {
        socket.close(1001)
        socket.terminate()
      }
    },
  }
}
