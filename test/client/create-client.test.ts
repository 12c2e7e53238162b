import { inspect } from 'node:util'
import { isRight, type Either } from 'fp-ts/lib/Either.js'
import { filter, firstValueFrom, switchMap } from 'rxjs'
import {
  ConfigurationError,
  createClient,
  type Client,
  type ConnectionStatus,
  type DepthError,
} from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/time/eventually.js'
import { depthBody, FakeHttp } from '../support/fake-http.js'
import { expirationOf, fakeWallClock, key, mint, now, untilRequested } from '../wire/http/support/relayer.js'
import { leftWith } from '../support/time/marbles.js'
import { runProgram } from '../support/process/node-process.js'
import { btcTopic, ethTopic, weth } from '../support/tokens.js'
import { createClientFor, fastMarket, startTestSimulator } from '../support/simulator.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { collectEvents } from '../support/collect-events.js'

const isOpen = ({ _tag }: ConnectionStatus): boolean => _tag === 'Open'

describe('createClient', () => {
  it('opens no WebSocket for status$ and price', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator)
    const statuses: ConnectionStatus[] = []
    client.status$.subscribe((status) => statuses.push(status))
    await client.price(ethTopic)()
    expect(statuses).toEqual([{ _tag: 'Idle' }])
    expect(simulator.upgrades).toBe(0)
  })

  it('completes every stream on close, however often close is called', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator)
    const statuses: ConnectionStatus[] = []
    client.status$.subscribe((status) => statuses.push(status))
    const streams = [collectEvents(client.price$(ethTopic)), collectEvents(client.depth$(weth, 50))]
    await eventually(() => streams.forEach((stream) => expect(stream.values().length).toBeGreaterThan(0)))
    await Promise.all([client.close(), client.close()])
    await client.close()
    expect(streams.map((stream) => stream.isComplete())).toEqual([true, true])
    expect(statuses.at(-1)).toEqual({ _tag: 'Closed' })
    await eventually(() => expect(simulator.connections).toEqual([]))
    expect(await firstValueFrom(client.status$)).toEqual({ _tag: 'Closed' })
    const after = [
      collectEvents(client.price$(ethTopic)),
      collectEvents(client.price$('no topic' as typeof ethTopic)),
      collectEvents(client.depth$(weth, 50)),
    ]
    expect(after.map((stream) => stream.tags())).toEqual([
      ['ClientClosed'],
      ['ClientClosed'],
      ['ClientClosed'],
    ])
    expect(after.every((stream) => stream.isComplete())).toBe(true)
  })

  it('completes depth$ without an event on close while its request is in flight, and gives ClientClosed to a task', async () => {
    const simulator = await startTestSimulator()
    simulator.inject({ stall: true })
    const client = createClientFor(simulator)
    const depth = collectEvents(client.depth$(weth, 50))
    const task = client.depth(weth)()
    await eventually(() => expect(simulator.requests).toHaveLength(2))
    await client.close()
    expect(depth.tags()).toEqual([])
    expect(depth.isComplete()).toBe(true)
    expect(await task).toMatchObject({ left: { _tag: 'ClientClosed' } })
  })

  it('completes every stream when a handler closes the client', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator)
    const eth = collectEvents(client.price$(ethTopic))
    const btc = collectEvents(client.price$(btcTopic))
    const last = await firstValueFrom(
      client.price$(ethTopic).pipe(switchMap((event) => client.close().then(() => event))),
      {
        defaultValue: undefined,
      },
    )
    expect(last).toBeUndefined()
    expect([eth.isComplete(), btc.isComplete()]).toEqual([true, true])
  })

  it('closes the client when its signal aborts, or at once if it is aborted already', async () => {
    const simulator = await startTestSimulator()
    const abort = new AbortController()
    const client = closeAfterTest(
      createClient({ environment: 'mainnet', ...simulator, signal: abort.signal }),
    )
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(eth.values().length).toBeGreaterThan(0))
    abort.abort()
    expect(eth.isComplete()).toBe(true)
    const aborted = closeAfterTest(
      createClient({ environment: 'mainnet', ...simulator, signal: abort.signal }),
    )
    expect(collectEvents(aborted.price$(ethTopic)).tags()).toEqual(['ClientClosed'])
  })

  it('inspects as plain data without the key or the query of an address', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator, { priceWsUrl: `${simulator.priceWsUrl}/?secret=hidden` })
    const eth = collectEvents(client.price$(ethTopic))
    const depth = collectEvents(client.depth$(weth, 1000))
    await eventually(() => {
      expect(eth.values().length).toBeGreaterThan(0)
      expect(depth.values().length).toBeGreaterThan(0)
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

  it('throws from depth$ and depth on testnet (section 1 of the service)', async () => {
    const simulator = await startTestSimulator()
    const testnet = closeAfterTest(createClient({ environment: 'testnet', ...simulator }))
    expect(testnet.chainId).toBe(421614)
    expect(createClientFor(simulator).chainId).toBe(42161)
    expect(() => (testnet as Client).depth$(weth, 1000)).toThrow(ConfigurationError)
    expect(() => (testnet as Client).depth(weth)).toThrow(ConfigurationError)
  })

  it('uses the name of the service for topics and headers', async () => {
    const simulator = await startTestSimulator({ ...fastMarket, service: 'acme' })
    const client = createClientFor(simulator)
    expect(isRight(await client.depth(weth)())).toBe(true)
    expect(isRight(await firstValueFrom(client.price$(`acme-${weth}`)))).toBe(true)
    expect(collectEvents(client.price$(ethTopic)).tags()).toEqual(['InvalidTopic'])
    expect(Object.keys(simulator.requests[0]?.headers ?? {})).toContain('x-acme-auth')
  })

  it('leaves nothing that keeps the process alive after close', async () => {
    expect(await runProgram('test/client/programs/ends-by-itself.ts')).toBe('closed\n')
  })

  it('reports Open when the connection is open', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator)
    collectEvents(client.price$(ethTopic))
    const status = await firstValueFrom(client.status$.pipe(filter(isOpen)))
    expect(status).toMatchObject({ epoch: 1 })
    expect(simulator.connections.length).toBe(1)
  })

  it('throws a ConfigurationError when canonicalHeaders throws or returns no text', async () => {
    const simulator = await startTestSimulator()
    const throwing = () => {
      throw new Error('canonicalHeaders')
    }
    expect(() => createClientFor(simulator, { canonicalHeaders: throwing })).toThrow(ConfigurationError)
    expect(() => createClientFor(simulator, { canonicalHeaders: (() => 5) as never })).toThrow(
      /^canonicalHeaders: /,
    )
  })
})

