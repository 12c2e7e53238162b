import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { describeNats } from '../support/nats/describe-nats.js'
import { startNatsCluster } from '../support/nats/nats-server.js'
import { eventually } from '../support/time/eventually.js'
import { Fleet } from './support/fleet.js'
import {
  expectFailover,
  expectNoProblems,
  expectWithin,
  measureTime,
  startFleet,
  startSubscribedConsumer,
  topics,
} from './support/start-fleet.js'

// How long the failure lasts is what these tests are about.

describeNats('a fleet', () => {
  it('gives a consumer that was stopped for 10 s no price from meanwhile', async (test) => {
    const { fleet } = await startFleet(test)
    const gateway = await fleet.startGateway()
    const consumer = await startSubscribedConsumer(fleet)
    const other = await startSubscribedConsumer(fleet)
    const stoppedAt = consumer.signal('SIGSTOP')
    await sleep(10_000)
    const continuedAt = consumer.signal('SIGCONT')
    const lost = await consumer.next('Disconnected', continuedAt)
    expectWithin(fleet, 2_000, continuedAt, lost)
    expectWithin(fleet, 2_000, lost.at, await consumer.next('Right', lost.at))
    await expectNoProblems(fleet, consumer, undefined, stoppedAt)
    await expectNoProblems(fleet, other)
    expect(other.events().every(({ tag }) => tag === 'Right')).toBe(true)
    expect(gateway.service.upgrades).toBe(1)
  })

  it('takes no price from meanwhile of a gateway that was stopped for 10 s', async (test) => {
    const { fleet } = await startFleet(test)
    const gateway = await fleet.startGateway()
    const consumer = await startSubscribedConsumer(fleet)
    const stoppedAt = gateway.process.signal('SIGSTOP')
    expectWithin(fleet, 2_000, stoppedAt, await consumer.next('Disconnected', stoppedAt))
    await sleep(10_000)
    const continuedAt = gateway.process.signal('SIGCONT')
    await consumer.pricesSince(continuedAt, ...topics)
    measureTime(fleet, continuedAt, await consumer.next('Right', continuedAt))
    await expectNoProblems(fleet, consumer)
  })

  it('recovers from a NATS server that was away for 30 s', async (test) => {
    const { fleet, nats } = await startFleet(test)
    await fleet.startGateway()
    const consumer = await startSubscribedConsumer(fleet)
    const killedAt = Date.now()
    await nats.kill()
    expectWithin(fleet, 2_000, killedAt, await consumer.next('Disconnected', killedAt))
    await sleep(30_000)
    await nats.restart()
    const returnedAt = Date.now()
    expectWithin(fleet, 3_000, returnedAt, await consumer.next('Right', returnedAt))
    await expectNoProblems(fleet, consumer)
  })

  it('continues while each server of a cluster is killed in turn', async (test) => {
    const servers = await startNatsCluster({ onFinished: test.onTestFinished })
    const fleet = new Fleet(
      test,
      servers.map(({ url }) => url),
    )
    await Promise.all([fleet.startGateway(), fleet.startGateway()])
    const consumers = await Promise.all([startSubscribedConsumer(fleet), startSubscribedConsumer(fleet)])
    for (const server of servers) {
      const before = consumers.map((consumer) => consumer.events().length)
      const killedAt = Date.now()
      await server.kill()
      // Connections to the other servers are not lost.
      for (const [index, consumer] of consumers.entries()) {
        await consumer.pricesSince(killedAt + 2_000, ...topics)
        const lost = consumer
          .events()
          .slice(before[index])
          .find(({ tag }) => tag === 'Disconnected')
        if (lost === undefined) continue
        expectWithin(fleet, 2_000, killedAt, lost)
        expectWithin(fleet, 2_000, lost.at, await consumer.next('Right', lost.at))
      }
      await server.restart()
    }
    for (const consumer of consumers) await expectNoProblems(fleet, consumer)
  })

  it('recovers from a service that closes its connections all the time', async (test) => {
    const { fleet } = await startFleet(test)
    const gateway = await fleet.startGateway()
    const consumer = await startSubscribedConsumer(fleet)
    for (let count = 0; count < 15; count++) {
      const hasPrices = consumer.events().at(-1)?.tag === 'Right'
      const droppedAt = Date.now()
      gateway.service.dropConnections()
      if (hasPrices) measureTime(fleet, droppedAt, await consumer.next('Disconnected', droppedAt))
      await sleep(700)
    }
    const endedAt = Date.now()
    await consumer.pricesSince(endedAt, ...topics)
    measureTime(fleet, endedAt, await consumer.next('Right', endedAt))
    expect(consumer.events().some(({ tag }) => tag === 'Disconnected')).toBe(true)
    await expectNoProblems(fleet, consumer)
  })

  it('changes between two gateways that are stopped in turn', async (test) => {
    const { fleet } = await startFleet(test)
    const gateways = [await fleet.startGateway(), await fleet.startGateway()]
    const consumer = await startSubscribedConsumer(fleet)
    for (let count = 0; count < 6; count++) {
      const active = gateways.find(({ upstreamTopics }) => upstreamTopics().length > 0)
      if (active === undefined) throw new Error('no gateway is subscribed')
      await expectFailover(fleet, consumer, active.process.signal('SIGSTOP'))
      active.process.signal('SIGCONT')
      await eventually(() => expect(active.upstreamTopics()).toEqual([]))
    }
    await expectNoProblems(fleet, consumer)
  })
})
