import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { config, filter, firstValueFrom, map, take, toArray } from 'rxjs'
import type { Client } from 'svc-streams'
import type { Simulator } from 'svc-streams/simulator'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/time/eventually.js'
import { btcTopic, ethTopic, wbtc, weth } from '../support/tokens.js'
import { createClientFor, fastMarket, startTestSimulator } from '../support/simulator.js'
import { collectEvents } from '../support/collect-events.js'

/** The frames that the simulator received. */
const methods = (simulator: Simulator): string[] =>
  simulator.frames.map(({ text }) => {
    const { method, topic } = JSON.parse(text) as { method: string; topic: string }
    return `${method} ${topic}`
  })

describe('price$', () => {
  it('sends one subscribe for all subscribers and an unsubscribe after the last (section 4.3 of the service)', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator, { linger: 20 })
    const first = collectEvents(client.price$(ethTopic))
    const second = collectEvents(client.price$(ethTopic))
    await eventually(() => {
      expect(first.values().length).toBeGreaterThan(2)
      expect(second.values().length).toBeGreaterThan(2)
    })
    first.subscription.unsubscribe()
    second.subscription.unsubscribe()
    await eventually(() => expect(simulator.connections).toEqual([]))
    expect(methods(simulator)).toEqual([`subscribe ${ethTopic}`, `unsubscribe ${ethTopic}`])
    expect(simulator.upgrades).toBe(1)
  })

  it('emits each price to its own topic on one connection, even if the service echoes topics with a quote', async () => {
    const simulator = await startTestSimulator({ ...fastMarket, faults: { echoQuote: true } })
    const client = createClientFor(simulator)
    const upper = `svc-0x${weth.slice(2).toUpperCase()}` as const
    const eth = collectEvents(client.price$(upper))
    const btc = collectEvents(client.price$(btcTopic))
    await eventually(() => {
      expect(eth.values().length).toBeGreaterThan(2)
      expect(btc.values().length).toBeGreaterThan(2)
    })
    expect(new Set(eth.values().map(({ topic }) => topic))).toEqual(new Set([upper]))
    expect(new Set(btc.values().map(({ topic }) => topic))).toEqual(new Set([btcTopic]))
    expect(simulator.upgrades).toBe(1)
  })

  it.each(['none', 'new-only'] as const)(
    'emits prices when the service sends these confirmations: %s',
    async (confirmations) => {
      const simulator = await startTestSimulator({ ...fastMarket, faults: { confirmations } })
      const eth = collectEvents(createClientFor(simulator, { confirmTimeout: 200 }).price$(ethTopic))
      await eventually(() => expect(eth.values().length).toBeGreaterThan(40))
      expect(new Set(eth.tags())).toEqual(new Set(['Right']))
    },
  )

  it.each([1000, 1001, 1008, 1011, 1012, 1013, 4000, 4999, undefined])(
    'reconnects after close code %s and subscribes to the topics that still have subscribers',
    async (code) => {
      const simulator = await startTestSimulator()
      const client = createClientFor(simulator, { linger: 60_000, reconnect: { initialDelay: 10 } })
      const eth = collectEvents(client.price$(ethTopic))
      const btc = collectEvents(client.price$(btcTopic))
      await eventually(() => expect(btc.values().length).toBeGreaterThan(0))
      btc.subscription.unsubscribe()
      simulator.dropConnections(code)
      await eventually(() => expect(eth.values().at(-1)?.epoch).toBe(2))
      expect(eth.events.filter(isLeft).map(({ left }) => left)).toMatchObject([
        { _tag: 'Disconnected', code: code ?? 1006, attempt: 1 },
      ])
      expect(methods(simulator).slice(2)).toEqual([`subscribe ${ethTopic}`])
      expect(eth.isComplete()).toBe(false)
    },
  )

  it('emits no price from before a disconnect to a late subscriber', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator, { reconnect: { initialDelay: 10 } })
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(eth.values().length).toBeGreaterThan(0))
    simulator.inject({ refuseUpgrades: 503 })
    simulator.dropConnections()
    await eventually(() => expect(eth.tags()).toContain('Disconnected'))
    const late = collectEvents(client.price$(ethTopic))
    expect(late.tags()).toEqual(['Disconnected'])
    simulator.inject({})
    await eventually(() => expect(late.values().length).toBeGreaterThan(0))
    expect(late.values()[0]?.epoch).toBe(2)
  })

  it('keeps its connection after invalid frames of every kind', async () => {
    const garbage = ['malformed', 'no-message', 'wrong-price', 'unknown-topic', 'binary'] as const
    const simulator = await startTestSimulator({ ...fastMarket, faults: { garbage } })
    const client = createClientFor(simulator)
    const uncorrelated = client.errors$.pipe(
      map(({ kind }) => kind),
      take(20),
      toArray(),
    )
    const kinds = firstValueFrom(uncorrelated)
    const eth = collectEvents(client.price$(ethTopic))
    expect(new Set(await kinds)).toEqual(new Set(['error-text', 'malformed', 'unknown-topic', 'binary']))
    await eventually(() => expect(eth.tags()).toContain('DecodeError'))
    const pricesBefore = eth.values().length
    await eventually(() => expect(eth.values().length).toBeGreaterThan(pricesBefore))
    expect(simulator.upgrades).toBe(1)
  })

  it('emits to all other subscribers when a handler throws', async () => {
    const reported: unknown[] = []
    config.onUnhandledError = (error) => reported.push(error)
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator)
    client
      .price$(ethTopic)
      .pipe(take(3))
      .subscribe(() => {
        throw new Error('handler')
      })
    const eth = collectEvents(client.price$(ethTopic))
    const btc = collectEvents(client.price$(btcTopic))
    await eventually(() => {
      expect(eth.values().length).toBeGreaterThan(3)
      expect(btc.values().length).toBeGreaterThan(3)
      expect(reported.length).toBe(3)
    })
    config.onUnhandledError = null
    expect(simulator.upgrades).toBe(1)
  })

  it('sends a new subscribe for a new subscription after a rejection', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator)
    const first = collectEvents(client.price$('svc-0xdead'))
    await eventually(() => expect(first.isComplete()).toBe(true))
    simulator.list('0xdead')
    const second = collectEvents(client.price$('svc-0xdead'))
    await eventually(() => expect(second.values().length).toBeGreaterThan(0))
    expect(first.tags()).toEqual(['SubscriptionRejected'])
  })

  it('rejects the only unconfirmed topic when an error text names no topic', async () => {
    const simulator = await startTestSimulator({ ...fastMarket, faults: { namelessErrors: true } })
    const client = createClientFor(simulator)
    await firstValueFrom(client.price$(ethTopic))
    const rejected = collectEvents(client.price$('svc-0xdead'))
    await eventually(() => expect(rejected.tags()).toEqual(['SubscriptionRejected']))
  })
})

