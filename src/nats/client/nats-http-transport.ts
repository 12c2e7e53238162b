import { createInbox, RequestError, type Msg, type NatsConnection } from '@nats-io/transport-node'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { networkError } from '../../base/errors/constructors.js'
import { messageOf } from '../../base/errors/text.js'
import {
  bodyTooLong,
  type HttpRequest,
  type HttpResult,
  type HttpTransport,
  type OnHttpResult,
} from '../../wire/transport/ports.js'
import { decodeConsumerMessage, encodeGatewayMessage } from '../codec/messages.js'
import { maxPayloadOf, publish } from '../publish.js'
import { reachGateway, type ConsumerContext } from './find-gateway.js'

/** Sends requests to gateways over NATS. Only the path is sent, without headers and keys. */
export const natsHttpTransport = (context: ConsumerContext): HttpTransport => ({
  get: (request, onResult) => new NatsRequest(context, request, onResult).start(),
  close: () => context.link.close(),
})

/**
 * The limit of a response is that of the client, which waits for what has arrived while the event loop was blocked. The NATS client
 * does not, and gives up later. In ms.
 */
const graceTime = 10_000

class NatsRequest {
  private readonly resources = new Subscription()
  private readonly startedAt: number
  private isFound = false
  private isSettled = false

  constructor(
    private readonly context: ConsumerContext,
    private readonly request: HttpRequest,
    private readonly onResult: OnHttpResult,
  ) {
    this.startedAt = context.clock.elapsed()
  }

  /** Returns the function that aborts the request. */
  start(): () => void {
    const { context, request, resources } = this
    const { followed$ } = context
    const followed = request.newConnection === true ? undefined : followed$.value
    if (followed !== undefined)
      resources.add(
        followed$.subscribe((id) => {
          if (id !== followed) this.fail('the gateway is lost', true)
        }),
      )
    resources.add(
      reachGateway(context, {
        followed,
        isReached: () => this.isFound,
        onFound: (connection, gateway) => this.send(connection, gateway),
        onFailed: (reason) => this.fail(reason),
      }),
    )
    return () => resources.unsubscribe()
  }

  private send(connection: NatsConnection, gateway: string): void {
    const { link, subjects, clock, requestTimeout, id: consumer } = this.context
    this.isFound = true
    const subject = subjects.gateway(gateway)
    const timeout = Math.max(1, this.startedAt + requestTimeout - clock.elapsed())
    const text = encodeGatewayMessage({ type: 'get', path: this.request.path, consumer, timeout })
    const maxBytes = maxPayloadOf(connection)
    if (Buffer.byteLength(text) > maxBytes)
      return this.fail(`the request cannot be sent: NATS allows messages of ${maxBytes} bytes`)
    // A gateway groups the requests of consumers by the subjects of the responses.
    const reply = createInbox(link.parsed.options.inboxPrefix)
    connection.request(subject, text, { noMux: true, reply, timeout: timeout + graceTime }).then(
      (message) => this.onMessage(message),
      (error: unknown) => this.onError(error),
    )
    this.resources.add(() => {
      if (!this.isSettled) publish(connection, subject, encodeGatewayMessage({ type: 'cancel' }), reply)
    })
  }

  private onError(error: unknown): void {
    const hasLeft = error instanceof RequestError && error.isNoResponders()
    this.fail(hasLeft ? 'the gateway has left NATS' : messageOf(error), hasLeft)
  }

  private onMessage(message: Msg): void {
    const decoded = decodeConsumerMessage(message.string())
    if (isLeft(decoded)) return this.fail(`invalid response of the gateway: ${decoded.left.message}`)
    const response = decoded.right
    if (response.type !== 'response') return this.fail(`the gateway answers with a ${response.type} message`)
    const { status, headers, body, lateMs } = response
    const { maxBodyBytes } = this.request
    if (lateMs > this.context.maxLag) return this.fail(`the response is ${Math.round(lateMs)} ms late`)
    const isTooLong = Buffer.byteLength(body) > maxBodyBytes
    this.settle(isTooLong ? left(bodyTooLong(body, maxBodyBytes)) : right({ status, headers, body }))
  }

  private fail(reason: string, isRepeatable = false): void {
    this.settle(left(networkError(new Error(reason))), isRepeatable)
  }

  private settle(result: HttpResult, isRepeatable = false): void {
    if (this.resources.closed) return
    this.isSettled = true
    this.resources.unsubscribe()
    this.onResult(result, isRepeatable && this.request.newConnection !== true)
  }
}
