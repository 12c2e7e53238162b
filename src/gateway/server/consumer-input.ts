import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { Subscription } from 'rxjs'
import { delay } from '../../base/time/timers.js'
import type { GatewaySetup } from '../options.js'
import { MessageBucket, type Intake } from './intake.js'

/** `whileConnected`: ends when the consumer leaves. Of several pipelined responses, Node then closes only the first. */
export type RequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  whileConnected: Subscription,
) => void

/** The limits of what one connection sends. */
export interface InputConfig extends Pick<
  GatewaySetup,
  'clock' | 'maxMessagesPerSecond' | 'maxNewTopicsPerSecond'
> {
  readonly intake: Intake
}

/** A burst has as many messages, or new topics, as this number of seconds. */
const messageBurst = 10
const topicBurst = 100

/** Size of the data that is handled at once, in bytes. The smallest frame has 6, the smallest request 20. */
const sliceBytes = 256

/** Number of requests of a connection that wait for their responses. */
const maxPipelined = 16

/** The shortest wait after a limit, in ms. */
const shortestPause = 20

/** Number of messages that are handled at once after a wait. */
const messagesPerStep = 16

/** The messages of one connection that wait, in bytes: subscribe messages of all its topics. */
const maxWaitingBytes = 2 ** 20

/** What a message takes beside its text, in bytes. */
const messageOverhead = 100

interface WaitingMessage {
  readonly bytes: number
  /** Returns true if the service is asked for a further topic. */
  readonly handle: () => boolean
}

/**
 * What one consumer sends, requests and frames. The socket is read in slices. Messages of a WebSocket beyond a limit wait in a
 * queue, so that the pings and pongs behind them are handled at once: the consumer and the gateway know that the link is good.
 * Beyond the limit of the other frames and of requests, and while the queue is full, the socket is not read: the data stay in the
 * buffers of the system, and then the consumer cannot send. Data are still sent to the consumer.
 */
export class ConsumerInput {
  /** Of requests, pings and pongs. */
  private readonly reads: MessageBucket
  private readonly messages: MessageBucket
  private readonly newTopics: MessageBucket
  private readonly waiting: WaitingMessage[] = []
  private waitingBytes = 0
  private wait: Subscription | undefined
  /** True while nobody receives the data of the socket. */
  private isHeld = false
  private readonly responses = new Set<ServerResponse>()
  /** Ends when the connection ends. */
  readonly whileConnected = new Subscription()
  private pause: Subscription | undefined
  /** The time of the pauses that have ended, in ms. */
  private endedPauses = 0
  /** When the socket was read for the last time, while it is not read because of a limit: monotonic, in ms. */
  private pausedAt: number | undefined

  constructor(
    private readonly socket: Socket,
    private readonly config: InputConfig,
  ) {
    const { elapsed } = config.clock
    this.reads = new MessageBucket(config.maxMessagesPerSecond, messageBurst, elapsed)
    this.messages = new MessageBucket(config.maxMessagesPerSecond, messageBurst, elapsed)
    this.newTopics = new MessageBucket(config.maxNewTopicsPerSecond, topicBurst, elapsed)
    socket.once('close', () => {
      this.pause?.unsubscribe()
      this.wait?.unsubscribe()
      this.config.intake.waitingBytes -= this.waitingBytes
      this.waitingBytes = 0
      this.waiting.length = 0
      this.whileConnected.unsubscribe()
    })
  }

  /** The time in which the socket was not read because of a limit, in ms. */
  get pausedMs(): number {
    const { endedPauses, pausedAt, config } = this
    return pausedAt === undefined ? endedPauses : endedPauses + config.clock.elapsed() - pausedAt
  }

  /** Reads the socket, whose listeners of `data` receive the slices. Called when they are attached. */
  start(): void {
    this.isHeld = false
    // A listener that is added ends the direct way of Node from the socket to the parser of HTTP.
    this.socket.off('readable', this.onReadable)
    this.socket.on('readable', this.onReadable)
    this.onReadable()
  }

  /** Reads nothing until `start`. Ends a connection with an open response, which would follow that of the upgrade. */
  hold(): void {
    this.isHeld = true
    if (this.responses.size > 0) this.socket.destroy()
  }

  /** A ping or a pong, which does not wait. */
  onControlFrame(): void {
    this.reads.take()
  }

