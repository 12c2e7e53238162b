import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { isLeft, isRight, right, type Either } from 'fp-ts/lib/Either.js'
import { firstValueFrom, lastValueFrom, Subject, toArray } from 'rxjs'
import type { Price, PriceError, Topic } from 'svc-streams'
import type { Gap, HistoryRange, PastEvent, PastPrice } from 'svc-streams/history'
import { natsHistory, startNatsGateway, type NatsHistoryOptions } from 'svc-streams/nats'
import { createTestClient, price } from 'svc-streams/testing'
import { expect, onTestFinished } from 'vitest'
import { closeAfterTest } from '../../../support/close-after-test.js'
import { collectEvents } from '../../../support/collect-events.js'
import { connectRaw } from '../../../support/nats/raw-nats.js'
import {
  startNatsServer,
  type NatsServer,
  type NatsServerOptions,
} from '../../../support/nats/nats-server.js'
import { eventually } from '../../../support/time/eventually.js'
import { ethTopic } from '../../../support/tokens.js'
import { createNatsClient, startGatewayInProcess } from '../../support/start-in-process.js'

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

/** The first event of a history, which has to be an error. */
export const failureOf = async (options: NatsHistoryOptions, range: HistoryRange = { from: 0 }) => {
  const event = await firstValueFrom(natsHistory(options).prices$(ethTopic, range))
  if (isLeft(event)) return event.left
  throw new Error(`no error: ${JSON.stringify(event)}`)
}

/** Starts a gateway with a history and a consumer. Resolves when the consumer has prices. */
export const startWithConsumer = async (servers: string) => {
  const { service } = await startGatewayInProcess({ servers, history: {} })
  const consumer = createNatsClient({ servers })
  const events = collectEvents(consumer.price$(ethTopic))
  const storedMore = async (count: number) => {
    const before = pricesOf(await pastOf({ servers }, ethTopic)).length
    await eventually(async () =>
      expect(pricesOf(await pastOf({ servers }, ethTopic)).length).toBeGreaterThan(before + count),
    )
  }
  const receivedMore = async (count: number) => {
    const before = events.values().length
    await eventually(() => expect(events.values().length).toBeGreaterThan(before + count))
  }
  await receivedMore(0)
  return { service, consumer, events, storedMore, receivedMore }
}

/** Resolves when the history has some prices. */
export const isStored = (servers: string) =>
  eventually(async () => expect(pricesOf(await pastOf({ servers }, ethTopic)).length).toBeGreaterThan(3))

/** Starts a gateway of a service whose prices are 1, 2, 3, …, and a consumer. Resolves when the first one is stored. */
export const startCounting = async (servers: string) => {
  const price$ = new Subject<Either<PriceError, Price>>()
  const client = createTestClient({ prices: { [ethTopic]: price$ } })
  closeAfterTest(await startNatsGateway(client, { servers, history: {} }))
  collectEvents(createNatsClient({ servers }).price$(ethTopic))
  let last = 0
  const emit = (count: number): void => {
    for (const end = last + count; last < end;) {
      last += 1
      price$.next(right(price(ethTopic, last, { receivedAt: Date.now() })))
    }
  }
  await eventually(() => price$.observed)
  emit(1)
  const past = () => pastOf({ servers }, ethTopic)
  await eventually(async () => expect(pricesOf(await past())).toEqual([1]))
  return { emit, past }
}
