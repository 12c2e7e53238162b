import { describe, expect, it } from 'vitest'
import type { Simulator } from 'svc-streams/simulator'
import { manualMarket } from '../support/manual-market.js'
import { startScriptedService } from '../support/network/scripted-service.js'
import { startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { btcTopic, ethTopic, weth } from '../support/tokens.js'
import { shortEvent } from './support/events.js'
import { usePlatforms, type Drive } from './support/platforms.js'

const upperTopic = `svc-0x${weth.slice(2).toUpperCase()}`

/** The frames that the simulator received. */
const framesOf = ({ frames }: Simulator): readonly string[] =>
  frames.map(({ text }) => {
    const { method, topic } = JSON.parse(text) as { method: string; topic: string }
    return `${method} ${topic}`
  })

const shortEvents = async (drive: Drive, name: string): Promise<readonly unknown[]> =>
  (await drive('events', name)).map(shortEvent)

const untilEvents = (drive: Drive, name: string, expected: readonly unknown[]): Promise<unknown> =>
  eventually(async () => expect(await shortEvents(drive, name)).toEqual(expected))

describe.each(usePlatforms())('price$ %s', (_platform, startClient) => {
  it('shares one subscribe, and unsubscribes after the last subscriber', async () => {
    const simulator = await startTestSimulator({ market: manualMarket() })
    const drive = await startClient({ ...simulator, linger: 20 })
    await drive('subscribe', 'a', 'price$', ethTopic)
    await untilEvents(drive, 'a', [2500])
    expect(await drive('subscribe', 'b', 'price$', upperTopic)).toMatchObject([
      { right: { topic: upperTopic, price: 2500, epoch: 1 } },
    ])
    await drive('unsubscribe', 'a')
    await drive('unsubscribe', 'b')
    await eventually(() => expect(simulator.connections).toEqual([]))
    expect(framesOf(simulator)).toEqual([`subscribe ${ethTopic}`, `unsubscribe ${ethTopic}`])
    expect(simulator.upgrades).toBe(1)
  })

  it('sends no frame for changes that cancel out, or for a return within linger', async () => {
    const simulator = await startTestSimulator({ market: manualMarket() })
    const drive = await startClient({ ...simulator, linger: 60_000 })
    await drive('run', [['subscribe', 'a', ethTopic], ['unsubscribe', 'a'], ['turn'], ['turn']])
    expect((await drive('inspect')) as object).toMatchObject({ status: { _tag: 'Idle' }, topics: [] })
    await drive('subscribe', 'b', 'price$', ethTopic)
    await untilEvents(drive, 'b', [2500])
    await drive('run', [['unsubscribe', 'b'], ['turn'], ['subscribe', 'c', ethTopic], ['turn']])
    await drive('subscribe', 'd', 'price$', btcTopic)
    await untilEvents(drive, 'd', [60_000])
    expect(framesOf(simulator)).toEqual([`subscribe ${ethTopic}`, `subscribe ${btcTopic}`])
    expect(simulator.upgrades).toBe(1)
  })

  it.each([
    ['with its address', {}],
    ['without an address', { namelessErrors: true }],
  ])('ends only a topic that is rejected %s, and asks again for a new subscriber', async (_how, faults) => {
    const simulator = await startTestSimulator({ market: manualMarket(), faults })
    const drive = await startClient(simulator)
    await drive('subscribe', 'eth', 'price$', ethTopic)
    await untilEvents(drive, 'eth', [2500])
    for (const name of ['first', 'second']) {
      await drive('subscribe', name, 'price$', 'svc-0xdead')
      await untilEvents(drive, name, ['SubscriptionRejected', 'complete'])
    }
    expect(framesOf(simulator).filter((frame) => frame === 'subscribe svc-0xdead')).toHaveLength(2)
    expect(await shortEvents(drive, 'eth')).toEqual([2500])
  })

  it('is Stale after staleAfter, also for a late subscriber, until the next price', async () => {
    const market = manualMarket()
    const simulator = await startTestSimulator({ market })
    const drive = await startClient({ ...simulator, staleAfter: 50 })
    await drive('subscribe', 'a', 'price$', ethTopic)
    await untilEvents(drive, 'a', [2500, 'Stale'])
    expect(await drive('subscribe', 'b', 'price$', ethTopic)).toMatchObject([
      { left: { _tag: 'Stale', last: { price: 2500 } } },
    ])
    market.update({ price: 2501 })
    await untilEvents(drive, 'a', [2500, 'Stale', 2501, 'Stale'])
  })

  it.each([1000, 1001, 1013, 4000, undefined])(
    'emits one Disconnected after close code %s, and subscribes again to exactly the wanted topics',
    async (code) => {
      const simulator = await startTestSimulator({ market: manualMarket() })
      const drive = await startClient({ ...simulator, linger: 60_000 })
      await drive('run', [
        ['subscribe', 'eth', ethTopic],
        ['subscribe', 'btc', btcTopic],
      ])
      await untilEvents(drive, 'btc', [60_000])
      await drive('unsubscribe', 'btc')
      simulator.dropConnections(code)
      await untilEvents(drive, 'eth', [2500, 'Disconnected', 2500])
      expect((await drive('events', 'eth'))[2]).toMatchObject({ right: { epoch: 2 } })
      expect(simulator.connections.map(({ topics }) => topics)).toEqual([[ethTopic]])
    },
  )

  it('emits one Disconnected per failed dial, and retries with a growing limit', async () => {
    const simulator = await startTestSimulator({ market: manualMarket(), faults: { refuseUpgrades: 503 } })
    const reconnect = { initialDelay: 4, maxDelay: 16 }
    const drive = await startClient({ ...simulator, reconnect })
    await drive('subscribe', 'a', 'price$', ethTopic)
    await eventually(async () => expect((await drive('events', 'a')).length).toBeGreaterThan(3))
    simulator.inject({})
    await eventually(async () => expect((await shortEvents(drive, 'a')).at(-1)).toBe(2500))
    const errors = (await drive('events', 'a')).slice(0, -1) as {
      left: { attempt: number; retryInMs: number }
    }[]
    expect(errors.map(({ left }) => left.attempt)).toEqual(errors.map((_error, index) => index + 1))
    for (const { left } of errors) {
      expect(left.retryInMs).toBeLessThanOrEqual(Math.min(16, 4 * 2 ** (left.attempt - 1)))
    }
  })

  it('reports each bad frame where it belongs, and keeps its connection and its other topics', async () => {
    const { url, connections } = await startScriptedService({
      onSubscribe: (connection, topic) => connection.sendConfirmation(topic),
    })
    const drive = await startClient({ priceWsUrl: url })
    await drive('subscribe', 'errors', 'errors$')
    await drive('run', [
      ['subscribe', 'eth', ethTopic],
      ['subscribe', 'btc', btcTopic],
    ])
    await eventually(() => expect(connections[0]?.receivedMessages).toHaveLength(2))
    const bad = ['{}', '{"topic":"svc-0xdead","price":1}', 'Error: out of order', new Uint8Array([1, 2])]
    for (const frame of bad) connections[0]?.send(frame)
    for (const price of ['0', '-1', '"x"', '1e999'])
      connections[0]?.send(`{"topic":${JSON.stringify(ethTopic)},"price":${price}}`)
    connections[0]?.sendPrice(ethTopic, 5)
    connections[0]?.sendPrice(btcTopic, 6)
    await untilEvents(drive, 'btc', [6])
    expect(await shortEvents(drive, 'eth')).toEqual([...Array<string>(4).fill('DecodeError'), 5])
    const kinds = (await drive('events', 'errors')).map((error) => (error as { kind: string }).kind)
    expect(kinds).toEqual(['malformed', 'unknown-topic', 'error-text', 'binary'])
    expect((await drive('events', 'errors'))[3]).toMatchObject({ input: '0102' })
    expect(connections).toHaveLength(1)
  })

  it('requests an unconfirmed topic again after a SubscriptionTimeout', async () => {
    const { url, connections } = await startScriptedService({
      onSubscribe: (connection, topic) => {
        if (connection.receivedMessages.length > 1) connection.sendPrice(topic, 7)
      },
    })
    const drive = await startClient({ priceWsUrl: url, confirmTimeout: 50 })
    await drive('subscribe', 'a', 'price$', ethTopic)
    // On a busy machine, a later answer may be late too.
    await eventually(async () => expect((await shortEvents(drive, 'a')).at(-1)).toBe(7))
    expect([...new Set(await shortEvents(drive, 'a'))]).toEqual(['SubscriptionTimeout', 7])
    expect(connections).toHaveLength(1)
  })

  it('spreads topics over connections with maxTopicsPerConnection', async () => {
    const simulator = await startTestSimulator({ market: manualMarket() })
    const drive = await startClient({ ...simulator, maxTopicsPerConnection: 1 })
    await drive('run', [
      ['subscribe', 'eth', ethTopic],
      ['subscribe', 'btc', btcTopic],
    ])
    await untilEvents(drive, 'eth', [2500])
    await untilEvents(drive, 'btc', [60_000])
    expect(simulator.connections.map(({ topics }) => topics.length)).toEqual([1, 1])
  })

  it('keeps other subscribers when a handler throws, and reports the exception', async () => {
    const market = manualMarket()
    const simulator = await startTestSimulator({ market })
    const drive = await startClient(simulator)
    await drive('subscribeThrowing', 'throws', ethTopic)
    await drive('subscribe', 'a', 'price$', ethTopic)
    await untilEvents(drive, 'a', [2500])
    market.update({ price: 2501 })
    await untilEvents(drive, 'a', [2500, 2501])
    await untilEvents(drive, 'throws', Array<string>(2).fill('Error: thrown by a handler'))
    expect(simulator.upgrades).toBe(1)
  })

  it('emits InvalidTopic and completes, without a connection', async () => {
    const drive = await startClient({ priceWsUrl: 'ws://127.0.0.1:1' })
    for (const topic of ['svc', 'svc-82af', 'other-0x1', ''])
      expect((await drive('subscribe', topic, 'price$', topic)).map(shortEvent)).toEqual([
        'InvalidTopic',
        'complete',
      ])
    expect(await drive('inspect')).toMatchObject({ status: { _tag: 'Idle' }, topics: [] })
  })
})
