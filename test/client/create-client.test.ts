import { inspect } from 'node:util'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { config, firstValueFrom, filter, map, switchMap, take, toArray } from 'rxjs'
import { ConfigurationError, createClient, type Client, type ConnectionStatus } from 'svc-streams'
import type { Simulator } from 'svc-streams/simulator'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.js'
import { runProgram } from '../support/process/node-process.js'
import {
  btcTopic,
  clientOf,
  closing,
  ethTopic,
  record,
  startService,
  wbtc,
  weth,
} from '../support/simulator.js'

const methods = (simulator: Simulator): string[] =>
  simulator.frames.map(({ text }) => {
    const { method, topic } = JSON.parse(text) as { method: string; topic: string }
    return `${method} ${topic}`
  })

const isOpen = ({ _tag }: ConnectionStatus): boolean => _tag === 'Open'

describe('price$', () => {
  it('sends one subscribe for all who listen, and an unsubscribe after the last (section 4.3 of the service)', async () => {
    const simulator = await startService()
    const client = clientOf(simulator, { linger: 20 })
    const first = record(client.price$(ethTopic))
    const second = record(client.price$(ethTopic))
    await eventually(() => {
      expect(first.rights().length).toBeGreaterThan(2)
      expect(second.rights().length).toBeGreaterThan(2)
    })
    first.subscription.unsubscribe()
    second.subscription.unsubscribe()
    await eventually(() => expect(simulator.connections).toEqual([]))
    expect(methods(simulator)).toEqual([`subscribe ${ethTopic}`, `unsubscribe ${ethTopic}`])
    expect(simulator.upgrades).toBe(1)
  })

  it('keeps topics apart on one connection, whatever the service echoes', async () => {
    const simulator = await startService({ faults: { echoQuote: true } })
    const client = clientOf(simulator)
    const upper = `svc-0x${weth.slice(2).toUpperCase()}` as const
    const eth = record(client.price$(upper))
    const btc = record(client.price$(btcTopic))
    await eventually(() => {
      expect(eth.rights().length).toBeGreaterThan(2)
      expect(btc.rights().length).toBeGreaterThan(2)
    })
    expect(new Set(eth.rights().map(({ topic }) => topic))).toEqual(new Set([upper]))
    expect(new Set(btc.rights().map(({ topic }) => topic))).toEqual(new Set([btcTopic]))
    expect(simulator.upgrades).toBe(1)
  })

  it.each(['none', 'new-only'] as const)('needs no confirmations: %s', async (confirmations) => {
    const simulator = await startService({ faults: { confirmations } })
    const eth = record(clientOf(simulator, { confirmTimeout: 200 }).price$(ethTopic))
    await eventually(() => expect(eth.rights().length).toBeGreaterThan(40))
    expect(new Set(eth.tags())).toEqual(new Set(['Right']))
  })

  it.each([1000, 1001, 1008, 1011, 1012, 1013, 4000, 4999, undefined])(
    'comes back after the connection was closed with %s, with the topics that are wanted now',
    async (code) => {
      const simulator = await startService()
      const client = clientOf(simulator, { linger: 60_000, reconnect: { initialDelay: 10 } })
      const eth = record(client.price$(ethTopic))
      const btc = record(client.price$(btcTopic))
      await eventually(() => expect(btc.rights().length).toBeGreaterThan(0))
      btc.subscription.unsubscribe()
      simulator.dropConnections(code)
      await eventually(() => expect(eth.rights().at(-1)?.epoch).toBe(2))
      expect(eth.events.filter(isLeft).map(({ left }) => left)).toMatchObject([
        { _tag: 'Disconnected', code: code ?? 1006, attempt: 1 },
      ])
      expect(methods(simulator).slice(2)).toEqual([`subscribe ${ethTopic}`])
      expect(eth.isComplete()).toBe(false)
    },
  )

  it('gives nobody a price from before a disconnect', async () => {
    const simulator = await startService()
    const client = clientOf(simulator, { reconnect: { initialDelay: 10 } })
    const eth = record(client.price$(ethTopic))
    await eventually(() => expect(eth.rights().length).toBeGreaterThan(0))
    simulator.inject({ refuseUpgrades: 503 })
    simulator.dropConnections()
    await eventually(() => expect(eth.tags()).toContain('Disconnected'))
    const late = record(client.price$(ethTopic))
    expect(late.tags()).toEqual(['Disconnected'])
    simulator.inject({})
    await eventually(() => expect(late.rights().length).toBeGreaterThan(0))
    expect(late.rights()[0]?.epoch).toBe(2)
  })

  it('survives every kind of garbage, and other topics do not notice', async () => {
    const garbage = ['malformed', 'no-message', 'wrong-price', 'unknown-topic', 'binary'] as const
    const simulator = await startService({ faults: { garbage } })
    const client = clientOf(simulator)
    const uncorrelated = client.errors$.pipe(
      map(({ kind }) => kind),
      take(20),
      toArray(),
    )
    const kinds = firstValueFrom(uncorrelated)
    const eth = record(client.price$(ethTopic))
    expect(new Set(await kinds)).toEqual(new Set(['error-text', 'malformed', 'unknown-topic', 'binary']))
    await eventually(() => expect(eth.tags()).toContain('DecodeError'))
    const before = eth.rights().length
    await eventually(() => expect(eth.rights().length).toBeGreaterThan(before))
    expect(simulator.upgrades).toBe(1)
  })

  it('keeps a handler that throws away from everybody else', async () => {
    const thrown: unknown[] = []
    config.onUnhandledError = (error) => thrown.push(error)
    const simulator = await startService()
    const client = clientOf(simulator)
    client
      .price$(ethTopic)
      .pipe(take(3))
      .subscribe(() => {
        throw new Error('mine')
      })
    const eth = record(client.price$(ethTopic))
    const btc = record(client.price$(btcTopic))
    await eventually(() => {
      expect(eth.rights().length).toBeGreaterThan(3)
      expect(btc.rights().length).toBeGreaterThan(3)
      expect(thrown.length).toBe(3)
    })
    config.onUnhandledError = null
    expect(simulator.upgrades).toBe(1)
  })

  it('asks the service anew when somebody subscribes again after a rejection', async () => {
    const simulator = await startService()
    const client = clientOf(simulator)
    const first = record(client.price$('svc-0xdead'))
    await eventually(() => expect(first.isComplete()).toBe(true))
    simulator.list('0xdead')
    const second = record(client.price$('svc-0xdead'))
    await eventually(() => expect(second.rights().length).toBeGreaterThan(0))
    expect(first.tags()).toEqual(['SubscriptionRejected'])
  })

  it('rejects the one topic whose subscribe is unanswered when the text names none', async () => {
    const simulator = await startService({ faults: { namelessErrors: true } })
    const client = clientOf(simulator)
    await firstValueFrom(client.price$(ethTopic))
    const wrong = record(client.price$('svc-0xdead'))
    await eventually(() => expect(wrong.tags()).toEqual(['SubscriptionRejected']))
  })

  it('finds out topic by topic which of several a nameless text was about', async () => {
    const simulator = await startService({ faults: { namelessErrors: true } })
    const client = clientOf(simulator, { confirmTimeout: 50 })
    const eth = record(client.price$(ethTopic))
    const wrong = record(client.price$('svc-0xdead'))
    const wronger = record(client.price$('svc-0xbeef'))
    await eventually(() => {
      expect(wrong.isComplete()).toBe(true)
      expect(wronger.isComplete()).toBe(true)
    })
    expect(wrong.tags().at(-1)).toBe('SubscriptionRejected')
    expect(wronger.tags().at(-1)).toBe('SubscriptionRejected')
    expect(new Set(eth.tags())).toEqual(new Set(['Right']))
  })
})

