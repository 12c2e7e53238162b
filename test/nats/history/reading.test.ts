import { concat, firstValueFrom, NEVER, of } from 'rxjs'
import { natsHistory, startNatsGateway } from 'svc-streams/nats'
import { candles } from 'svc-streams/operators'
import { createTestClient, price } from 'svc-streams/testing'
import { expect, it, onTestFinished } from 'vitest'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { describeNats } from '../../support/nats/describe-nats.js'
import { connectRaw } from '../../support/nats/raw-nats.js'
import { eventually } from '../../support/time/eventually.js'
import { btcTopic, ethTopic } from '../../support/tokens.js'
import { createNatsClient } from '../support/start-in-process.js'
import {
  failureOf,
  isStored,
  openManager,
  pastOf,
  pricesOf,
  startJetStreamServer,
  startWithConsumer,
} from './support/stored-history.js'

describeNats('natsHistory', () => {
  it('rejects what openHistory rejects', async () => {
    const servers = 'nats://127.0.0.1:1'
    expect(await failureOf({ servers }, { from: 2e12, to: 1e12 })).toMatchObject({ _tag: 'InvalidRange' })
    expect(await failureOf({ servers }, { from: 1_700_000_000 })).toMatchObject({ _tag: 'InvalidRange' })
    expect(await failureOf({ servers }, { from: 0, too: 5 } as { from: number })).toMatchObject({
      _tag: 'InvalidRange',
    })
    expect(await firstValueFrom(natsHistory({ servers }).prices$('svc-0xg', { from: 0 }))).toMatchObject({
      left: { _tag: 'InvalidTopic' },
    })
    expect(await failureOf({ servers, service: 'other' })).toMatchObject({ _tag: 'InvalidTopic' })
  })

  it('is a NetworkError without a server', async () => {
    const servers = 'nats://127.0.0.1:1'
    expect(await failureOf({ servers })).toMatchObject({ _tag: 'NetworkError' })
    expect(await natsHistory({ servers }).topics()()).toMatchObject({ left: { _tag: 'NetworkError' } })
  })

  it('is a NetworkError without a stream, and an UnknownTopic without the topic', async () => {
    const { url: servers } = await startJetStreamServer()
    expect(await failureOf({ servers })).toMatchObject({ message: 'no response: stream not found' })
    await startWithConsumer(servers)
    await isStored(servers)
    const unknown = await firstValueFrom(natsHistory({ servers }).prices$(btcTopic, { from: 0 }))
    expect(unknown).toMatchObject({
      left: { _tag: 'UnknownTopic', message: `${btcTopic}: not in the history, which has ${ethTopic}` },
    })
  })

  it('is a RecordingError at a message that is no part of a recording, after the events before it', async () => {
    const { url: servers } = await startJetStreamServer()
    const { events } = await startWithConsumer(servers)
    await isStored(servers)
    events.subscription.unsubscribe()
    const manager = await openManager(servers)
    const connection = await connectRaw(onTestFinished, { servers })
    const subject = `svc.history.${ethTopic.slice(4)}`
    await connection.request(subject, 'garbage\n')
    const { state } = await manager.streams.info('svc-history')
    const { events: read } = collectEvents(natsHistory({ servers }).prices$(ethTopic, { from: 0 }))
    await eventually(() => expect(read.at(-1)).toMatchObject({ _tag: 'Left' }))
    expect(read.length).toBeGreaterThan(3)
    expect(read.at(-1)).toMatchObject({
      left: {
        _tag: 'RecordingError',
        source: `${subject}, message ${state.last_seq}`,
        line: 1,
        input: 'garbage',
      },
    })
  })

  it('knows the price before the start of the range', async () => {
    const { url: servers } = await startJetStreamServer()
    const client = createTestClient({ prices: { [ethTopic]: concat(of(price(ethTopic, 7)), NEVER) } })
    closeAfterTest(await startNatsGateway(client, { servers, history: {} }))
    collectEvents(createNatsClient({ servers }).price$(ethTopic))
    await eventually(async () => expect(pricesOf(await pastOf({ servers }, ethTopic))).toEqual([7]))
    const from = Date.now()
    await eventually(() => Date.now() > from)
    expect(await pastOf({ servers }, ethTopic, { from })).toEqual([])
  })

  it('ends its consumer and its connection when it is unsubscribed', async () => {
    const { url: servers, log } = await startJetStreamServer({ config: 'debug: true' })
    await startWithConsumer(servers)
    await isStored(servers)
    const manager = await openManager(servers)
    const closed = () => log().split('Client connection closed').length
    const before = closed()
    const subscription = natsHistory({ servers })
      .prices$(ethTopic, { from: 0 })
      .subscribe(() => subscription.unsubscribe())
    await eventually(() => expect(closed()).toBeGreaterThan(before))
    expect((await manager.streams.info('svc-history')).state.consumer_count).toBe(0)
  })

  it('gives candles the prices before the first live one', async () => {
    const { url: servers } = await startJetStreamServer()
    const { consumer } = await startWithConsumer(servers)
    await isStored(servers)
    const past$ = natsHistory({ servers }).prices$(ethTopic, { from: Date.now() - 60_000 })
    const { values } = collectEvents(consumer.price$(ethTopic).pipe(candles(20, { past$ })))
    await eventually(() => expect(values().length).toBeGreaterThan(5))
    const starts = values().map(({ from }) => from)
    expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b))
  })
})
