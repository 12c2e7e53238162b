import type { IncomingMessage, ServerResponse } from 'node:http'
import { isLeft } from 'fp-ts/lib/Either.js'
import { firstValueFrom, skip, take, tap } from 'rxjs'
import { createClient, type Client, type DepthClientOptions } from 'svc-streams'
import { switchMapRight } from 'svc-streams/operators'
import { describe, expect, it } from 'vitest'
import { collectMessages } from '../../base/diagnostics/support/collect-messages.js'
import { eventually } from '../../support/time/eventually.js'
import { createClientFor, fastMarket, startTestSimulator } from '../../support/simulator.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { ethTopic, wbtc, weth } from '../../support/tokens.js'
import { startHttpServer } from '../../support/network/servers.js'

const side = { total_quantity: 1, total_quantity_usd: 1 }
const depthBody = JSON.stringify({ price: 1, timestamp: 1, buy: side, sell: side })

const ok = (response: ServerResponse): unknown => response.end(depthBody)

interface Arrival {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Monotonic time in ms. */
  readonly at: number
  /** Number of pending requests of the same path on arrival. */
  readonly others: number
}

/** A relayer whose n-th response, from 0, is scripted. It records each request. */
const startRelayer = async (
  respond: (response: ServerResponse, index: number, request: IncomingMessage) => unknown,
  options: Partial<DepthClientOptions> = {},
): Promise<{ client: Client; arrivals: readonly Arrival[] }> => {
  const arrivals: Arrival[] = []
  const baseUrl = await startHttpServer((request, response) => {
    const isBeside = (each: Arrival): boolean =>
      each.request.url === request.url && !each.response.writableEnded && !each.response.closed
    const others = arrivals.filter(isBeside).length
    arrivals.push({ request, response, at: performance.now(), others })
    respond(response, arrivals.length - 1, request)
  })
  const reconnect = { initialDelay: 1, maxDelay: 1 }
  const prices = { priceBaseUrl: baseUrl, authKey: 'AAEC' }
  const client = closeAfterTest(
    createClient({ environment: 'mainnet', baseUrl, ...prices, reconnect, ...options }),
  )
  return { client, arrivals }
}

/** Times between consecutive arrivals, in ms. */
const gaps = (arrivals: readonly Arrival[]): readonly number[] =>
  arrivals.slice(1).map(({ at }, index) => at - arrivals[index]!.at)