describe('the depth methods of createClient', () => {
  const clock = fakeWallClock()

  const depthClient = (): { client: Client; http: FakeHttp } => {
    const http = new FakeHttp()
    const client = createClient({
      environment: 'mainnet',
      baseUrl: 'https://relayer.example:3000',
      priceBaseUrl: 'https://prices.example:3000',
      authKey: key,
      linger: 0,
      http,
    })
    return { client, http }
  }
  const closed = leftWith({ _tag: 'ClientClosed' })

  it('signs each request of a poll again', async () => {
    const { client, http } = depthClient()
    const events: Either<DepthError, unknown>[] = []
    const subscription = client.depth$(mint, 1).subscribe((event) => events.push(event))
    http.request(1).respond(200, depthBody(1))
    await untilRequested(http, 2)
    clock.now += 500
    http.request(2).respond(200, depthBody(2))
    await untilRequested(http, 3)
    expect(expirationOf(http, 3)).toBe(now + 10_500)
    expect(events).toMatchObject([{ right: { price: 1 } }, { right: { price: 2 } }])
    subscription.unsubscribe()
    expect(http.request(3).aborted).toBe(true)
  })

  it('completes its polls and aborts their requests on close', async () => {
    const { client, http } = depthClient()
    const events: string[] = []
    client
      .depth$(mint, 1000)
      .subscribe({ next: () => events.push('value'), complete: () => events.push('complete') })
    await client.close()
    expect(events).toEqual(['complete'])
    expect(http.request(1).aborted).toBe(true)
    expect(http.closeCalls).toBe(1)
    expect(client.inspect().polls).toEqual([])
  })

  it('ends its lingering polls on close, and aborts their requests', async () => {
    const http = new FakeHttp()
    const urls = { baseUrl: 'https://relayer.example', priceBaseUrl: 'https://prices.example' }
    const client = createClient({ environment: 'mainnet', ...urls, authKey: key, http })
    client.depth$(mint, 1000).subscribe().unsubscribe()
    expect(client.inspect().polls).toMatchObject([{ mint, subscribers: 0, lastResult: 'none' }])
    expect(http.request(1).aborted).toBe(false)
    await client.close()
    expect(http.request(1).aborted).toBe(true)
    expect(client.inspect().polls).toEqual([])
  })

  it('returns ClientClosed for requests in flight on close, and aborts them', async () => {
    const { client, http } = depthClient()
    const results = [client.depth(mint)(), client.price('svc-0xab')()]
    await client.close()
    expect(await Promise.all(results)).toEqual([closed, closed])
    expect(http.requests.map(({ aborted }) => aborted)).toEqual([true, true])
  })

  it('returns ClientClosed and sends no request after close', async () => {
    const { client, http } = depthClient()
    const [depth, price, depth$] = [client.depth(mint), client.price('svc-0xab'), client.depth$(mint, 1000)]
    await client.close()
    expect(await Promise.all([depth(), price(), firstValueFrom(depth$)])).toEqual([closed, closed, closed])
    expect(http.requests).toEqual([])
  })

  it('sends a request each time the task runs', async () => {
    const { client, http } = depthClient()
    const task = client.depth(mint)
    expect(http.requests).toEqual([])
    const results = [task(), task()]
    http.request(1).respond(200, depthBody(1))
    http.request(2).respond(200, depthBody(2))
    expect(await Promise.all(results)).toMatchObject([{ right: { price: 1 } }, { right: { price: 2 } }])
    await client.close()
  })
})
