import { expect, it } from 'vitest'
import { describeNats } from '../support/nats/describe-nats.js'
import { startNatsMessageProxy } from '../support/nats/message-proxy.js'
import { startNatsServer } from '../support/nats/nats-server.js'
import { findUnusedPort } from '../support/network/servers.js'
import { ethTopic } from '../support/tokens.js'
import { eventually } from '../support/time/eventually.js'
import { Fleet } from './support/fleet.js'
import {
  expectNoProblems,
  expectWithin,
  startFleet,
  startSubscribedConsumer,
  topics,
} from './support/start-fleet.js'

describeNats('a consumer whose NATS server fails', { concurrent: true }, () => {
  it.for(['killed', 'stopped'] as const)(
    'gets Disconnected when it is %s, and prices when it returns',
    async (failure, test) => {
      const { fleet, nats } = await startFleet(test)
      await fleet.startGateway()
      const consumer = await startSubscribedConsumer(fleet)
      const failedAt = Date.now()
      if (failure === 'killed') await nats.kill()
      else nats.signal('SIGSTOP')
      const lost = await consumer.next('Disconnected', failedAt)
      expectWithin(fleet, 2_000, failedAt, lost)
      // The second failure: the consumer has tried to connect again.
      await consumer.next('Disconnected', lost.at + 1)
      if (failure === 'killed') await nats.restart()
      else nats.signal('SIGCONT')
      const returnedAt = Date.now()
      expectWithin(fleet, 3_000, returnedAt, await consumer.next('Right', returnedAt))
      await expectNoProblems(fleet, consumer)
    },
  )

  it('gets Disconnected if there is none at its start, and prices when there is one', async (test) => {
    const nats = await startNatsServer({ onFinished: test.onTestFinished })
    await nats.kill()
    const fleet = new Fleet(test, nats.url)
    // It does not wait for NATS.
    await fleet.startGateway()
    const consumer = await fleet.startConsumer()
    const startedAt = Date.now()
    for (const topic of topics) consumer.subscribe(topic)
    expectWithin(fleet, 4_000, startedAt, await consumer.next('Disconnected', startedAt))
    await nats.restart()
    const returnedAt = Date.now()
    expectWithin(fleet, 3_000, returnedAt, await consumer.next('Right', returnedAt))
    await expectNoProblems(fleet, consumer)
  })

  it('gets Disconnected if no gateway runs, and prices when one has started', async (test) => {
    const { fleet } = await startFleet(test)
    const consumer = await fleet.startConsumer()
    const startedAt = Date.now()
    for (const topic of topics) consumer.subscribe(topic)
    const left = await consumer.next('Disconnected', startedAt)
    expectWithin(fleet, 4_000, startedAt, left)
    await fleet.startGateway()
    await consumer.pricesSince(left.at, ...topics)
    await expectNoProblems(fleet, consumer)
  })

  it('connects to the next server of its list if one does not exist', async (test) => {
    const { fleet, nats } = await startFleet(test)
    const servers = [`nats://127.0.0.1:${await findUnusedPort()}`, nats.url]
    await fleet.startGateway({ servers })
    const consumer = await startSubscribedConsumer(fleet, { servers })
    await expectNoProblems(fleet, consumer)
  })
})

describeNats('a consumer that misses updates', { concurrent: true }, () => {
  it('ends the epoch when an update is lost', async (test) => {
    const { fleet, nats } = await startFleet(test)
    const proxy = await startNatsMessageProxy(test.onTestFinished, nats.url)
    await fleet.startGateway()
    const consumer = await startSubscribedConsumer(fleet, { servers: proxy.url })
    const lostAt = Date.now()
    let isLost = false
    proxy.alter = ({ direction, subject, bytes }) => {
      if (isLost || direction === 'up' || !/^svc\.price\..*0x/.test(subject)) return [bytes]
      isLost = true
      return []
    }
    const disconnected = await consumer.next('Disconnected', lostAt)
    expectWithin(fleet, 2_000, lostAt, disconnected)
    expect(disconnected.message).toMatch(/lost|gap|miss/)
    await expectNoProblems(fleet, consumer)
  })

  it('ends the epoch when the last update before a silence is lost', async (test) => {
    const { fleet, nats } = await startFleet(test)
    const proxy = await startNatsMessageProxy(test.onTestFinished, nats.url)
    await fleet.startGateway()
    const consumer = await startSubscribedConsumer(fleet, { servers: proxy.url })
    const isDetected = () => consumer.events(ethTopic).some(({ tag }) => tag === 'Disconnected')
    let lostAt = 0
    proxy.alter = ({ direction, subject, payload, bytes }) => {
      const isUpdate =
        direction === 'down' && /^svc\.price\..*0x/.test(subject) && payload.includes('"price"')
      if (!isUpdate || isDetected()) return [bytes]
      // No update follows those that are on their way.
      fleet.market.stop()
      lostAt ||= Date.now()
      return []
    }
    await eventually(() => lostAt > 0)
    expectWithin(fleet, 3_000, lostAt, await consumer.next('Disconnected', lostAt))
    const eventsOfEth = () => consumer.events(ethTopic)
    const lossOfEth = () => eventsOfEth().findIndex(({ tag }) => tag === 'Disconnected')
    const nextPrice = () =>
      eventsOfEth()
        .slice(lossOfEth())
        .find(({ tag }) => tag === 'Right')?.price
    await eventually(() => expect(nextPrice()).toBe(fleet.market.prices.at(-1)))
    expect(consumer.events(ethTopic).filter(({ tag }) => tag === 'Disconnected')).toHaveLength(1)
  })
})
