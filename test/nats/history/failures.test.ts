import { createClient } from 'svc-streams'
import { startNatsGateway } from 'svc-streams/nats'
import { expect, it, onTestFinished } from 'vitest'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { describeNats } from '../../support/nats/describe-nats.js'
import { startNatsServer } from '../../support/nats/nats-server.js'
import { startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic } from '../../support/tokens.js'
import { printTime } from '../support/print-time.js'
import { createNatsClient, startGatewayInProcess } from '../support/start-in-process.js'
import {
  failureOf,
  gapsOf,
  isStored,
  observeFailures,
  openManager,
  pastOf,
  pricesOf,
  startJetStreamServer,
  startCounting,
  startWithConsumer,
} from './support/stored-history.js'

describeNats('the gaps of a history on NATS', () => {
  it('are disconnected during an outage of the service', async () => {
    const { url: servers } = await startJetStreamServer()
    const { service, storedMore } = await startWithConsumer(servers)
    await isStored(servers)
    service.dropConnections()
    await storedMore(3)
    const gaps = gapsOf(await pastOf({ servers }, ethTopic))
    for (const { from, to } of gaps.slice(1)) printTime('connections to the service dropped: gap', to - from)
    expect(gaps.slice(1).map(({ cause }) => cause)).toContain('disconnected')
  })

  it('are stale while the service sends no price', async () => {
    const { url: servers } = await startJetStreamServer()
    const service = await startTestSimulator({ tokens: [ethTopic.slice(4) as `0x${string}`], tick: 60_000 })
    const client = closeAfterTest(createClient({ environment: 'mainnet', ...service, staleAfter: 50 }))
    closeAfterTest(await startNatsGateway(client, { servers, history: {} }))
    collectEvents(createNatsClient({ servers }).price$(ethTopic))
    await eventually(async () =>
      expect(gapsOf(await pastOf({ servers }, ethTopic))).toMatchObject([{ from: 0 }, { cause: 'stale' }]),
    )
  })

  it('are unrecorded while no consumer wants the topic', async () => {
    const { url: servers } = await startJetStreamServer()
    const { consumer, events } = await startWithConsumer(servers)
    await isStored(servers)
    events.subscription.unsubscribe()
    await eventually(async () =>
      expect(gapsOf(await pastOf({ servers }, ethTopic))).toMatchObject([
        { from: 0 },
        { cause: 'unrecorded' },
      ]),
    )
    const again = collectEvents(consumer.price$(ethTopic))
    await eventually(() => expect(again.values().length).toBeGreaterThan(3))
    await eventually(async () =>
      expect((await pastOf({ servers }, ethTopic)).at(-1)).toMatchObject({ _tag: 'PastPrice' }),
    )
  })
})