describe('depth$', () => {
  it('shares a poll, and gives each listener its own spelling', async () => {
    const simulator = await startService()
    const client = clientOf(simulator)
    const upper = `0x${weth.slice(2).toUpperCase()}` as const
    const first = record(client.depth$(weth, 20))
    const second = record(client.depth$(upper, 20))
    await eventually(() => expect(second.rights().length).toBeGreaterThan(3))
    expect(Math.abs(first.events.length - second.events.length)).toBeLessThanOrEqual(1)
    expect(simulator.requests.length).toBeLessThanOrEqual(first.events.length + 1)
    expect(second.rights()[0]?.mint).toBe(upper)
    first.subscription.unsubscribe()
    second.subscription.unsubscribe()
    expect(client.inspect().polls).toEqual([])
  })

  it("signs the path as it is sent, with the base address's own path and query (section 5 of the service)", async () => {
    const simulator = await startService()
    const client = clientOf(simulator, { baseUrl: `${simulator.baseUrl}/gate/?key=1` })
    const result = await client.depth(weth)()
    // The simulator knows no such path, and says so only to who signed it rightly or not at all: look at what came.
    expect(result).toMatchObject({ left: { _tag: 'HttpError', status: 404 } })
    expect(simulator.requests[0]?.path).toBe(`/gate/v0/order_book/depth/${weth}?key=1`)
  })

  it("adopts the service's clock when its own is off, and signs again at once", async () => {
    const simulator = await startService({ faults: { clockOffset: 3_600_000 } })
    const client = clientOf(simulator)
    expect(isRight(await client.depth(weth)())).toBe(true)
    expect(simulator.requests.length).toBe(2)
    expect(isRight(await client.depth(wbtc)())).toBe(true)
    expect(simulator.requests.length).toBe(3)
  })

  it('says Unauthorized after one request where the clock is right and the key is not', async () => {
    const simulator = await startService()
    const client = clientOf(simulator, { authKey: 'b3RoZXIga2V5' })
    expect(await client.depth(weth)()).toMatchObject({ left: { _tag: 'Unauthorized', body: 'Unauthorized' } })
    expect(simulator.requests.length).toBe(1)
  })

  it('goes on after failures, and is exact from numbers and from texts', async () => {
    const simulator = await startService({ faults: { httpStatus: 500 } })
    const client = clientOf(simulator, { reconnect: { initialDelay: 5, maxDelay: 20 } })
    const depth = record(client.depth$(weth, 10))
    await eventually(() => expect(depth.tags().length).toBeGreaterThan(2))
    simulator.inject({ quantitiesAsText: true })
    await eventually(() => expect(depth.rights().length).toBeGreaterThan(0))
    simulator.inject({})
    const before = depth.rights().length
    await eventually(() => expect(depth.rights().length).toBeGreaterThan(before))
    for (const { buy } of depth.rights()) expect(buy.totalQuantity).toBeTypeOf('bigint')
    expect(depth.tags().slice(0, 3)).toEqual(['HttpError', 'HttpError', 'HttpError'])
  })
})

