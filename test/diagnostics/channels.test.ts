import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { DiagnosticMessages } from 'svc-streams'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../support/time/eventually.js'
import { btcTopic, ethTopic, wbtc, weth } from '../support/tokens.js'
import { createClientFor, fastMarket, startTestSimulator } from '../support/simulator.js'
import { collectEvents } from '../support/collect-events.js'

type Name = keyof DiagnosticMessages

const cleanups: (() => void)[] = []

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

/** Collects the messages of a channel from now on. */
const collect = <N extends Name>(name: N): readonly DiagnosticMessages[N][] => {
  const messages: DiagnosticMessages[N][] = []
  const listener = (message: unknown): void => void messages.push(message as DiagnosticMessages[N])
  subscribe(name, listener)
  cleanups.push(() => unsubscribe(name, listener))
  return messages
}

const someMs: unknown = expect.any(Number)
const unknown = 'svc-0xdead' as const

describe('the client, over real sockets,', () => {
  it('publishes connected and disconnected, without an error if the client closes the socket', async () => {
    const connected = collect('svc-streams:connected')
    const disconnected = collect('svc-streams:disconnected')
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
    expect(disconnected[1]).toEqual({ host, epoch: 2, upMs: someMs, error: undefined })
  })

  it('publishes disconnected, without an epoch, when a dial fails', async () => {
    const disconnected = collect('svc-streams:disconnected')
    const simulator = await startTestSimulator({ ...fastMarket, faults: { refuseUpgrades: 503 } })
    collectEvents(
      createClientFor(simulator, { reconnect: { initialDelay: 1, maxDelay: 1 } }).price$(ethTopic),
    )
    await eventually(() => expect(disconnected.length).toBeGreaterThan(1))
    expect(disconnected[1]).toMatchObject({ epoch: undefined, upMs: 0, error: { attempt: 2, code: 1006 } })
  })

  it('publishes subscribed, with its delay, after a confirmation or a first price', async () => {
    const subscribed = collect('svc-streams:subscribed')
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
    const rejected = collect('svc-streams:rejected')
    const unanswered = collect('svc-streams:unanswered')
    const stale = collect('svc-streams:stale')
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
    const errors = collect('svc-streams:decode-error')
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
    const polls = collect('svc-streams:poll')
    const simulator = await startTestSimulator()
    const host = new URL(simulator.baseUrl).host
    const client = createClientFor(simulator, { reconnect: { initialDelay: 1, maxDelay: 1 } })
    collectEvents(client.depth$(weth, 5))
    await eventually(() => expect(polls).not.toEqual([]))
    expect(polls[0]).toEqual({
      ...{ host, mint: weth, interval: 5, failures: 0, error: undefined },
      durationMs: someMs,
    })
    simulator.inject({ httpStatus: 503 })
    await eventually(() => expect(polls.at(-1)!.failures).toBeGreaterThan(1))
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
      expect(client.inspect()).toEqual({ status: { _tag: 'Closed' }, topics: [], polls: [] })
    },
  )
})
