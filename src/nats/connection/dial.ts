import { NatsConnectionImpl, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node'
import { Subscription } from 'rxjs'
import type { Cancel } from '../../task/cancellable-task.js'
import type { Clock } from '../../time/clock.js'
import { delay } from '../../time/deadline.js'
import { useTcpTransport, type TransportOptions } from './tcp-transport.js'

/** The time after which the next server is dialled too, in ms. A server that is stopped accepts TCP, and then is silent. */
const nextDialTime = 250

/** Receives the result of a dial. One method is called, once. */
export interface DialListener {
  /** `server`: that of the list. */
  readonly onConnected: (connection: NatsConnection, server: string) => void
  /** No server has accepted. `error`: of the last dial. */
  readonly onFailed: (error: unknown) => void
}

/**
 * Connects to the first of several servers that accepts. The next server of the list is dialled when a dial fails, and
 * while others are under way. At most one socket per server is open, and all but that of the result are destroyed.
 */
export const dialServers = (
  servers: readonly string[],
  options: NodeConnectionOptions,
  clock: Clock,
  { onConnected, onFailed }: DialListener,
): Cancel => {
  const dials = new Map<string, AbortController>()
  const waiting = [...servers]
  let timer = new Subscription()
  let isSettled = false

  const settle = (): void => {
    isSettled = true
    timer.unsubscribe()
    for (const dial of dials.values()) dial.abort()
    dials.clear()
  }
  const dialNext = (): void => {
    timer.unsubscribe()
    const server = waiting.shift()
    if (server === undefined) return
    if (waiting.length > 0) timer = delay(clock, nextDialTime, dialNext)
    const controller = new AbortController()
    dials.set(server, controller)
    dial({ ...options, servers: server, signal: controller.signal }).then(
      (connection) => {
        dials.delete(server)
        if (isSettled) return void connection.close()
        settle()
        onConnected(connection, server)
      },
      (error: unknown) => {
        dials.delete(server)
        if (isSettled) return
        if (waiting.length > 0) return dialNext()
        if (dials.size > 0) return
        settle()
        onFailed(error)
      },
    )
  }
  dialNext()
  return settle
}

const dial = (options: TransportOptions): Promise<NatsConnection> => {
  // This setting of the NATS client is one for the process: `connect` and `wsconnect` of its packages change it too.
  useTcpTransport()
  return NatsConnectionImpl.connect(options)
}
