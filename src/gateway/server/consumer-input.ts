import type { IncomingMessage, Server, ServerResponse } from 'node:http'
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

/** The shortest time in which a socket is not read, in ms. */
const shortestPause = 20

/**
 * What one consumer sends, requests and frames. The socket is read in slices. Beyond a limit, it is not read for a while:
 * the data stay in the buffers of the system, and then the consumer cannot send. Data are still sent to the consumer.
 */
export class ConsumerInput {
  readonly messages: MessageBucket
  readonly newTopics: MessageBucket
  /** True while nobody receives the data of the socket. */
  private isHeld = false
  private request: IncomingMessage | undefined
  private readonly responses = new Set<ServerResponse>()
  /** Ends when the connection ends. */
  readonly whileConnected = new Subscription()
  private pause: Subscription | undefined
  /** The time in which the socket is not read because of a limit, until the end of the current pause, in ms. */
  pausedMs = 0

  constructor(
    private readonly socket: Socket,
    private readonly config: InputConfig,
  ) {
    const { elapsed } = config.clock
    this.messages = new MessageBucket(config.maxMessagesPerSecond, messageBurst, elapsed)
    this.newTopics = new MessageBucket(config.maxNewTopicsPerSecond, topicBurst, elapsed)
    socket.once('close', () => {
      this.pause?.unsubscribe()
      this.whileConnected.unsubscribe()
    })
  }

  /** Reads the socket, whose listeners of `data` receive the slices. Called when they are attached. */
  start(): void {
    this.isHeld = false
    // A listener that is added ends the direct way of Node from the socket to the parser of HTTP.
    this.socket.off('readable', this.onReadable)
    this.socket.on('readable', this.onReadable)
    this.onReadable()
  }

  /** Reads nothing until `start`. */
  hold(): void {
    this.isHeld = true
  }

  onRequest(request: IncomingMessage, response: ServerResponse): void {
    this.messages.take()
    this.request = request
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
    const { socket, messages, newTopics } = this
    if (this.isHeld || socket.destroyed) return
    if (this.isAnswering && socket.readableLength > 0) return
    // Without data, `read` makes the socket emit its end.
    socket.read(Math.min(sliceBytes, socket.readableLength) || undefined)
    const waitMs = Math.max(messages.waitMs, newTopics.waitMs)
    if (waitMs > 0) this.pauseFor(Math.max(shortestPause, waitMs))
    else if (socket.readableLength > 0) this.onReadable()
  }

  /**
   * True while no further request is read: too many wait, or a response is being sent, which may pause the parser of Node. The
   * end of the connection is behind the requests: without it, requests of a consumer that has left would not end.
   */
  private get isAnswering(): boolean {
    if (this.request?.complete !== true) return false
    return this.responses.size >= maxPipelined || [...this.responses].some(({ headersSent }) => headersSent)
  }

  private pauseFor(ms: number): void {
    this.pausedMs += ms
    this.pause = delay(this.config.clock, Math.ceil(ms), () => {
      this.pause = undefined
      this.onReadable()
    })
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
  server.on('request', (request, response) => {
    const input = inputOf(request.socket)
    input.onRequest(request, response)
    config.intake.add(() => {
      if (!response.destroyed && !request.socket.destroyed) onRequest(request, response, input.whileConnected)
    })
  })
  return inputOf
}

/** The event of a server with a socket on which HTTP begins. */
export const connectionEvent = (server: Server): 'connection' | 'secureConnection' =>
  server instanceof TlsServer ? 'secureConnection' : 'connection'
