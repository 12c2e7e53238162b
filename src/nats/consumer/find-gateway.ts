import { createInbox, type NatsConnection } from '@nats-io/transport-node'
import { isRight } from 'fp-ts/lib/Either.js'
import { decodeConsumerMessage, type ConsumerMessage } from '../../codec/nats/messages.js'
import type { Cancel } from '../../task/cancellable-task.js'
import { publish } from '../connection/publish.js'
import { protocolVersion } from '../subjects.js'
import type { ConsumerContext } from './consumer-context.js'

/** The time in which NATS and a gateway must be found, in ms. */
export const findTime = 2_000

/** The time between two discovery requests, in ms. */
const repeatTime = 500

export interface GatewayListener {
  /** Called at most once, with the first gateway that answers and can serve. */
  readonly onFound: (gateway: string) => void
  /** A gateway answers that it cannot serve. */
  readonly onRefused: (reason: string) => void
}

/**
 * Asks all gateways which of them can serve, until one can or the search is cancelled. A gateway that is stopped does not
 * answer. A gateway that has consumers answers first, so that the others stand by.
 */
export const findGateway = (
  { clock, inboxPrefix, subjects }: Pick<ConsumerContext, 'clock' | 'inboxPrefix' | 'subjects'>,
  connection: NatsConnection,
  { onFound, onRefused }: GatewayListener,
): Cancel => {
  const reply = createInbox(inboxPrefix)
  const stop = (): void => {
    stopRepeating()
    subscription.unsubscribe()
  }
  const onAnswer = (answer: ConsumerMessage): void => {
    if (answer.type === 'down') onRefused(answer.reason)
    if (answer.type !== 'ready') return
    if (answer.version !== protocolVersion) {
      return onRefused(
        `the gateway has version ${answer.version} of the messages, expected ${protocolVersion}`,
      )
    }
    stop()
    onFound(answer.gateway)
  }
  const subscription = connection.subscribe(reply, {
    callback: (error, message) => {
      const decoded = error === null ? decodeConsumerMessage(message.string()) : undefined
      if (decoded !== undefined && isRight(decoded)) onAnswer(decoded.right)
    },
  })
  const ask = (): void => void publish(connection, subjects.gateways, '', reply)
  const stopRepeating = clock.startInterval(ask, repeatTime)
  ask()
  return stop
}
