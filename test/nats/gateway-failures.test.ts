import { startTcpProxy } from 'svc-streams/simulator'
import { expect, it, type TestContext } from 'vitest'
import { describeNats } from '../support/nats/describe-nats.js'
import { eventually } from '../support/time/eventually.js'
import type { Fleet, GatewayProcess } from './support/fleet.js'
import {
  expectFailover,
  expectNoProblems,
  startFleet,
  startSubscribedConsumer,
  topics,
} from './support/start-fleet.js'

/** Two gateways. The first one serves the consumers that start next; the second one stands by. */
const startGateways = async (fleet: Fleet, servers: { readonly servers?: string } = {}) => {
  const active = await fleet.startGateway(servers)
  const consumer = await startSubscribedConsumer(fleet)
  const standby = await fleet.startGateway()
  return { active, standby, consumer }
}

const expectSubscribed = ({ upstreamTopics }: GatewayProcess) =>
  eventually(() => expect(new Set(upstreamTopics()).size).toBe(topics.length))

/** Starts a proxy between the first gateway and NATS. */
const startBehindProxy = async (test: TestContext) => {
  const { fleet, nats } = await startFleet(test)
  const network = await startTcpProxy({ target: nats.url })
  test.onTestFinished(() => network.close())
  return { fleet, network, ...(await startGateways(fleet, { servers: network.url })) }
}

describeNats('a consumer of two gateways', { concurrent: true }, () => {
  it('gets prices of the second one after the first one is killed', async (test) => {
    const { fleet } = await startFleet(test)
    const { active, standby, consumer } = await startGateways(fleet)
    expect(standby.service.frames).toEqual([])
    await expectFailover(fleet, consumer, active.process.signal('SIGKILL'))
    await expectSubscribed(standby)
    await expectNoProblems(fleet, consumer)
  })

  it('gets no price of a gateway that was stopped and continues', async (test) => {
    const { fleet } = await startFleet(test)
    const { active, standby, consumer } = await startGateways(fleet)
    await expectFailover(fleet, consumer, active.process.signal('SIGSTOP'))
    active.process.signal('SIGCONT')
    // It notices that its consumer has left, and becomes the one that stands by.
    await eventually(() => expect(active.upstreamTopics()).toEqual([]))
    await expectSubscribed(standby)
    await expectNoProblems(fleet, consumer)
  })

  it.for([
    ['in both directions', undefined],
    ['on its way to NATS', 'up'],
    ['on its way from NATS', 'down'],
  ] as const)(
    'gets prices of the second one after the network of the first one is cut %s',
    async ([, direction], test) => {
      const { fleet, network, standby, active, consumer } = await startBehindProxy(test)
      network.freeze(direction)
      await expectFailover(fleet, consumer, Date.now())
      await eventually(() => expect(active.upstreamTopics()).toEqual([]))
      network.heal()
      await expectSubscribed(standby)
      await expectNoProblems(fleet, consumer)
    },
  )

  it('changes between them as often as they are killed', async (test) => {
    const { fleet } = await startFleet(test)
    const { consumer, ...gateways } = await startGateways(fleet)
    let { active, standby } = gateways
    for (let count = 0; count < 3; count++) {
      expect(standby.upstreamTopics()).toEqual([])
      await expectFailover(fleet, consumer, active.process.signal('SIGKILL'))
      ;[active, standby] = [standby, await fleet.startGateway()]
    }
    await expectNoProblems(fleet, consumer)
  })
})
