import { createServer, STATUS_CODES, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type RawData, type WebSocket } from 'ws'
import type { Address } from '../../domain/address.js'
import type { Frame } from '../faults/garbage.js'
import { send } from '../faults/http-faults.js'
import { createServiceConnection, type ServiceConnection } from './connection.js'
import { plainText } from './http-answer.js'
import type { Journal } from './journal.js'
import type { ConnectionView, ReceivedFrame } from './received.js'
import type { Service } from './service.js'

/** The price reporter's WebSocket side (section 4.3 of the service's documentation). */
export interface SocketServer {
  /** The server to listen with. */
  readonly server: Server
  readonly connections: readonly ConnectionView[]
  /** How many upgrades were asked for, refused ones included. */
  readonly upgrades: number
  readonly publish: (address: Address, price: number) => void
  readonly send: (frame: Frame) => void
  /** Ends all connections: with a close frame where there is a code, and else without. */
  readonly drop: (code?: number) => void
  readonly close: () => void
}

/** A longer message from a client ends its connection with 1009, in bytes. */
const longestMessage = 64 * 1024

export const createSocketServer = (service: Service, frames: Journal<ReceivedFrame>): SocketServer => {
  const open = new Map<WebSocket, ServiceConnection>()
  const upgrader = new WebSocketServer({ noServer: true, maxPayload: longestMessage })
  let upgrades = 0
  let accepted = 0

  const accept = (socket: WebSocket, path: string): void => {
    const id = ++accepted
    const connection = createServiceConnection(service, socket, id, path)
    open.set(socket, connection)
    if (service.faults.current.stall === true) socket.pause()
    socket.on('message', (data: RawData, isBinary) => {
      const bytes = data as Buffer
      const text = bytes.toString(isBinary ? 'hex' : 'utf8')
      frames.add({ connection: id, text })
      connection.receive(text, isBinary)
    })
    socket.on('ping', connection.pinged)
    // The socket closes by itself after an error, such as a frame that breaks the rules.
    socket.on('error', () => undefined)
    socket.on('close', () => open.delete(socket))
  }

  const server = createServer((_, response) => {
    send(response, plainText(426, 'Upgrade Required', { Upgrade: 'websocket', Connection: 'Upgrade' }), false)
  })
  server.on('upgrade', (request, socket, head) => {
    upgrades += 1
    const refusal = service.faults.current.refuseUpgrades
    if (refusal !== undefined) refuse(socket, refusal)
    else upgrader.handleUpgrade(request, socket, head, (upgraded) => accept(upgraded, request.url ?? ''))
  })

  const drop = (code?: number): void => {
    for (const socket of open.keys()) {
      if (code === undefined) socket.terminate()
      else {
        // A stalled connection could not take part in the closing handshake.
        socket.resume()
        socket.close(code)
      }
    }
    open.clear()
  }

  let dropping: NodeJS.Timeout | undefined
  let closed = false
  service.faults.onChange(({ stall, drop: fault }) => {
    for (const socket of open.keys()) {
      if (stall === true) socket.pause()
      else socket.resume()
    }
    clearInterval(dropping)
    if (fault !== undefined && !closed) dropping = setInterval(() => drop(fault.code), fault.every)
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
      closed = true
      clearInterval(dropping)
      for (const socket of upgrader.clients) {
        socket.close(1001)
        socket.terminate()
      }
    },
  }
}

const refuse = (socket: Duplex, status: number): void => {
  const reason = STATUS_CODES[status] ?? 'Unknown'
  socket.on('error', () => undefined)
  socket.once('finish', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Type: text/plain\r\n` +
      `Content-Length: ${reason.length}\r\n\r\n${reason}`,
  )
}
