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
  get: (request, onResult, onSent) => {
    onSent?.()
    return startRequest(context, request, onResult)
  },
  close: () => context.link.close(),
})

/** In ms. The limit of the client ends a request earlier: it waits for what arrived while the event loop was blocked. */
const graceTime = 10_000

/** Returns the function that aborts the request. */
const startRequest = (
  context: ConsumerContext,
  { path, maxBodyBytes, newConnection = false }: HttpRequest,
  onResult: OnHttpResult,
): (() => void) => {
  const { link, clock, subjects, requestTimeout, maxLag, followed$, id: consumer } = context
  const startedAt = clock.elapsed()
  const resources = new Subscription()
  let isSettled = false

  const settle = (result: HttpResult, isRepeatable = false): void => {
    if (resources.closed) return
    isSettled = true
    resources.unsubscribe()
    onResult(result, isRepeatable && !newConnection)
  }
  const fail = (reason: string, isRepeatable = false): void =>
    settle(left(networkError(new Error(reason))), isRepeatable)

  const onMessage = (message: Msg): void => {
    const decoded = decodeConsumerMessage(message.string())
    if (isLeft(decoded)) return fail(`invalid response of the gateway: ${decoded.left.message}`)
    const response = decoded.right
    if (response.type !== 'response') return fail(`the gateway answers with a ${response.type} message`)
    const { status, headers, body, lateMs } = response
    if (lateMs > maxLag) return fail(`the response is ${Math.round(lateMs)} ms late`)
    const isTooLong = Buffer.byteLength(body) > maxBodyBytes
    settle(isTooLong ? left(bodyTooLong(body, maxBodyBytes)) : right({ status, headers, body }))
  }
  const onError = (error: unknown): void => {
    const hasLeft = error instanceof RequestError && error.isNoResponders()
    fail(hasLeft ? 'the gateway has left NATS' : messageOf(error), hasLeft)
  }
  const onFound = (connection: NatsConnection, gateway: string): void => {
    const subject = subjects.gateway(gateway)
    const timeout = Math.max(1, startedAt + requestTimeout - clock.elapsed())
    const text = encodeGatewayMessage({ type: 'get', path, consumer, timeout })
    const maxBytes = maxPayloadOf(connection)
    if (Buffer.byteLength(text) > maxBytes)
      return fail(`the request cannot be sent: NATS allows messages of ${maxBytes} bytes`)
    // A gateway groups the requests of consumers by the subjects of the responses.
    const reply = createInbox(link.parsed.options.inboxPrefix)
    const options = { noMux: true, reply, timeout: timeout + graceTime } as const
    connection.request(subject, text, options).then(onMessage, onError)
    resources.add(() => {
      if (!isSettled) publish(connection, subject, encodeGatewayMessage({ type: 'cancel' }), reply)
    })
  }

  const followed = newConnection ? undefined : followed$.value
  if (followed !== undefined)
    resources.add(
      followed$.subscribe((gateway) => {
        if (gateway !== followed) fail('the gateway is lost', true)
      }),
    )
  resources.add(reachGateway(context, { followed, onFound, onFailed: fail }))
  return () => resources.unsubscribe()
}