  /** A message of a WebSocket, which is handled as soon as the limits allow it. `length`: of its text. */
  onMessage(length: number, handle: WaitingMessage['handle']): void {
    const bytes = length + messageOverhead
    this.waiting.push({ bytes, handle })
    this.countWaiting(bytes)
    if (this.waiting.length === 1) this.handleWaiting()
  }

  onRequest(response: ServerResponse): void {
    this.reads.take()
    this.responses.add(response)
    response.once('close', () => {
      this.responses.delete(response)
      this.onReadable()
    })
  }

  private readonly onReadable = (): void => {
    if (this.pause === undefined && !this.isHeld) this.config.intake.add(this.readSlice)
  }

  private readonly readSlice = (): void => {
    const { socket, reads } = this
    if (this.isHeld || socket.destroyed) return
    if (this.isAnswering && socket.readableLength > 0) return
    if (this.isFull) return this.pauseFor(shortestPause)
    this.endPause()
    // Without data, `read` makes the socket emit its end.
    socket.read(Math.min(sliceBytes, socket.readableLength) || undefined)
    if (reads.waitMs > 0) this.pauseFor(Math.max(shortestPause, reads.waitMs))
    else if (socket.readableLength > 0) this.onReadable()
  }

  /** True while no further message may wait: those of this connection, or of all, are too many. */
  private get isFull(): boolean {
    return this.waitingBytes > 0 && (this.waitingBytes >= maxWaitingBytes || this.config.intake.isFull)
  }

  private readonly handleWaiting = (): void => {
    const { waiting, messages, newTopics } = this
    for (let count = 0; count < messagesPerStep; count++) {
      const [first] = waiting
      if (first === undefined) return
      const waitMs = Math.max(messages.waitMs, newTopics.waitMs)
      if (waitMs > 0) return this.waitFor(Math.max(shortestPause, waitMs))
      waiting.shift()
      this.countWaiting(-first.bytes)
      messages.take()
      if (first.handle()) newTopics.take()
    }
    if (waiting.length > 0) this.config.intake.add(this.handleWaiting)
  }

  private waitFor(ms: number): void {
    this.wait = delay(this.config.clock, Math.ceil(ms), () => this.config.intake.add(this.handleWaiting))
  }

  private countWaiting(bytes: number): void {
    this.waitingBytes += bytes
    this.config.intake.waitingBytes += bytes
  }

  /**
   * True while nothing is read: too many requests wait, or a response is being sent: Node then pauses its parser, and ends the
   * process if that gets data. The end of the connection is behind the requests: without it, requests of a consumer that has left would not end.
   */
  private get isAnswering(): boolean {
    return this.responses.size >= maxPipelined || [...this.responses].some(({ headersSent }) => headersSent)
  }

  private pauseFor(ms: number): void {
    this.pausedAt ??= this.config.clock.elapsed()
    this.pause = delay(this.config.clock, Math.ceil(ms), () => {
      this.pause = undefined
      this.onReadable()
    })
  }

  private endPause(): void {
    this.endedPauses = this.pausedMs
    this.pausedAt = undefined
  }
}

/** Reads the connections of a server by inputs, and handles their requests in turns. Returns the input of a socket. */
export const readInTurns = (
  server: Server,
  config: InputConfig,
  onRequest: RequestHandler,
): ((socket: Socket) => ConsumerInput) => {
  const inputs = new WeakMap<Socket, ConsumerInput>()
  const inputOf = (socket: Socket): ConsumerInput => {
    const input = inputs.get(socket) ?? new ConsumerInput(socket, config)
    inputs.set(socket, input)
    return input
  }
  server.on(connectionEvent(server), (socket: Socket) => inputOf(socket).start())
  const onAnyRequest: RequestListener = (request, response) => {
    const input = inputOf(request.socket)
    input.onRequest(response)
    config.intake.add(() => {
      if (!response.destroyed && !request.socket.destroyed) onRequest(request, response, input.whileConnected)
    })
  }
  server.on('request', onAnyRequest)
  // Node would answer an unknown expectation itself, without a limit.
  server.on('checkExpectation', onAnyRequest)
  return inputOf
}

/** The event of a server with a socket on which HTTP begins. */
export const connectionEvent = (server: Server): 'connection' | 'secureConnection' =>
  server instanceof TlsServer ? 'secureConnection' : 'connection'
