import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { DiagnosticMessages } from 'svc-streams'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../../support/time/eventually.js'
import { btcTopic, ethTopic, wbtc, weth } from '../../support/tokens.js'
import { createClientFor, fastMarket, startTestSimulator } from '../../support/simulator.js'
import { collectMessages } from './support/collect-messages.js'
import { whenBehind, whenMeasured } from './support/connection-state.js'
import { collectEvents } from '../../support/collect-events.js'
import { createPriceClient, startScriptedService } from '../../support/network/scripted-service.js'
import { nextTurn } from '../../support/time/event-loop.js'

type Name = keyof DiagnosticMessages

const cleanups: (() => void)[] = []

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

const someMs: unknown = expect.any(Number)
const unknown = 'svc-0xdead' as const

/** Long enough for a busy machine to end a stall before the client replaces the connection, in ms. */
const maxLag = 2_000

describe('the client, over real sockets,', () => {
  it('publishes connected and disconnected, without an error if the client closes the socket', async () => {
    const connected = collectMessages('svc-streams:connected')
    const disconnected = collectMessages('svc-streams:disconnected')
    const simulator = await startTestSimulator()
    const host = new URL(simulator.priceWsUrl).host
    const client = createClientFor(simulator, { linger: 0, reconnect: { initialDelay: 1, maxDelay: 1 } })
    const { subscription, values } = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(values()).not.toEqual([]))
    simulator.dropConnections(4001)
    await eventually(() => expect(values().at(-1)?.epoch).toBe(2))
    subscription.unsubscribe()
    await eventually(() => expect(disconnected).toHaveLength(2))
    expect(connected).toEqual([
      { host, epoch: 1, connectMs: someMs },
      { host, epoch: 2, connectMs: someMs },
    ])
    const error = { _tag: 'Disconnected', code: 4001, attempt: 1 }
    expect(disconnected[0]).toMatchObject({ host, epoch: 1, error })
    expect(disconnected[0]?.upMs).toBeGreaterThan(0)
    const prices = values().filter(({ epoch }) => epoch === 2).length
    expect(disconnected[1]).toEqual({ host, epoch: 2, upMs: someMs, prices, error: undefined })
  })

  it('publishes behind when no ping is answered for maxLag, and caught-up when one is answered in time', async () => {
    const behind = collectMessages('svc-streams:behind')
    const caughtUp = collectMessages('svc-streams:caught-up')
    const simulator = await startTestSimulator()
    const { priceWsUrl } = simulator
    const { host } = new URL(priceWsUrl)
    const client = createClientFor(simulator, { maxLag })
    const streams = [ethTopic, btcTopic].map((topic) => collectEvents(client.price$(topic)))
    await eventually(() => expect(streams.every(({ values }) => values().length > 0)).toBe(true))
    await whenMeasured(priceWsUrl)
    simulator.inject({ stall: true })
    await eventually(() => expect(behind).toHaveLength(1))
    expect(behind).toEqual([{ host, epoch: 1, behindMs: someMs, topics: 2 }])
    expect(behind[0]!.behindMs).toBeGreaterThanOrEqual(maxLag)
    expect(streams.map(({ tags }) => tags().at(-1))).toEqual(['Stale', 'Stale'])
    expect(caughtUp).toEqual([])
    simulator.inject({})
    await eventually(() => expect(caughtUp).toHaveLength(1))
    expect(caughtUp).toEqual([{ host, epoch: 1, behindForMs: someMs, topics: 2 }])
    await eventually(() => expect(streams.map(({ tags }) => tags().at(-1))).toEqual(['Right', 'Right']))
  })

  it('publishes disconnected, without an epoch, when a dial fails', async () => {
    const disconnected = collectMessages('svc-streams:disconnected')
    const simulator = await startTestSimulator({ ...fastMarket, faults: { refuseUpgrades: 503 } })
    collectEvents(
      createClientFor(simulator, { reconnect: { initialDelay: 1, maxDelay: 1 } }).price$(ethTopic),
    )
    await eventually(() => expect(disconnected.length).toBeGreaterThan(1))
    expect(disconnected[1]).toMatchObject({
      epoch: undefined,
      upMs: 0,
      prices: 0,
      error: { attempt: 2, code: 1006 },
    })
  })

  it('publishes connecting for each dial, with the number of the attempt', async () => {
    const dials = collectMessages('svc-streams:connecting')
    const simulator = await startTestSimulator({ ...fastMarket, faults: { refuseUpgrades: 503 } })
    const { host } = new URL(simulator.priceWsUrl)
    collectEvents(
      createClientFor(simulator, { reconnect: { initialDelay: 1, maxDelay: 1 } }).price$(ethTopic),
    )
    await eventually(() => expect(dials.length).toBeGreaterThan(2))
    expect(dials.slice(0, 3)).toEqual([1, 2, 3].map((attempt) => ({ host, attempt })))
  })

  it('publishes uncorrelated for each message that matches no topic', async () => {
    const errors = collectMessages('svc-streams:uncorrelated')
    const simulator = await startTestSimulator()
    const { values } = collectEvents(createClientFor(simulator).price$(ethTopic))
    await eventually(() => expect(values()).not.toEqual([]))
    simulator.send('something is wrong')
    simulator.send(`{"topic":"${unknown}","price":1}`)
    await eventually(() => expect(errors).toHaveLength(2))
    expect(errors.map(({ error }) => error.kind)).toEqual(['error-text', 'unknown-topic'])
  })

  it('publishes request for each HTTP request that ended, with its route', async () => {
    const requests = collectMessages('svc-streams:request')
    const simulator = await startTestSimulator()
    const { host } = new URL(simulator.baseUrl)
    const client = createClientFor(simulator)
    await client.depth(weth)()
    await client.price(unknown)()
    const ended = { host, durationMs: someMs, error: undefined }
    expect(requests).toEqual([
      { ...ended, route: '/v0/order_book/depth/{mint}', status: 200 },
      { ...ended, route: '/price/{topic}', status: 500 },
    ])
    await simulator.close()
    await client.price(ethTopic)()
    expect(requests[2]).toMatchObject({ status: undefined, error: 'NetworkError' })
  })

  it('publishes subscribed, with its delay, after a confirmation or a first price', async () => {
    const subscribed = collectMessages('svc-streams:subscribed')
    const confirming = await startTestSimulator()
    collectEvents(createClientFor(confirming).price$(ethTopic))
    const silent = await startTestSimulator({ ...fastMarket, faults: { confirmations: 'none' } })
    collectEvents(createClientFor(silent).price$(btcTopic))
    await eventually(() => expect(subscribed).toHaveLength(2))
    const hosts = [confirming, silent].map(({ priceWsUrl }) => new URL(priceWsUrl).host)
    expect(subscribed).toContainEqual({
      ...{ host: hosts[0], topic: ethTopic, epoch: 1, confirmMs: someMs },
    })
    expect(subscribed).toContainEqual({
      ...{ host: hosts[1], topic: btcTopic, epoch: 1, confirmMs: someMs },
    })
  })

  it('publishes each failure of a topic once, for any number of subscribers', async () => {
    const rejected = collectMessages('svc-streams:rejected')
    const unanswered = collectMessages('svc-streams:unanswered')
    const stale = collectMessages('svc-streams:stale')
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator, { staleAfter: 100, confirmTimeout: 100, linger: 0 })
    for (let count = 0; count < 3; count++) collectEvents(client.price$(unknown))
    const live = [1, 2].map(() => collectEvents(client.price$(ethTopic)))
    await eventually(() => expect(rejected).toHaveLength(1))
    await eventually(() => expect(live[1]!.values()).not.toEqual([]))
    simulator.inject({ stall: true })
    await eventually(() => expect(stale).toHaveLength(1))
    collectEvents(client.price$(btcTopic))
    await eventually(() => expect(unanswered).not.toEqual([]))
    expect(rejected[0]!.error).toMatchObject({ _tag: 'SubscriptionRejected', topic: unknown })
    expect(stale[0]!.error).toMatchObject({ _tag: 'Stale', topic: ethTopic })
    expect(unanswered[0]!.error).toMatchObject({ _tag: 'SubscriptionTimeout', topic: btcTopic })
  })

  it('publishes decode-error for each frame that does not match the protocol', async () => {
    const errors = collectMessages('svc-streams:decode-error')
    const simulator = await startTestSimulator()
    const { values } = collectEvents(createClientFor(simulator).price$(ethTopic))
    await eventually(() => expect(values()).not.toEqual([]))
    simulator.send(`{"topic":"${ethTopic}","price":"1"}`)
    simulator.send('{"neither":1}')
    await eventually(() => expect(errors).toHaveLength(2))
    expect(errors).toMatchObject([
      { topic: ethTopic, error: { _tag: 'DecodeError', input: `{"topic":"${ethTopic}","price":"1"}` } },
      { topic: undefined, error: { _tag: 'DecodeError' } },
    ])
  })

  it('publishes poll for each request, without the key', async () => {
    const polls = collectMessages('svc-streams:poll')
    const simulator = await startTestSimulator()
    const host = new URL(simulator.baseUrl).host
    const client = createClientFor(simulator, { reconnect: { initialDelay: 1, maxDelay: 1 } })
    collectEvents(client.depth$(weth, 5))
    await eventually(() => expect(polls).not.toEqual([]))
    expect(polls[0]).toEqual({
      ...{ host, mint: weth, interval: 5, failures: 0, error: undefined },
      ...{ durationMs: someMs, lagMs: someMs },
    })
    simulator.inject({ httpStatus: 503 })
    await eventually(() => expect(polls.at(-1)!.failures).toBeGreaterThan(1))
    expect(polls.at(-1)!.lagMs).toBeUndefined()
    expect(polls.at(-1)!.error).toMatchObject({ _tag: 'HttpError', status: 503 })
    expect(JSON.stringify(polls)).not.toContain(simulator.authKey)
  })
})