describe('depth$', () => {
  it('shares one poll, and emits the mint as each subscriber wrote it', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator, { linger: 20 })
    const upper = `0x${weth.slice(2).toUpperCase()}` as const
    const first = collectEvents(client.depth$(weth, 20))
    const second = collectEvents(client.depth$(upper, 20))
    await eventually(() => expect(second.values().length).toBeGreaterThan(3))
    expect(Math.abs(first.events.length - second.events.length)).toBeLessThanOrEqual(1)
    expect(simulator.requests.length).toBeLessThanOrEqual(first.events.length + 1)
    expect(second.values()[0]?.mint).toBe(upper)
    first.subscription.unsubscribe()
    second.subscription.unsubscribe()
    expect(client.inspect().polls).toMatchObject([{ mint: weth, subscribers: 0, lastResult: 'ok' }])
    await eventually(() => expect(client.inspect().polls).toEqual([]))
  })

  it('signs the path with the path and the query of baseUrl (section 5 of the service)', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator, { baseUrl: `${simulator.baseUrl}/gate/?key=1` })
    const result = await client.depth(weth)()
    // The simulator has no such path, and responds 404 instead of 401 only if the signature is valid.
    expect(result).toMatchObject({ left: { _tag: 'HttpError', status: 404 } })
    expect(simulator.requests[0]?.path).toBe(`/gate/v0/order_book/depth/${weth}?key=1`)
  })

  it("retries with the service's clock when the local clock is wrong, and stores the offset", async () => {
    const simulator = await startTestSimulator({ ...fastMarket, faults: { clockOffset: 3_600_000 } })
    const client = createClientFor(simulator)
    expect(isRight(await client.depth(weth)())).toBe(true)
    expect(simulator.requests.length).toBe(2)
    expect(isRight(await client.depth(wbtc)())).toBe(true)
    expect(simulator.requests.length).toBe(3)
  })

  it('returns Unauthorized after one request when the clock is right and the key is wrong', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator, { authKey: 'b3RoZXIga2V5' })
    expect(await client.depth(weth)()).toMatchObject({ left: { _tag: 'Unauthorized', body: 'Unauthorized' } })
    expect(simulator.requests.length).toBe(1)
  })

  it('continues after failures, and decodes quantities from numbers and from texts to bigint', async () => {
    const simulator = await startTestSimulator({ ...fastMarket, faults: { httpStatus: 500 } })
    const client = createClientFor(simulator, { reconnect: { initialDelay: 5, maxDelay: 20 } })
    const depth = collectEvents(client.depth$(weth, 10))
    await eventually(() => expect(depth.tags().length).toBeGreaterThan(2))
    simulator.inject({ quantitiesAsText: true })
    await eventually(() => expect(depth.values().length).toBeGreaterThan(0))
    simulator.inject({})
    const depthsBefore = depth.values().length
    await eventually(() => expect(depth.values().length).toBeGreaterThan(depthsBefore))
    for (const { buy } of depth.values()) expect(buy.totalQuantity).toBeTypeOf('bigint')
    expect(depth.tags().slice(0, 3)).toEqual(['HttpError', 'HttpError', 'HttpError'])
  })

  it('emits NetworkError when canonicalHeaders throws', async () => {
    const simulator = await startTestSimulator()
    let calls = 0
    const canonicalHeaders = (): string => {
      if (calls++ > 0) throw new Error('canonicalHeaders')
      return ''
    }
    const client = createClientFor(simulator, {
      canonicalHeaders,
      reconnect: { initialDelay: 5, maxDelay: 5 },
    })
    const depth = collectEvents(client.depth$(weth, 5))
    await eventually(() => expect(depth.tags().length).toBeGreaterThan(2))
    expect(new Set(depth.tags())).toEqual(new Set(['NetworkError']))
  })
})

