import { createServer, type Server } from 'node:http'
import { WebSocketServer, type RawData, type WebSocket } from 'ws'
import type { Address } from '../../base/domain/address.js'
import { refuseUpgrade, textResponse, writeResponse } from '../../wire/server/http-response.js'
import type { Faults } from '../faults/faults.js'
import { ServerConnection, type RawFrame } from './server-connection.js'
import type { ConnectionView, ServiceContext } from './service-context.js'

/** A longer message closes its connection with 1009. */
const maxMessageBytes = 64 * 1024

/** WebSocket server of the price reporter (section 4.3 of the service's documentation). */
export class SocketServer {
  /** The HTTP server that accepts upgrades. */
  readonly server: Server
  /** Number of upgrade requests, including refused ones. */
  upgrades = 0
  private readonly open = new Map<WebSocket, ServerConnection>()
  private readonly upgrader = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes })
  private lastId = 0
  private dropTimer: NodeJS.Timeout | undefined
  private isClosed = false

  constructor(private readonly context: ServiceContext) {
    this.server = createServer((_, response) => {
      const headers = { Upgrade: 'websocket', Connection: 'Upgrade' }
      writeResponse(response, textResponse(426, 'Upgrade Required', headers))
    })
    this.server.on('upgrade', (request, socket, head) => {
      this.upgrades += 1
      const status = context.faults.current.refuseUpgrades
      if (status !== undefined) return refuseUpgrade(socket, status)
      this.upgrader.handleUpgrade(request, socket, head, (upgraded) =>
        this.accept(upgraded, request.url ?? ''),
      )
    })
    context.faults.onChange((faults) => this.onFaults(faults))
  }

  get connections(): readonly ConnectionView[] {
    return Array.from(this.open.values(), ({ view }) => view)
  }

  publish(address: Address, price: number): void {
    for (const connection of this.open.values()) connection.publish(address, price)
  }

  send(frame: RawFrame): void {
    for (const connection of this.open.values()) connection.send(frame)
  }

  /** Closes all connections: with a close frame if there is a code, otherwise without. */
  drop(code?: number): void {
    for (const socket of this.open.keys()) {
      if (code === undefined) socket.terminate()
      else {
        // A paused socket does not read the close frame of the client.
        socket.resume()
        socket.close(code)
      }
    }
    this.open.clear()
  }

  close(): void {
    this.isClosed = true
    clearInterval(this.dropTimer)
    for (const socket of this.upgrader.clients) {
      socket.close(1001)
      socket.terminate()
    }
  }

  private accept(socket: WebSocket, path: string): void {
    const { faults, frames } = this.context
    const id = ++this.lastId
    const connection = new ServerConnection(this.context, socket, id, path)
    this.open.set(socket, connection)
    if (faults.current.stall === true) socket.pause()
    socket.on('message', (data: RawData, isBinary) => {
      const text = (data as Buffer).toString(isBinary ? 'hex' : 'utf8')
      frames.add({ connection: id, text })
      connection.receive(text, isBinary)
    })
    socket.on('ping', () => connection.countPing())
    // `ws` closes the socket after an error, such as a frame that violates the protocol.
    socket.on('error', () => undefined)
    socket.on('close', () => this.open.delete(socket))
  }

  private onFaults({ stall, drop }: Faults): void {
    for (const socket of this.open.keys()) {
      if (stall === true) socket.pause()
      else socket.resume()
    }
    clearInterval(this.dropTimer)
    if (drop !== undefined && !this.isClosed) {
      this.dropTimer = setInterval(() => this.drop(drop.code), drop.every)
    }
  }
}