describe('a poll', () => {
  it('sends one request at a time and queues none when the service is slower than the interval', async () => {
    const held: ServerResponse[] = []
    const { client, arrivals } = await startRelayer((response, _index, { url = '' }) =>
      url.endsWith(weth) && held.length < 5 ? held.push(response) : ok(response),
    )
    const depth = collectEvents(client.depth$(weth, 1))
    for (let late = 1; late <= 5; late++) {
      await eventually(() => expect(held.length).toBe(late))
      // Wait for many intervals, measured by another poll.
      await firstValueFrom(client.depth$(wbtc, 1).pipe(skip(20)))
      expect(held.length).toBe(late)
      ok(held.at(-1)!)
    }
    await eventually(() => expect(depth.values().length).toBeGreaterThan(20))
    expect(new Set(arrivals.map(({ others }) => others))).toEqual(new Set([0]))
    expect(new Set(depth.tags())).toEqual(new Set(['Right']))
  })

  it('is shared by subscribers with the same mint and interval', async () => {
    const { client, arrivals } = await startRelayer(ok)
    const streams = Array.from({ length: 10 }, () => collectEvents(client.depth$(weth, 600_000)))
    await eventually(() => streams.forEach(({ tags }) => expect(tags()).toEqual(['Right'])))
    const late = collectEvents(client.depth$(weth, 600_000))
    expect(late.tags()).toEqual(['Right'])
    expect(arrivals.length).toBe(1)
    expect(client.inspect().polls).toMatchObject([{ subscribers: 11 }])
  })

  it('aborts its request when its last subscriber has left for `linger`, and not earlier', async () => {
    const { client, arrivals } = await startRelayer(() => undefined, { linger: 50 })
    const streams = [collectEvents(client.depth$(weth, 1000)), collectEvents(client.depth$(weth, 1000))]
    await eventually(() => expect(arrivals.length).toBe(1))
    streams[0]!.subscription.unsubscribe()
    const [{ response }] = arrivals as [Arrival]
    let isClosed = false
    response.once('close', () => (isClosed = true))
    // A complete request in between gives an abort the time to arrive.
    const other = client.depth(wbtc)()
    await eventually(() => expect(arrivals.length).toBe(2))
    ok(arrivals[1]!.response)
    await other
    expect(isClosed).toBe(false)
    streams[1]!.subscription.unsubscribe()
    const leftAt = performance.now()
    expect(client.inspect().polls).toMatchObject([{ mint: weth, subscribers: 0 }])
    await eventually(() => expect([isClosed, response.writableFinished]).toEqual([true, false]))
    // A lower bound. Timers may fire 1 ms early.
    expect(performance.now() - leftAt).toBeGreaterThanOrEqual(49)
    expect(streams.map(({ events }) => events.length)).toEqual([0, 0])
    expect(client.inspect().polls).toEqual([])
  })

  it('starts again for a subscriber that comes after `linger`, without a result of the aborted request', async () => {
    const { client, arrivals } = await startRelayer(
      (response, index) => (index === 0 ? undefined : ok(response)),
      { linger: 0 },
    )
    const first = collectEvents(client.depth$(weth, 1))
    await eventually(() => expect(arrivals.length).toBeGreaterThan(0))
    first.subscription.unsubscribe()
    const again = collectEvents(client.depth$(weth, 1))
    await eventually(() => expect(again.values().length).toBeGreaterThan(3))
    expect(first.events).toEqual([])
    expect(new Set(again.tags())).toEqual(new Set(['Right']))
  })

  it('is taken over by a subscriber that comes within `linger`, with the request in flight', async () => {
    const { client, arrivals } = await startRelayer(() => undefined)
    const first = collectEvents(client.depth$(weth, 60_000))
    await eventually(() => expect(arrivals.length).toBe(1))
    first.subscription.unsubscribe()
    const second = collectEvents(client.depth$(weth, 60_000))
    ok(arrivals[0]!.response)
    await eventually(() => expect(second.tags()).toEqual(['Right']))
    second.subscription.unsubscribe()
    const third = collectEvents(client.depth$(weth, 60_000))
    expect(third.events).toEqual(second.events)
    expect(arrivals.length).toBe(1)
  })

  it('gives depths to a switchMapRight from quick prices, with one request per interval, none of them aborted', async () => {
    const interval = 300
    const polled = collectMessages('svc-streams:poll')
    const simulator = await startTestSimulator({
      tokens: [weth],
      tick: 20,
      faults: { httpDelay: 30 },
    })
    const client = createClientFor(simulator)
    let prices = 0
    const depth = collectEvents(
      client.price$(ethTopic).pipe(
        tap(() => prices++),
        switchMapRight(() => client.depth$(weth, interval)),
      ),
    )
    await eventually(() => expect(depth.values().length).toBeGreaterThan(0))
    const before = prices
    await eventually(() => expect(polled.length).toBeGreaterThanOrEqual(4))
    // Each price gets the latest depth at once.
    expect(prices - before).toBeGreaterThan(10)
    expect(depth.values().length).toBeGreaterThanOrEqual(prices - before)
    expect(new Set(depth.tags())).toEqual(new Set(['Right']))
    // Each request has a result; the last one may be in flight.
    expect(simulator.requests.length - polled.length).toBeLessThanOrEqual(1)
  })
})