type Use = (client: Client, simulator: Simulator) => Promise<unknown>

/** One use of each member of a client against the simulator. A new member does not compile without one. */
const uses: Readonly<Record<keyof Client, Use>> = {
  chainId: async ({ chainId }) => expect(chainId).toBe(42161),
  status$: async ({ status$ }) => expect(await firstValueFrom(status$)).toEqual({ _tag: 'Idle' }),
  errors$: async ({ errors$, price$ }, simulator) => {
    const error = firstValueFrom(errors$)
    simulator.inject({ garbage: ['binary'] })
    price$(ethTopic).subscribe()
    expect(await error).toMatchObject({ _tag: 'UncorrelatedError', kind: 'binary' })
  },
  price$: async ({ price$ }) => {
    const price = await firstValueFrom(
      price$(ethTopic).pipe(
        filter(isRight),
        map(({ right }) => right),
      ),
    )
    expect(price).toMatchObject({ topic: ethTopic, epoch: 1 })
  },
  depth$: async ({ depth$ }) =>
    expect(await firstValueFrom(depth$(weth, 1000))).toMatchObject({ right: { mint: weth } }),
  price: async ({ price }) => expect(await price(ethTopic)()).toMatchObject({ right: { epoch: 0 } }),
  depth: async ({ depth }) => expect(await depth(weth)()).toMatchObject({ right: { mint: weth } }),
  inspect: async ({ inspect }) =>
    expect(inspect()).toMatchObject({ status: { _tag: 'Idle' }, topics: [], polls: [] }),
  close: async ({ close, inspect }) => {
    await close()
    expect(inspect().status).toEqual({ _tag: 'Closed' })
  },
  [Symbol.asyncDispose]: async (client) => {
    await client[Symbol.asyncDispose]()
    expect(client.inspect().status).toEqual({ _tag: 'Closed' })
  },
}

describe('each member of a client', () => {
  it.each(Reflect.ownKeys(uses).map((name) => [String(name), uses[name as keyof Client]] as const))(
    '%s works against the simulator',
    async (_, use) => {
      const simulator = await startTestSimulator()
      await use(createClientFor(simulator), simulator)
    },
  )
})
