import type { NatsConnection } from '@nats-io/transport-node'
import { isRight } from 'fp-ts/lib/Either.js'
import { decodeConsumerMessage, type ConsumerMessage } from '../codec/messages.js'
import { Subscription } from 'rxjs'
import type { Cancel } from '../../base/task/cancellable-task.js'
import { responsiveDeadline } from '../../base/time/responsive-deadlines.js'
import { protocolVersion } from '../subjects.js'
import type { ConsumerContext } from './consumer-context.js'

/** The time in which NATS and a gateway must be found, in ms. */
export const findTime = 2_000

/** The time between two discovery requests, in ms. */
const repeatTime = 500

/** The results of the search for a gateway. */
interface SearchListener {
  /** `isAsked`: false for the current gateway, which is not asked again. */
  readonly onFound: (connection: NatsConnection, gateway: string, isAsked: boolean) => void
  /** NATS or a gateway was not found within `findTime`, or later the connection is lost. */
  readonly onFailed: (reason: string) => void
}

/**
 * Connects to NATS, and finds a gateway there that can serve. `isReached`: returns true when the caller no longer
 * waits. Unsubscribing ends the search and the use of the connection.
 */
export const reachGateway = (
  context: ConsumerContext,
  isReached: () => boolean,
  followed: () => string | undefined,
  { onFound, onFailed }: SearchListener,
): Subscription => {
  const { link, clock } = context
  const search = new Subscription()
  let refusal = 'NATS is not reachable'
  let unanswered: NatsConnection | undefined
  search.add(
    responsiveDeadline(clock, findTime, () => {
      if (isReached()) return
      onFailed(`${refusal}${link.problemText}`)
      if (unanswered !== undefined) link.onUnanswered(unanswered)
    }),
  )
  search.add(
    link.use({
      onConnected: (connection) => {
        refusal = 'no gateway answers'
        const id = followed()
        if (id !== undefined) return onFound(connection, id, false)
        unanswered = connection
        search.add(
          askGateways(context, connection, {
            onReady: (gateway) => {
              unanswered = undefined
              link.onAnswered()
              onFound(connection, gateway, true)
            },
            onRefused: (reason) => {
              unanswered = undefined
              refusal = reason
            },
          }),
        )
      },
      onLost: onFailed,
    }),
  )
  return search
}

interface AnswerListener {
  /** Called at most once, with the first gateway that answers and can serve. */
  readonly onReady: (gateway: string) => void
  /** A gateway answers that it cannot serve. */
  readonly onRefused: (reason: string) => void
}

/**
 * Asks all gateways whether they can serve, until one answers that it can, or the search is cancelled. A stopped
 * gateway does not answer. A gateway with consumers answers first, so that the other gateways stand by.
 */
const askGateways = (
  { clock, subjects }: ConsumerContext,
  connection: NatsConnection,
  { onReady, onRefused }: AnswerListener,
): Cancel => {
  let isEnded = false
  const onAnswer = (answer: ConsumerMessage): void => {
    if (answer.type === 'down') onRefused(answer.reason)
    if (answer.type !== 'ready') return
    if (answer.version !== protocolVersion) {
      return onRefused(
        `the gateway has version ${answer.version} of the messages, expected ${protocolVersion}`,
      )
    }
    isEnded = true
    stop()
    onReady(answer.gateway)
  }
  const ask = async (): Promise<void> => {
    const options = { maxWait: findTime, noMux: true } as const
    for await (const message of await connection.requestMany(subjects.gateways, '', options)) {
      const decoded = decodeConsumerMessage(message.string())
      if (isRight(decoded) && !isEnded) onAnswer(decoded.right)
    }
  }
  // Without a gateway, and without a permission, which the connection reports.
  const askAgain = (): void => void ask().catch(() => undefined)
  const stop = clock.startInterval(askAgain, repeatTime)
  askAgain()
  return () => {
    isEnded = true
    stop()
  }
}
