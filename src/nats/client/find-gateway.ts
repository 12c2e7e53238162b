import type { NatsConnection } from '@nats-io/transport-node'
import { isRight } from 'fp-ts/lib/Either.js'
import { skipWhile, Subscription, type BehaviorSubject } from 'rxjs'
import type { Clock } from '../../base/time/clock.js'
import { responsiveDeadline } from '../../base/time/timers.js'
import { decodeConsumerMessage, type ConsumerMessage } from '../codec/messages.js'
import type { NatsLink } from '../connection/nats-link.js'
import { protocolVersion, type Subjects } from '../subjects.js'

/** The state that the transports of a client over NATS share. */
export interface ConsumerContext {
  readonly link: NatsLink
  readonly clock: Clock
  readonly subjects: Subjects
  /** An identifier of the client, by which gateways take turns. */
  readonly id: string
  /** The limit from the request to its response, in ms. */
  readonly requestTimeout: number
  /** Lag of a price above which the session ends, in ms. */
  readonly maxLag: number
  /** The gateway of the open session, for the requests of the same client; `undefined` while no session is open. */
  readonly followed$: BehaviorSubject<string | undefined>
}

/** The time in which NATS and a gateway must be found, in ms. */
export const findTime = 2_000

/** The time between two discovery requests, in ms. */
const repeatTime = 500

interface Search {
  /** The gateway that is used without asking. Default: all are asked, and the first one that can serve is used. */
  readonly followed?: string | undefined
  readonly onFound: (connection: NatsConnection, gateway: string) => void
  /** NATS or a gateway was not found within `findTime`, or later the connection is lost. */
  readonly onFailed: (reason: string) => void
}

/** A gateway with consumers answers first, so that the others stand by. Unsubscribing ends the search and the use of the connection. */
export const reachGateway = (
  { link, clock, subjects }: ConsumerContext,
  { followed, onFound, onFailed }: Search,
): Subscription => {
  const search = new Subscription()
  const asking = new Subscription()
  search.add(asking)
  let problem = 'NATS is not reachable'
  let unanswered: NatsConnection | undefined

  const onAnswer = (connection: NatsConnection, answer: ConsumerMessage): void => {
    if (answer.type !== 'ready' && answer.type !== 'down') return
    unanswered = undefined
    if (answer.type === 'down') problem = answer.reason
    else if (answer.version !== protocolVersion)
      problem = `the gateway has version ${answer.version} of the messages, expected ${protocolVersion}`
    else {
      asking.unsubscribe()
      onFound(connection, answer.gateway)
    }
  }
  const ask = async (connection: NatsConnection): Promise<void> => {
    const options = { maxWait: findTime, noMux: true } as const
    for await (const message of await connection.requestMany(subjects.gateways, '', options)) {
      const decoded = decodeConsumerMessage(message.string())
      if (isRight(decoded) && !asking.closed) onAnswer(connection, decoded.right)
    }
  }
  const onConnected = (connection: NatsConnection): void => {
    problem = 'no gateway answers'
    if (followed !== undefined) {
      asking.unsubscribe()
      return onFound(connection, followed)
    }
    unanswered = connection
    // Without a gateway, and without a permission, which the connection reports.
    const askAgain = (): void => void ask(connection).catch(() => undefined)
    asking.add(clock.startInterval(askAgain, repeatTime))
    askAgain()
  }

  asking.add(
    responsiveDeadline(clock, findTime, () => {
      onFailed(problem + link.problemText)
      if (unanswered !== undefined) leaveServer(unanswered, link)
    }),
  )
  search.add(
    link.connection$.pipe(skipWhile((connection) => connection === undefined)).subscribe({
      next: (connection) => {
        if (connection !== undefined) onConnected(connection)
        else onFailed(`the connection to NATS is lost${link.problemText}`)
      },
      complete: () => onFailed('the client is closed'),
    }),
  )
  return search
}

/** The server may have lost the other servers of the cluster, where a gateway may answer. */
const leaveServer = (connection: NatsConnection, { parsed }: NatsLink): void => {
  const announced = connection.info?.connect_urls ?? []
  if (parsed.options.servers.length + announced.length > 1) void connection.reconnect()
}
