import type { Topic } from 'svc-streams'
import { expect, type TestContext } from 'vitest'
import { startNatsServer, type NatsServer } from '../../support/nats/nats-server.js'
import { eventually } from '../../support/time/eventually.js'
import { btcTopic, ethTopic } from '../../support/tokens.js'
import type { ConsumerProcess } from './consumer-process.js'
import { Fleet } from './fleet.js'
import type { PriceLine } from './lines.js'
import { printTime } from './print-time.js'

/** The topics of the market. */
export const topics: readonly Topic[] = [ethTopic, btcTopic]

export interface FleetWithServer {
  readonly fleet: Fleet
  readonly nats: NatsServer
}

/** Starts a NATS server, and a fleet that uses it. */
export const startFleet = async (test: TestContext): Promise<FleetWithServer> => {
  const nats = await startNatsServer({ onFinished: test.onTestFinished })
  return { fleet: new Fleet(test, nats.url), nats }
}

/** Starts a consumer that subscribes to all topics. Resolves when each one has a price. */
export const startSubscribedConsumer = async (
  fleet: Fleet,
  options: Parameters<Fleet['startConsumer']>[0] = {},
): Promise<ConsumerProcess> => {
  const since = Date.now()
  const consumer = await fleet.startConsumer(options)
  for (const topic of topics) consumer.subscribe(topic)
  await consumer.pricesSince(since, ...topics)
  return consumer
}

type TimedEvent = Pick<PriceLine, 'at' | 'tag'>

/**
 * The time from `since` to an event, in ms. Time in which the machine was too busy does not count. `NATS_TIMES=1` prints it,
 * for the table of docs/operate/many-machines.md.
 */
export const measureTime = (fleet: Fleet, since: number, { at, tag }: TimedEvent): number => {
  const elapsed = at - since - fleet.pauseBetween(since, at)
  printTime(`${fleet.title}: ${tag} after`, elapsed)
  return elapsed
}

/** Fails if the event came later than `limit` ms after `since`. */
export const expectWithin = (fleet: Fleet, limit: number, since: number, event: TimedEvent): void => {
  const elapsed = measureTime(fleet, since, event)
  expect(elapsed, `${event.tag} after ${elapsed} ms`).toBeLessThanOrEqual(limit)
}

/**
 * Waits for `Disconnected` within its limit after a failure, then for a price within its limit. The limits are those of
 * docs/operate/many-machines.md.
 */
export const expectFailover = async (
  fleet: Fleet,
  consumer: ConsumerProcess,
  failedAt: number,
): Promise<void> => {
  const lost = await consumer.next('Disconnected', failedAt)
  expectWithin(fleet, 2_000, failedAt, lost)
  for (const topic of topics) {
    await consumer.pricesSince(lost.at, topic)
    const price = consumer.events(topic).find(({ at, tag }) => at >= lost.at && tag === 'Right')
    if (price !== undefined) expectWithin(fleet, 2_000, lost.at, price)
  }
}

/**
 * Waits for further prices, then fails if the consumer has ever observed what it must not. `since`: ignores earlier prices,
 * in ms since the epoch. A process that is stopped may be about to pass a price on, which it then does when it continues.
 */
export const expectNoProblems = async (
  fleet: Fleet,
  consumer: ConsumerProcess,
  maxLag?: number,
  since = 0,
): Promise<void> => {
  const count = consumer.events().length
  const isPrice = ({ tag }: PriceLine) => tag === 'Right'
  await eventually(() => consumer.events().slice(count).filter(isPrice).length > 20)
  const problems = fleet.problemsOf(consumer, maxLag)
  // Each begins with the price, which is the time at which it was emitted.
  expect(problems.filter((problem) => parseInt(problem, 10) > since)).toEqual([])
}
