import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createClient, type ClientOptions, type PriceClient } from 'svc-streams'
import { onTestFinished } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import { closeAfterTest } from '../close-after-test.js'

// A WebSocket service whose frames and bytes are written by a test. By itself it only accepts connections and answers pings.

/** The server's end of one connection. */
export interface ServiceConnection {
  /** The number of the connection, from 1. */
  readonly id: number
  /** The messages of the client, in order, as `subscribe svc-0x…`. */
  readonly receivedMessages: readonly string[]
  readonly pingCount: () => number
  readonly isOpen: () => boolean
  /** Undefined while the connection is open; 1006 if the client sent no close frame. */
  readonly closeCode: () => number | undefined
  readonly sendConfirmation: (...topics: readonly string[]) => void
  readonly sendPrice: (topic: string, price: number) => void
  /** Sends a text or binary frame. No effect unless the connection is open. */
  readonly send: (frame: string | Uint8Array) => void
  /** A pong that answers no ping. */
  readonly sendPong: () => void
  /** Answers the last ping. */
  readonly answerPing: () => void
  readonly sendPing: () => void
  /** The TCP connection, for bytes that a WebSocket server does not send. */
  readonly tcpSocket: Socket
}

/** Callbacks of the service. `dial` is the number of the TCP connection, from 1. */
export interface ScriptedServiceOptions {
  /** Called when a TCP connection is accepted. */
  readonly onDial?: (dial: number, tcpSocket: Socket) => void
  /** Returns true if it handles the upgrade request. Otherwise the service accepts the upgrade. */
  readonly onUpgrade?: (dial: number, tcpSocket: Socket, request: IncomingMessage) => boolean
  readonly onOpen?: (connection: ServiceConnection) => void
  readonly onSubscribe?: (connection: ServiceConnection, topic: string) => void
  /** Default: true. */
  readonly answersPings?: boolean
}

export interface ScriptedService {
  readonly url: string
  /** When each TCP connection was accepted: on a monotonic clock, in ms. */
  readonly dialTimes: readonly number[]
  /** All connections, open and closed. */
  readonly connections: readonly ServiceConnection[]
}

export const startScriptedService = async (
  options: ScriptedServiceOptions = {},
): Promise<ScriptedService> => {
  const dialTimes: number[] = []
  const connections: ServiceConnection[] = []
  const tcpSockets = new Set<Socket>()
  const server = createServer((_request, response) => response.writeHead(426).end())
  const webSocketServer = new WebSocketServer({ noServer: true, autoPong: options.answersPings ?? true })
  server.on('connection', (tcpSocket) => {
    tcpSockets.add(tcpSocket)
    tcpSocket.on('error', () => tcpSocket.destroy())
    const dial = dialTimes.push(performance.now())
    options.onDial?.(dial, tcpSocket)
  })
  server.on('upgrade', (request, tcpSocket: Socket, head) => {
    if (options.onUpgrade?.(dialTimes.length, tcpSocket, request) === true) return
    webSocketServer.handleUpgrade(request, tcpSocket, head, (webSocket) => {
      const connection = createConnection(connections.length + 1, webSocket, tcpSocket, options)
      connections.push(connection)
      options.onOpen?.(connection)
    })
  })
  onTestFinished(async () => {
    for (const tcpSocket of tcpSockets) tcpSocket.destroy()
    server.close()
    await once(server, 'close')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, dialTimes, connections }
}

const createConnection = (
  id: number,
  webSocket: WebSocket,
  tcpSocket: Socket,
  options: ScriptedServiceOptions,
): ServiceConnection => {
  const receivedMessages: string[] = []
  let pings = 0
  let lastPing: Buffer | undefined
  let closeCode: number | undefined
  const send = (frame: string | Uint8Array): void => {
    if (webSocket.readyState === webSocket.OPEN) webSocket.send(frame)
  }
  const connection: ServiceConnection = {
    id,
    receivedMessages,
    pingCount: () => pings,
    isOpen: () => webSocket.readyState === webSocket.OPEN,
    closeCode: () => closeCode,
    sendConfirmation: (...topics) => send(JSON.stringify({ subscriptions: topics })),
    sendPrice: (topic, price) => send(JSON.stringify({ topic, price })),
    send,
    sendPong: () => webSocket.pong(),
    answerPing: () => webSocket.pong(lastPing),
    sendPing: () => webSocket.ping(),
    tcpSocket,
  }
  // Tests break connections on purpose.
  webSocket.on('error', () => tcpSocket.destroy())
  webSocket.on('close', (code) => (closeCode = code))
  webSocket.on('ping', (payload: Buffer) => {
    pings++
    lastPing = payload
  })
  webSocket.on('message', (data: Buffer) => {
    const { method, topic } = JSON.parse(data.toString()) as { method: string; topic: string }
    receivedMessages.push(`${method} ${topic}`)
    if (method === 'subscribe') options.onSubscribe?.(connection, topic)
  })
  return connection
}

/** Confirms a topic and sends the number of the connection as its price, so that a test can trace a price. */
export const confirmAndSendPrice = (connection: ServiceConnection, topic: string): void => {
  connection.sendConfirmation(topic)
  connection.sendPrice(topic, connection.id)
}

/**
 * The subscribed topics of a connection. Throws if a topic was subscribed twice in a row, or unsubscribed while it was
 * not subscribed.
 */
export const activeTopics = ({ receivedMessages }: ServiceConnection): readonly string[] => {
  const active = new Set<string>()
  for (const message of receivedMessages) {
    const [method, topic = ''] = message.split(' ')
    if (active.has(topic) === (method === 'subscribe'))
      throw new Error(`${message}, in ${receivedMessages.join(', ')}`)
    if (method === 'subscribe') active.add(topic)
    else active.delete(topic)
  }
  return [...active].sort()
}

/** Creates a client that connects to this URL and redials after at most 1 ms. */
export const createPriceClient = (priceWsUrl: string, options: Partial<ClientOptions> = {}): PriceClient =>
  closeAfterTest(
    createClient({
      environment: 'testnet',
      priceBaseUrl: 'http://127.0.0.1:1',
      priceWsUrl,
      reconnect: { initialDelay: 1, maxDelay: 1 },
      ...options,
    }),
  )