describe('a failure', () => {
  it('of any kind is a Left, and polling continues', async () => {
    const failures: ((response: ServerResponse) => unknown)[] = [
      // The next request uses a new connection, so that it is not repeated.
      (response) => response.writeHead(500, { connection: 'close' }).end('no'),
      (response) => response.destroy(),
      (response) => response.end('{'),
      (response) => response.writeHead(401).end('no'),
      () => undefined,
      (response) => {
        response.writeHead(200, { 'content-length': 1000 }).write('{')
        response.destroy()
      },
      (response) => response.end(depthBody.padEnd(2000)),
      (response) => response.writeHead(204).end(),
      (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
      (response) => response.socket?.end('gibberish\r\n\r\n'),
      (response) =>
        response.writeHead(500).end('UnsupportedPair(Token { addr: "0x1" }, Token { addr: "0x2" })'),
    ]
    const { client } = await startRelayer((response, index) => (failures[index] ?? ok)(response), {
      maxBodyBytes: 1000,
      requestTimeout: 100,
    })
    const depth = collectEvents(client.depth$(weth, 1))
    await eventually(() => expect(depth.values().length).toBeGreaterThan(3))
    expect(depth.tags().slice(0, 12)).toEqual([
      'HttpError',
      'NetworkError',
      'DecodeError',
      'Unauthorized',
      'Timeout',
      'NetworkError',
      'DecodeError',
      'HttpError',
      'HttpError',
      'NetworkError',
      'UnsupportedPair',
      'Right',
    ])
    expect(depth.isComplete()).toBe(false)
  })

  it('after another failure lengthens the wait, and a success resets it', async () => {
    // The first waits are below 20 ms. After a dozen consecutive failures they reach minutes.
    const failing = (row: number) => (response: ServerResponse, index: number) =>
      index % (row + 1) < row ? response.writeHead(500).end() : ok(response)
    const reconnect = { initialDelay: 20, maxDelay: 60_000 }
    const inARow = await startRelayer(failing(Infinity), { reconnect })
    const nowAndThen = await startRelayer(failing(1), { reconnect })
    const row = collectEvents(inARow.client.depth$(weth, 1))
    const mixed = collectEvents(nowAndThen.client.depth$(weth, 1))
    await eventually(() => expect(mixed.events.filter(isLeft).length).toBeGreaterThan(25))
    expect(row.events.length).toBeGreaterThan(0)
    expect(row.events.length).toBeLessThan(25)
  })
})

describe('Retry-After', () => {
  it.each([429, 503])('of a %i response delays the next request', async (status) => {
    const { client, arrivals } = await startRelayer(
      (response, index) =>
        index === 0 ? response.writeHead(status, { 'retry-after': '1' }).end() : ok(response),
      { reconnect: { initialDelay: 1, maxDelay: 30_000 } },
    )
    const depth = collectEvents(client.depth$(weth, 1))
    await eventually(() => expect(depth.values().length).toBeGreaterThan(1))
    expect(depth.events[0]).toMatchObject({ left: { status, retryAfterMs: 1000 } })
    // A lower bound: a loaded machine only waits longer. Timers may fire 1 ms early.
    expect(gaps(arrivals)[0]).toBeGreaterThanOrEqual(998)
  })

  it.each(['86400', 'Fri, 31 Dec 9999 23:59:59 GMT', '999999999999'])(
    'of %s delays the poll by reconnect.maxDelay at most',
    async (header) => {
      const { client } = await startRelayer(
        (response, index) =>
          index === 0 ? response.writeHead(429, { 'retry-after': header }).end() : ok(response),
        { reconnect: { initialDelay: 1, maxDelay: 50 } },
      )
      const depth = collectEvents(client.depth$(weth, 1))
      await eventually(() => expect(depth.tags().slice(0, 2)).toEqual(['HttpError', 'Right']))
    },
  )
})

describe('a clock offset', () => {
  it('costs one additional request, once for all polls', async () => {
    const simulator = await startTestSimulator({ ...fastMarket, faults: { clockOffset: 3_600_000 } })
    const client = createClientFor(simulator)
    const eth = collectEvents(client.depth$(weth, 600_000))
    await eventually(() => expect(eth.tags()).toEqual(['Right']))
    expect(simulator.requests.length).toBe(2)
    const btc = collectEvents(client.depth$(wbtc, 5).pipe(take(5)))
    await eventually(() => expect(btc.isComplete()).toBe(true))
    expect(new Set(btc.tags())).toEqual(new Set(['Right']))
    expect(simulator.requests.length).toBe(2 + 5)
  })

  it('is corrected for each of several concurrent requests', async () => {
    const client = createClientFor(
      await startTestSimulator({ ...fastMarket, faults: { clockOffset: 3_600_000 } }),
    )
    const polls = [collectEvents(client.depth$(weth, 600_000)), collectEvents(client.depth$(wbtc, 600_000))]
    await eventually(() => polls.forEach(({ tags }) => expect(tags()).toEqual(['Right'])))
  })

  it('is not assumed after a second 401: two requests, then Unauthorized', async () => {
    const { client, arrivals } = await startRelayer((response) =>
      response.writeHead(401, { date: 'Thu, 01 Jan 2015 00:00:00 GMT' }).end('no'),
    )
    expect(await client.depth(weth)()).toMatchObject({ left: { _tag: 'Unauthorized' } })
    expect(arrivals.length).toBe(2)
  })
})

describe('a keep-alive connection', () => {
  it('is reused', async () => {
    const { client, arrivals } = await startRelayer(ok)
    const depth = collectEvents(client.depth$(weth, 1))
    await eventually(() => expect(depth.values().length).toBeGreaterThan(5))
    expect(new Set(arrivals.map(({ request }) => request.socket)).size).toBe(1)
  })

  it.each(['ends', 'resets'])('that the service %s between two polls causes no error', async (how) => {
    const { client, arrivals } = await startRelayer((response, _index, { socket }) => {
      response.once('finish', () => {
        setImmediate(() => (how === 'ends' ? socket.end() : socket.resetAndDestroy()))
      })
      ok(response)
    })
    const depth = collectEvents(client.depth$(weth, 30))
    await eventually(() => expect(depth.values().length).toBeGreaterThan(10))
    expect(new Set(depth.tags())).toEqual(new Set(['Right']))
    expect(new Set(arrivals.map(({ request }) => request.socket)).size).toBe(arrivals.length)
  })
})
