import { right } from 'fp-ts/lib/Either.js'
import { price } from 'svc-streams/testing'
import { expect, it } from 'vitest'
import { maxKeptBytes } from '../../../src/nats/history/history-recorder.js'
import { encodeRow } from '../../../src/backtest/recording/format/row-codec.js'
import { describeNats } from '../../support/nats/describe-nats.js'
import { startNatsCluster } from '../../support/nats/nats-server.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic } from '../../support/tokens.js'
import { Fleet } from '../support/fleet.js'
import { printTime } from '../support/print-time.js'
import { startSubscribedConsumer } from '../support/start-fleet.js'
import { expectEachOnce } from './support/each-once.js'
import {
  gapsOf,
  observeFailures,
  openManager,
  pastOf,
  pricesOf,
  startCounting,
  startJetStreamServer,
} from './support/stored-history.js'

describeNats('a gateway on NATS with a history', () => {
  it('keeps at most 8 MiB of rows for a server that does not answer, and then reports a loss, which is a gap', async () => {
    const failures = observeFailures()
    const { url: servers, signal } = await startJetStreamServer()
    const { emit, past } = await startCounting(servers)
    signal('SIGSTOP')
    const row = encodeRow({
      _tag: 'Price',
      at: Date.now(),
      topic: ethTopic,
      event: right(price(ethTopic, 10_000)),
    })
    const most = Math.ceil(maxKeptBytes / row.length)
    emit(Math.floor(0.9 * most))
    expect(failures).toEqual([])
    emit(Math.ceil(0.2 * most))
    expect(failures).toEqual(['write failed: the store is too slow, or not reachable'])
    signal('SIGCONT')
    await eventually(async () => {
      emit(1)
      expect(failures.at(-1)).toBe('written')
      expect(pricesOf(await past()).at(-1)).toBeGreaterThan(most)
    })
    const events = await past()
    expect(gapsOf(events)).toMatchObject([{ from: 0 }, { cause: 'unrecorded' }])
    const prices = pricesOf(events)
    expect(prices).toEqual([...new Set(prices)].sort((a, b) => a - b))
  })

  it('stores each price once while each server of a cluster is killed in turn', async (test) => {
    const members = await startNatsCluster({ onFinished: test.onTestFinished, jetStream: true })
    const servers = members.map(({ url }) => url)
    await eventually(async () => {
      const manager = await openManager(servers[0]!)
      await manager.streams.add({ name: 'svc-history', subjects: ['svc.history.>'], num_replicas: 3 })
    })
    const fleet = new Fleet(test, servers)
    await Promise.all([fleet.startGateway({ history: {} }), fleet.startGateway({ history: {} })])
    await startSubscribedConsumer(fleet)
    const past = () => pastOf({ servers }, ethTopic)
    const storedSince = (last: number) =>
      eventually(async () =>
        expect(pricesOf(await past()).filter((each) => each > last).length).toBeGreaterThan(10),
      )
    await storedSince(0)
    for (const [index, member] of members.entries()) {
      const killedAt = Date.now()
      await member.kill()
      await storedSince(fleet.market.prices.at(-1)!)
      printTime(`${test.task.name}, server ${index}: stored again`, Date.now() - killedAt)
      await member.restart()
      // A further loss before would leave one replica of three.
      await eventually(async () => {
        const { cluster } = await (await openManager(servers[index]!)).streams.info('svc-history')
        expect(cluster?.replicas?.map(({ current }) => current)).toEqual([true, true])
      })
    }
    const events = await past()
    expectEachOnce(events, fleet.market.prices)
    for (const gap of gapsOf(events).slice(1)) printTime(`${test.task.name}: gap`, gap.to - gap.from)
  })
})
