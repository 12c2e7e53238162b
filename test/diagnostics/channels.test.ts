import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { DiagnosticMessages } from 'svc-streams'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.js'
import { btcTopic, clientOf, ethTopic, record, startService, wbtc, weth } from '../support/service.js'

type Name = keyof DiagnosticMessages

const left: (() => void)[] = []

afterEach(() => {
  for (const leave of left.splice(0)) leave()
})

/** All that is published on a channel from now on. */
const listenTo = <N extends Name>(name: N): readonly DiagnosticMessages[N][] => {
  const messages: DiagnosticMessages[N][] = []
  const listener = (message: unknown): void => void messages.push(message as DiagnosticMessages[N])
  subscribe(name, listener)
  left.push(() => unsubscribe(name, listener))
  return messages
}

const someMs: unknown = expect.any(Number)
const unknown = 'svc-0xdead' as const

describe('what is published over real sockets', () => {
  it('is that a connection opened and was cut, and that the next was hung up on', async () => {
    const connected = listenTo('svc-streams:connected')
    const disconnected = listenTo('svc-streams:disconnected')
    const simulator = await startService()
    const host = new URL(simulator.priceWsUrl).host
    const client = clientOf(simulator, { linger: 0, reconnect: { initialDelay: 1, maxDelay: 1 } })
    const { subscription, rights } = record(client.price$(ethTopic))
    await eventually(() => expect(rights()).not.toEqual([]))
    simulator.dropConnections(4001)
    await eventually(() => expect(rights().at(-1)?.epoch).toBe(2))
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

  it('is that a dial came to nothing', async () => {
    const disconnected = listenTo('svc-streams:disconnected')
    const simulator = await startService({ faults: { refuseUpgrades: 503 } })
    record(clientOf(simulator, { reconnect: { initialDelay: 1, maxDelay: 1 } }).price$(ethTopic))
    await eventually(() => expect(disconnected.length).toBeGreaterThan(1))
    expect(disconnected[1]).toMatchObject({ epoch: undefined, upMs: 0, error: { attempt: 2, code: 1006 } })
  })

  it('is how long a subscribe took to be answered, by a confirmation or by a price', async () => {
    const subscribed = listenTo('svc-streams:subscribed')
    const confirming = await startService()
    record(clientOf(confirming).price$(ethTopic))
    const silent = await startService({ faults: { confirmations: 'none' } })
    record(clientOf(silent).price$(btcTopic))
    await eventually(() => expect(subscribed).toHaveLength(2))
    const hosts = [confirming, silent].map(({ priceWsUrl }) => new URL(priceWsUrl).host)
    expect(subscribed).toContainEqual({
      ...{ host: hosts[0], topic: ethTopic, epoch: 1, confirmMs: someMs },
    })
    expect(subscribed).toContainEqual({
      ...{ host: hosts[1], topic: btcTopic, epoch: 1, confirmMs: someMs },
    })
  })

  it('is each failure of a topic once, however many listen', async () => {
    const rejected = listenTo('svc-streams:rejected')
    const unanswered = listenTo('svc-streams:unanswered')
    const stale = listenTo('svc-streams:stale')
    const simulator = await startService()
    const client = clientOf(simulator, { staleAfter: 100, confirmTimeout: 100, linger: 0 })
    for (let count = 0; count < 3; count++) record(client.price$(unknown))
    const live = [1, 2].map(() => record(client.price$(ethTopic)))
    await eventually(() => expect(rejected).toHaveLength(1))
    await eventually(() => expect(live[1]!.rights()).not.toEqual([]))
    simulator.inject({ stall: true })
    await eventually(() => expect(stale).toHaveLength(1))
    record(client.price$(btcTopic))
    await eventually(() => expect(unanswered).not.toEqual([]))
    expect(rejected[0]!.error).toMatchObject({ _tag: 'SubscriptionRejected', topic: unknown })
    expect(stale[0]!.error).toMatchObject({ _tag: 'Stale', topic: ethTopic })
    expect(unanswered[0]!.error).toMatchObject({ _tag: 'SubscriptionTimeout', topic: btcTopic })
  })

  it('is each frame that is not what the protocol says', async () => {
    const errors = listenTo('svc-streams:decode-error')
    const simulator = await startService()
    const { rights } = record(clientOf(simulator).price$(ethTopic))
    await eventually(() => expect(rights()).not.toEqual([]))
    simulator.send(`{"topic":"${ethTopic}","price":"1"}`)
    simulator.send('{"neither":1}')
    await eventually(() => expect(errors).toHaveLength(2))
    expect(errors).toMatchObject([
      { topic: ethTopic, error: { _tag: 'DecodeError', input: `{"topic":"${ethTopic}","price":"1"}` } },
      { topic: undefined, error: { _tag: 'DecodeError' } },
    ])
  })

  it('is the result of each poll, and no key', async () => {
    const polls = listenTo('svc-streams:poll')
    const simulator = await startService()
    const host = new URL(simulator.baseUrl).host
    const client = clientOf(simulator, { reconnect: { initialDelay: 1, maxDelay: 1 } })
    record(client.depth$(weth, 5))
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

describe('who listens to a channel', () => {
  it.each<Name>(['svc-streams:connected', 'svc-streams:subscribed'])(
    'may close the client from inside: %s',
    async (name) => {
      const simulator = await startService()
      const client = clientOf(simulator)
      const close = (): void => void client.close()
      subscribe(name, close)
      left.push(() => unsubscribe(name, close))
      const streams = [ethTopic, btcTopic, `svc-${wbtc}` as const].map((topic) =>
        record(client.price$(topic)),
      )
      await eventually(() => expect(streams.every(({ isComplete }) => isComplete())).toBe(true))
      expect(client.inspect()).toEqual({ status: { _tag: 'Closed' }, topics: [], polls: [] })
    },
  )
})
