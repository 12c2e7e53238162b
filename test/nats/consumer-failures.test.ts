import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { describeNats } from '../support/nats/describe-nats.js'
import { eventually } from '../support/time/eventually.js'
import { btcTopic, ethTopic, wbtc, weth } from '../support/tokens.js'
import { mintOf, type Fleet, type GatewayProcess } from './support/fleet.js'
import {
  expectNoProblems,
  expectWithin,
  measureTime,
  startFleet,
  startSubscribedConsumer,
} from './support/start-fleet.js'

/** Waits until the gateway wants exactly these tokens of its service. Fails if that took longer than `limit`, in ms. */
const expectUpstream = async (
  fleet: Fleet,
  { upstreamTopics }: GatewayProcess,
  tokens: readonly string[],
  since: number,
  limit: number,
): Promise<void> => {
  await eventually(() =>
    expect([...upstreamTopics()].sort()).toEqual(tokens.map((token) => `svc-${token}`).sort()),
  )
  expectWithin(fleet, limit, since, { at: Date.now(), tag: `${tokens.length} upstream topics` })
}

describeNats('a gateway whose consumers fail', { concurrent: true }, () => {
  it('releases the topics that only a killed consumer wanted, and no others', async (test) => {
    const { fleet } = await startFleet(test)
    const gateway = await fleet.startGateway()
    const killed = await startSubscribedConsumer(fleet)
    const other = await fleet.startConsumer()
    other.subscribe(ethTopic)
    await other.pricesSince(0, ethTopic)
    await expectUpstream(fleet, gateway, [weth, wbtc], Date.now(), 1_000)
    await expectUpstream(fleet, gateway, [weth], killed.signal('SIGKILL'), 5_000)
    await expectNoProblems(fleet, other)
  })

  it('releases a topic after the last consumer has unsubscribed', async (test) => {
    const { fleet } = await startFleet(test)
    const gateway = await fleet.startGateway()
    const [first, second] = await Promise.all([
      startSubscribedConsumer(fleet),
      startSubscribedConsumer(fleet),
    ])
    first.unsubscribe(btcTopic)
    second.unsubscribe(btcTopic)
    // `linger` of the consumer, then that of the gateway's client.
    await expectUpstream(fleet, gateway, [weth], Date.now(), 5_000)
    await expectNoProblems(fleet, first)
  })

  it('serves other consumers while one is too slow, and gives the slow one no old price', async (test) => {
    const { fleet } = await startFleet(test)
    await fleet.startGateway()
    const [slow, other] = await Promise.all([startSubscribedConsumer(fleet), startSubscribedConsumer(fleet)])
    const since = Date.now()
    // 80 events a second, of which it can handle 20.
    slow.send({ slowness: 50 })
    measureTime(fleet, since, await slow.next('Disconnected', since))
    slow.send({ slowness: 0 })
    await expectNoProblems(fleet, other)
    expect(other.events().filter(({ tag }) => tag !== 'Right')).toEqual([])
    expect(fleet.problemsOf(slow)).toEqual([])
  })

  it('answers depth requests of several consumers by one request to the service', async (test) => {
    const { fleet } = await startFleet(test)
    const gateway = await fleet.startGateway()
    // So that no request is repeated because its response was read late.
    const options = { maxLag: 60_000 }
    const consumers = await Promise.all([fleet.startConsumer(options), fleet.startConsumer(options)])
    const depths = await Promise.all(consumers.map((consumer) => consumer.depth(mintOf(fleet.market))))
    expect(depths.map(({ tag }) => tag)).toEqual(['Right', 'Right'])
    expect(gateway.service.requests.length).toBeLessThanOrEqual(2)
  })
})

/** Shorter than the time after which a gateway without an answer is lost, in ms: only the age of the prices shows it. */
const stopTime = 1_200
const maxLag = 200

describeNats('a consumer with a small `maxLag`', { concurrent: true }, () => {
  it.for(['consumer', 'gateway'] as const)(
    'gets Disconnected and no price from meanwhile when the %s was stopped for a short time',
    async (stopped, test) => {
      const { fleet } = await startFleet(test)
      const gateway = await fleet.startGateway()
      const consumer = await startSubscribedConsumer(fleet, { maxLag })
      const process = stopped === 'consumer' ? consumer : gateway.process
      const stoppedAt = process.signal('SIGSTOP')
      // How long the failure lasts is what this test is about.
      await sleep(stopTime)
      process.signal('SIGCONT')
      // A consumer loses a gateway that does not answer, which may be before the gateway continues.
      const lost = await consumer.next('Disconnected', stoppedAt)
      measureTime(fleet, stoppedAt, lost)
      measureTime(fleet, lost.at, await consumer.next('Right', lost.at))
      await expectNoProblems(fleet, consumer, maxLag, stoppedAt)
    },
  )
})