describe('a channel subscriber', () => {
  it.each<Name>(['svc-streams:connected', 'svc-streams:subscribed'])(
    'may close the client while it handles %s',
    async (name) => {
      const simulator = await startTestSimulator()
      const client = createClientFor(simulator)
      const close = (): void => void client.close()
      subscribe(name, close)
      cleanups.push(() => unsubscribe(name, close))
      const streams = [ethTopic, btcTopic, `svc-${wbtc}` as const].map((topic) =>
        collectEvents(client.price$(topic)),
      )
      await eventually(() => expect(streams.every(({ isComplete }) => isComplete())).toBe(true))
      expect(client.inspect()).toMatchObject({ status: { _tag: 'Closed' }, topics: [], polls: [] })
    },
  )

  it('may close the client for the first price of a topic, which is then delivered to nobody', async () => {
    const service = await startScriptedService({
      onSubscribe: (connection, topic) => connection.sendPrice(topic, 7),
    })
    const client = createPriceClient(service.url)
    const received: unknown[] = []
    const close = (): void => void client.close()
    subscribe('svc-streams:subscribed', close)
    cleanups.push(() => unsubscribe('svc-streams:subscribed', close))
    await new Promise<void>((complete) => {
      client.price$(ethTopic).subscribe({ next: (event) => received.push(event), complete })
    })
    await nextTurn()
    expect(received).toEqual([])
  })

  it.each<Name>(['svc-streams:behind', 'svc-streams:caught-up'])(
    'may close the client while it handles %s',
    async (name) => {
      const simulator = await startTestSimulator()
      const client = createClientFor(simulator, { maxLag })
      const { values, isComplete } = collectEvents(client.price$(ethTopic))
      await eventually(() => expect(values()).not.toEqual([]))
      await whenMeasured(simulator.priceWsUrl)
      const close = (): void => void client.close()
      subscribe(name, close)
      cleanups.push(() => unsubscribe(name, close))
      simulator.inject({ stall: true })
      if (name === 'svc-streams:caught-up') await whenBehind(simulator.priceWsUrl)
      if (name === 'svc-streams:caught-up') simulator.inject({})
      await eventually(() => expect(isComplete()).toBe(true))
      expect(client.inspect()).toMatchObject({ status: { _tag: 'Closed' }, topics: [], polls: [] })
    },
  )
})
