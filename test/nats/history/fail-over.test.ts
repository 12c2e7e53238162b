import { expect, it } from 'vitest'
import { describeNats } from '../../support/nats/describe-nats.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic } from '../../support/tokens.js'
import { Fleet, type GatewayProcess } from '../support/fleet.js'
import { printTime } from '../support/print-time.js'
import { startSubscribedConsumer } from '../support/start-fleet.js'
import { expectEachOnce } from './support/each-once.js'
import { gapsOf, pastOf, pricesOf, startJetStreamServer } from './support/stored-history.js'

/** Starts two gateways and a consumer. Resolves with the gateway that the consumer follows first. */
const startTwo = async (test: ConstructorParameters<typeof Fleet>[0]) => {
  const { url: servers } = await startJetStreamServer()
  const fleet = new Fleet(test, servers)
  const options = { history: {} }
  const gateways = [await fleet.startGateway(options), await fleet.startGateway(options)] as const
  await startSubscribedConsumer(fleet)
  const isActive = ({ upstreamTopics }: GatewayProcess) => upstreamTopics().length > 0
  const active = gateways.find(isActive)!
  const standby = gateways.find((gateway) => gateway !== active)!
  const past = () => pastOf({ servers }, ethTopic)
  /** Waits for this number of further prices of the market in the history. */
  const storedMore = async (count: number) => {
    const last = fleet.market.prices.at(-1)!
    await eventually(async () =>
      expect(pricesOf(await past()).filter((price) => price > last).length).toBeGreaterThan(count),
    )
  }
  return { fleet, active, standby, past, storedMore }
}

describeNats('the history of two gateways', () => {
  it('has each price once when the active one is killed, with a gap', async (test) => {
    const { fleet, active, standby, past, storedMore } = await startTwo(test)
    await storedMore(10)
    expect(standby.upstreamTopics()).toEqual([])
    active.process.signal('SIGKILL')
    await storedMore(10)
    const events = await past()
    expectEachOnce(events, fleet.market.prices)
    const gaps = gapsOf(events)
    expect(gaps).toMatchObject([{ from: 0 }, { cause: 'unrecorded' }])
    for (const { from, to } of gaps.slice(1)) printTime(`${test.task.name}: gap`, to - from)
  })

  it('has each price once when the active one is stopped, and continues later', async (test) => {
    const { fleet, active, past, storedMore } = await startTwo(test)
    await storedMore(10)
    active.process.signal('SIGSTOP')
    await storedMore(10)
    active.process.signal('SIGCONT')
    await eventually(() => active.upstreamTopics().length === 0)
    await storedMore(10)
    const events = await past()
    expectEachOnce(events, fleet.market.prices)
    const gaps = gapsOf(events)
    expect(gaps).toMatchObject([{ from: 0 }, { cause: 'unrecorded' }])
    for (const { from, to } of gaps.slice(1)) printTime(`${test.task.name}: gap`, to - from)
  })
})
