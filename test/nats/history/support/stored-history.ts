import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { isRight } from 'fp-ts/lib/Either.js'
import { lastValueFrom, toArray } from 'rxjs'
import type { Topic } from 'svc-streams'
import type { Gap, HistoryRange, PastEvent, PastPrice } from 'svc-streams/history'
import { natsHistory, type NatsHistoryOptions } from 'svc-streams/nats'
import { onTestFinished } from 'vitest'
import { connectRaw } from '../../../support/nats/raw-nats.js'
import {
  startNatsServer,
  type NatsServer,
  type NatsServerOptions,
} from '../../../support/nats/nats-server.js'

/** Starts a server with JetStream. */
export const startJetStreamServer = (
  options: Omit<NatsServerOptions, 'onFinished'> = {},
): Promise<NatsServer> => startNatsServer({ onFinished: onTestFinished, jetStream: true, ...options })

/** JetStream over a connection that knows nothing of the library. */
export const openManager = async (servers: string): Promise<JetStreamManager> =>
  jetstreamManager(await connectRaw(onTestFinished, { servers }))

/** The events of a history. Throws at a Left. */
export const pastOf = async (
  options: NatsHistoryOptions,
  topic: Topic,
  range: HistoryRange = { from: 0 },
): Promise<readonly PastEvent[]> => {
  const events = await lastValueFrom(natsHistory(options).prices$(topic, range).pipe(toArray()))
  return events.map((event) => {
    if (isRight(event)) return event.right
    throw new Error(event.left.message)
  })
}

export const pricesOf = (events: readonly PastEvent[]): readonly number[] =>
  events.filter((event): event is PastPrice => event._tag === 'PastPrice').map(({ price }) => price)

export const gapsOf = (events: readonly PastEvent[]): readonly Gap[] =>
  events.filter((event): event is Gap => event._tag === 'Gap')

/** What the gateways of this process publish about their histories, in order: a message, or `written` after it. */
export const observeFailures = (): readonly string[] => {
  const failures: string[] = []
  const onMessage = (message: unknown): void => {
    const { error } = message as { readonly error?: Error }
    failures.push(error === undefined ? 'written' : error.message)
  }
  subscribe('svc-streams:gateway-history', onMessage)
  onTestFinished(() => void unsubscribe('svc-streams:gateway-history', onMessage))
  return failures
}