describe('the client', () => {
  it('opens nothing until something is asked for', async () => {
    const simulator = await startService()
    const client = clientOf(simulator)
    const statuses: ConnectionStatus[] = []
    client.status$.subscribe((status) => statuses.push(status))
    await client.price(ethTopic)()
    expect(statuses).toEqual([{ _tag: 'Idle' }])
    expect(simulator.upgrades).toBe(0)
  })

  it('completes every stream and empties itself on close, which may be called again', async () => {
    const simulator = await startService()
    const client = clientOf(simulator)
    const statuses: ConnectionStatus[] = []
    client.status$.subscribe((status) => statuses.push(status))
    const streams = [record(client.price$(ethTopic)), record(client.depth$(weth, 50))]
    await eventually(() => streams.forEach((stream) => expect(stream.rights().length).toBeGreaterThan(0)))
    await Promise.all([client.close(), client.close()])
    await client.close()
    expect(streams.map((stream) => stream.isComplete())).toEqual([true, true])
    expect(statuses.at(-1)).toEqual({ _tag: 'Closed' })
    await eventually(() => expect(simulator.connections).toEqual([]))
    expect(await firstValueFrom(client.status$)).toEqual({ _tag: 'Closed' })
    const after = [
      record(client.price$(ethTopic)),
      record(client.price$('no topic' as typeof ethTopic)),
      record(client.depth$(weth, 50)),
    ]
    expect(after.map((stream) => stream.tags())).toEqual([
      ['ClientClosed'],
      ['ClientClosed'],
      ['ClientClosed'],
    ])
    expect(after.every((stream) => stream.isComplete())).toBe(true)
  })

  it('may be closed from inside `next`', async () => {
    const simulator = await startService()
    const client = clientOf(simulator)
    const eth = record(client.price$(ethTopic))
    const btc = record(client.price$(btcTopic))
    const last = await firstValueFrom(
      client.price$(ethTopic).pipe(switchMap((event) => client.close().then(() => event))),
      {
        defaultValue: undefined,
      },
    )
    expect(last).toBeUndefined()
    expect([eth.isComplete(), btc.isComplete()]).toEqual([true, true])
  })

  it('closes when its signal aborts, before or after', async () => {
    const simulator = await startService()
    const abort = new AbortController()
    const client = closing(createClient({ environment: 'mainnet', ...simulator, signal: abort.signal }))
    const eth = record(client.price$(ethTopic))
    await eventually(() => expect(eth.rights().length).toBeGreaterThan(0))
    abort.abort()
    expect(eth.isComplete()).toBe(true)
    const dead = closing(createClient({ environment: 'mainnet', ...simulator, signal: abort.signal }))
    expect(record(dead.price$(ethTopic)).tags()).toEqual(['ClientClosed'])
  })

  it('shows what it does as plain data, without a secret', async () => {
    const simulator = await startService()
    const client = clientOf(simulator, { priceWsUrl: `${simulator.priceWsUrl}/?secret=hidden` })
    const eth = record(client.price$(ethTopic))
    const depth = record(client.depth$(weth, 1000))
    await eventually(() => {
      expect(eth.rights().length).toBeGreaterThan(0)
      expect(depth.rights().length).toBeGreaterThan(0)
    })
    const snapshot = client.inspect()
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot)
    expect(snapshot).toMatchObject({
      status: { _tag: 'Open', epoch: 1 },
      topics: [
        { topic: ethTopic, subscribers: 1, state: 'live', lastPriceAgeMs: expect.any(Number) as number },
      ],
      polls: [{ mint: weth, interval: 1000, subscribers: 1, lastResult: 'ok' }],
    })
    const shown = inspect([client, snapshot, eth.events], { depth: 20, showHidden: true })
    expect(shown).not.toContain('hidden')
    expect(shown).not.toContain(simulator.authKey)
  })

  it('has depth on mainnet alone, by type and at run time (section 1 of the service)', async () => {
    const simulator = await startService()
    const testnet = closing(createClient({ environment: 'testnet', ...simulator }))
    expect(testnet.chainId).toBe(421614)
    expect(clientOf(simulator).chainId).toBe(42161)
    expect(() => (testnet as Client).depth$(weth, 1000)).toThrow(ConfigurationError)
    expect(() => (testnet as Client).depth(weth)).toThrow(ConfigurationError)
  })

  it('goes by another name where the service has one', async () => {
    const simulator = await startService({ service: 'acme' })
    const client = clientOf(simulator)
    expect(isRight(await client.depth(weth)())).toBe(true)
    expect(isRight(await firstValueFrom(client.price$(`acme-${weth}`)))).toBe(true)
    expect(record(client.price$(ethTopic)).tags()).toEqual(['InvalidTopic'])
    expect(Object.keys(simulator.requests[0]?.headers ?? {})).toContain('x-acme-auth')
  })

  it('lets the process end by itself', async () => {
    expect(await runProgram('test/client/programs/ends-by-itself.ts')).toBe('closed\n')
  })

  it('is open when it says so', async () => {
    const simulator = await startService()
    const client = clientOf(simulator)
    record(client.price$(ethTopic))
    const status = await firstValueFrom(client.status$.pipe(filter(isOpen)))
    expect(status).toMatchObject({ epoch: 1 })
    expect(simulator.connections.length).toBe(1)
  })
})

describe('canonicalHeaders', () => {
  it('is tried at once, so that what cannot sign does not begin', async () => {
    const simulator = await startService()
    const broken = () => {
      throw new Error('mine')
    }
    expect(() => clientOf(simulator, { canonicalHeaders: broken })).toThrow(ConfigurationError)
    expect(() => clientOf(simulator, { canonicalHeaders: (() => 5) as never })).toThrow(/^canonicalHeaders: /)
  })

  it('gives a `Left`, and no Rx error, where it throws later', async () => {
    const simulator = await startService()
    let tries = 0
    const canonicalHeaders = (): string => {
      if (tries++ > 0) throw new Error('mine')
      return ''
    }
    const client = clientOf(simulator, { canonicalHeaders, reconnect: { initialDelay: 5, maxDelay: 5 } })
    const depth = record(client.depth$(weth, 5))
    await eventually(() => expect(depth.tags().length).toBeGreaterThan(2))
    expect(new Set(depth.tags())).toEqual(new Set(['NetworkError']))
  })
})
