import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createClient, type ClientOptions, type PriceClient } from 'svc-streams'
import { onTestFinished } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import { closing } from '../simulator.js'

// A price reporter that a test plays by hand, down to the bytes: it says nothing unless it is told to.

/** One connection, as the service sees it. */
export interface Line {
  /** Counts the connections that were opened, from 1. */
  readonly id: number
  /** What it was asked, in order: `subscribe svc-0x…`. */
  readonly asked: readonly string[]
  readonly pings: () => number
  readonly isOpen: () => boolean
  /** The code of its end, 1006 where the client said no goodbye; undefined until then. */
  readonly endedWith: () => number | undefined
  readonly confirm: (...topics: readonly string[]) => void
  readonly price: (topic: string, price: number) => void
  readonly say: (frame: string | Uint8Array) => void
  readonly pong: () => void
  readonly ping: () => void
  /** The TCP connection below, for what no WebSocket server would say. */
  readonly wire: Socket
}

/** What the service does by itself. */
export interface Play {
  /** Somebody has dialled: the how manieth dial it is, from 1. */
  readonly dialled?: (dial: number, wire: Socket) => void
  /** Whether it has answered the upgrade itself, or never will. */
  readonly upgrade?: (dial: number, wire: Socket, request: IncomingMessage) => boolean
  readonly opened?: (line: Line) => void
  readonly subscribed?: (line: Line, topic: string) => void
  /** Whether pings are answered. Default: yes. */
  readonly pongs?: boolean
}

export interface PlayedService {
  readonly url: string
  /** When somebody dialled, on the clock that only moves forward, in ms. */
  readonly dials: readonly number[]
  /** All lines that there ever were. */
  readonly lines: readonly Line[]
}

export const playService = async (play: Play = {}): Promise<PlayedService> => {
  const dials: number[] = []
  const lines: Line[] = []
  const wires = new Set<Socket>()
  const server = createServer((_request, response) => response.writeHead(426).end())
  const upgrader = new WebSocketServer({ noServer: true, autoPong: play.pongs ?? true })
  server.on('connection', (wire) => {
    wires.add(wire)
    wire.on('error', () => wire.destroy())
    const dial = dials.push(performance.now())
    play.dialled?.(dial, wire)
  })
  server.on('upgrade', (request, wire: Socket, head) => {
    if (play.upgrade?.(dials.length, wire, request) === true) return
    upgrader.handleUpgrade(request, wire, head, (socket) => {
      const line = lineOf(lines.length + 1, socket, wire, play)
      lines.push(line)
      play.opened?.(line)
    })
  })
  onTestFinished(async () => {
    for (const wire of wires) wire.destroy()
    server.close()
    await once(server, 'close')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, dials, lines }
}

const lineOf = (id: number, socket: WebSocket, wire: Socket, play: Play): Line => {
  const asked: string[] = []
  let pings = 0
  let code: number | undefined
  const say = (frame: string | Uint8Array): void => {
    if (socket.readyState === socket.OPEN) socket.send(frame)
  }
  const line: Line = {
    id,
    asked,
    pings: () => pings,
    isOpen: () => socket.readyState === socket.OPEN,
    endedWith: () => code,
    confirm: (...topics) => say(JSON.stringify({ subscriptions: topics })),
    price: (topic, price) => say(JSON.stringify({ topic, price })),
    say,
    pong: () => socket.pong(),
    ping: () => socket.ping(),
    wire,
  }
  // It was the test that broke it.
  socket.on('error', () => wire.destroy())
  socket.on('close', (given) => (code = given))
  socket.on('ping', () => pings++)
  socket.on('message', (data: Buffer) => {
    const { method, topic } = JSON.parse(data.toString()) as { method: string; topic: string }
    asked.push(`${method} ${topic}`)
    if (method === 'subscribe') play.subscribed?.(line, topic)
  })
  return line
}

/** Confirms, and gives the number of the line as the price: so a price tells where it is from. */
export const politely = (line: Line, topic: string): void => {
  line.confirm(topic)
  line.price(topic, line.id)
}

/**
 * The topics that are active on a line. Throws where one was asked for twice, or left without having been asked
 * for on this line.
 */
export const activeOn = ({ asked }: Line): readonly string[] => {
  const active = new Set<string>()
  for (const frame of asked) {
    const [method, topic = ''] = frame.split(' ')
    if (active.has(topic) === (method === 'subscribe')) throw new Error(`${frame}, in ${asked.join(', ')}`)
    if (method === 'subscribe') active.add(topic)
    else active.delete(topic)
  }
  return [...active].sort()
}

/** A client that opens connections to this address, and does not wait long to do it again. */
export const clientAt = (priceWsUrl: string, options: Partial<ClientOptions> = {}): PriceClient =>
  closing(
    createClient({
      environment: 'testnet',
      priceBaseUrl: 'http://127.0.0.1:1',
      priceWsUrl,
      reconnect: { initialDelay: 1, maxDelay: 1 },
      ...options,
    }),
  )