describeNats('a gateway on NATS whose history cannot be stored', () => {
  it('passes prices on without JetStream, and reports it once', async () => {
    const failures = observeFailures()
    const { url: servers } = await startNatsServer({ onFinished: onTestFinished })
    const { receivedMore } = await startWithConsumer(servers)
    await receivedMore(20)
    await eventually(() => expect(failures).toHaveLength(1))
    expect(failures[0]).toBe('write failed: the NATS server has no JetStream: enable it in its configuration')
    expect(await failureOf({ servers })).toMatchObject({
      _tag: 'NetworkError',
      message: 'no response: the NATS server has no JetStream: enable it in its configuration',
    })
  })

  it('passes prices on with a full stream, and stores again when there is space', async () => {
    const failures = observeFailures()
    const { url: servers } = await startJetStreamServer()
    const manager = await openManager(servers)
    await manager.streams.add({
      name: 'svc-history',
      subjects: ['svc.history.>'],
      discard: 'new',
      max_bytes: 2_000,
    })
    const { receivedMore } = await startWithConsumer(servers)
    await eventually(() => expect(failures).toEqual(['write failed: maximum bytes exceeded']))
    await receivedMore(20)
    await manager.streams.update('svc-history', { max_bytes: -1 })
    const freedAt = Date.now()
    await eventually(() => expect(failures.at(-1)).toBe('written'))
    printTime('full stream: stored again', Date.now() - freedAt)
    const past = await pastOf({ servers }, ethTopic)
    expect(gapsOf(past)).toMatchObject([{ from: 0 }])
    expect(pricesOf(past).length).toBeGreaterThan(20)
  })

  it('passes prices on without the permission, and reports it', async () => {
    const failures = observeFailures()
    const { url: servers } = await startJetStreamServer({
      config: `authorization { users: [
        { user: gateway, password: g, permissions: { publish: { deny: ["$JS.>", "svc.history.>"] } } }
      ] }`,
    })
    const { receivedMore } = await startWithConsumer(servers.replace('//', '//gateway:g@'))
    await receivedMore(20)
    await eventually(() =>
      expect(failures[0]).toMatch(
        /^write failed: Permissions Violation for Publish to "\$JS.API.STREAM.INFO/i,
      ),
    )
  })

  it('reports a stream that has other subjects', async () => {
    const failures = observeFailures()
    const { url: servers } = await startJetStreamServer()
    await (await openManager(servers)).streams.add({ name: 'svc-history', subjects: ['other.>'] })
    await startGatewayInProcess({ servers, history: {} })
    await eventually(() =>
      expect(failures).toEqual([
        'write failed: the stream svc-history has other subjects: expected svc.history.>, got other.>',
      ]),
    )
  })

  it('creates the stream again when it is deleted, and stores the prices that the deletion found unstored', async () => {
    const failures = observeFailures()
    const { url: servers } = await startJetStreamServer()
    const { emit, past } = await startCounting(servers)
    const manager = await openManager(servers)
    await manager.streams.delete('svc-history')
    emit(3)
    await eventually(async () => expect(pricesOf(await past())).toEqual([2, 3, 4]))
    emit(1)
    await eventually(async () => expect(pricesOf(await past())).toEqual([2, 3, 4, 5]))
    expect(gapsOf(await past())).toMatchObject([{ from: 0, cause: 'unrecorded' }])
    expect((await manager.streams.info('svc-history')).config.max_age).toBe(7 * 86_400_000 * 1e6)
    expect(failures).toEqual([])
  })

  it('stores the next price of a topic whose messages were all removed from the stream', async () => {
    const { url: servers } = await startJetStreamServer()
    const { emit, past } = await startCounting(servers)
    await (await openManager(servers)).streams.purge('svc-history')
    emit(2)
    await eventually(async () => expect(pricesOf(await past())).toEqual([2, 3]))
  })

  it('uses a stream that an operator made anew, with its limits and the maximum age of the gateway', async () => {
    const failures = observeFailures()
    const { url: servers } = await startJetStreamServer()
    const { emit, past } = await startCounting(servers)
    const manager = await openManager(servers)
    await manager.streams.delete('svc-history')
    const subjects = ['svc.history.>']
    await manager.streams.add({ name: 'svc-history', subjects, max_bytes: 100_000 })
    emit(2)
    await eventually(async () => expect(pricesOf(await past())).toEqual([2, 3]))
    const { config } = await manager.streams.info('svc-history')
    expect(config).toMatchObject({ max_bytes: 100_000, max_age: 7 * 86_400_000 * 1e6 })
    expect(failures).toEqual([])
  })

  it('reports that the stream got other subjects, and does not blame the server', async () => {
    const failures = observeFailures()
    const { url: servers } = await startJetStreamServer()
    const { emit } = await startCounting(servers)
    await (await openManager(servers)).streams.update('svc-history', { subjects: ['other.>'] })
    emit(1)
    await eventually(() =>
      expect(failures).toEqual([
        'write failed: the stream svc-history has other subjects: expected svc.history.>, got other.>',
      ]),
    )
  })

  it('stores again after a restart of the NATS server', async () => {
    const server = await startJetStreamServer()
    const { url: servers } = server
    const { receivedMore, storedMore } = await startWithConsumer(servers)
    await isStored(servers)
    const before = pricesOf(await pastOf({ servers }, ethTopic))
    await server.kill()
    await server.restart()
    const returnedAt = Date.now()
    await receivedMore(3)
    await storedMore(3)
    printTime('restart of the NATS server: stored again', Date.now() - returnedAt)
    const past = await pastOf({ servers }, ethTopic)
    expect(pricesOf(past).slice(0, before.length)).toEqual(before)
    const gaps = gapsOf(past).slice(1)
    expect(gaps.map(({ cause }) => cause)).toEqual(gaps.map(() => 'unrecorded'))
    expect(gaps).not.toEqual([])
    for (const { from, to } of gaps) printTime('restart of the NATS server: gap', to - from)
  })

  it('divides the rows that it has kept into messages that the server accepts', async () => {
    const { url: servers } = await startJetStreamServer({ config: 'max_payload: 4096' })
    const { emit, past } = await startCounting(servers)
    emit(200)
    await eventually(async () =>
      expect(pricesOf(await past())).toEqual(Array.from({ length: 201 }, (_, index) => index + 1)),
    )
    const { state } = await (await openManager(servers)).streams.info('svc-history')
    expect(state.messages).toBeGreaterThan(5)
  })
})
