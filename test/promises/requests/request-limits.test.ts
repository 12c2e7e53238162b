import type { IncomingMessage, ServerResponse } from 'node:http'
import { createClient, type Address, type Client, type DepthClientOptions, type Topic } from 'svc-streams'
import { firstValueFrom, timer } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { lazyHttpTransport } from '../../../src/wire/platform/node.js'
import type { HttpTransport } from '../../../src/wire/transport/ports.js'
import { importUndici } from '../../../src/wire/transport/undici-package.js'
import { undiciTransport } from '../../../src/wire/transport/undici-transport.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { depthBody } from '../../support/fake-http.js'
import { startHttpServer } from '../../support/network/servers.js'
import { eventually } from '../../support/time/eventually.js'

const modules = await importUndici()

interface Arrival {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** A service that handles each request by a function; by default it never responds. It records each request. */
const startService = async (
  options: Partial<DepthClientOptions>,
  respond: (response: ServerResponse, index: number) => unknown = () => undefined,
): Promise<{ client: Client; arrivals: readonly Arrival[]; names: () => string[] }> => {
  const arrivals: Arrival[] = []
  const baseUrl = await startHttpServer((request, response) => {
    arrivals.push({ request, response })
    respond(response, arrivals.length - 1)
  })
  const urls = { baseUrl, priceBaseUrl: baseUrl }
  const client = closeAfterTest(
    createClient({ environment: 'mainnet', ...urls, authKey: 'AAEC', ...options }),
  )
  const names = () => arrivals.map(({ request }) => request.url?.replace(/.*[/]/, '') ?? '')
  return { client, arrivals, names }
}

/**
 * The default transport, which is loaded after `loadMs` and records when it sends a request: monotonic times, in ms. A
 * busy machine delays the arrival at the service.
 */
const recordingTransport = (loadMs = 0): { http: HttpTransport; sentAt: readonly number[] } => {
  const sentAt: number[] = []
  const lazy = lazyHttpTransport(async () => {
    await firstValueFrom(timer(loadMs))
    return undiciTransport(modules, { ca: undefined, connectTimeout: 10_000 })
  })
  const http: HttpTransport = {
    get: (request, onResult, onSent) => {
      const record = (): void => {
        sentAt.push(performance.now())
        onSent?.()
      }
      return lazy.get(request, onResult, record)
    },
    close: () => lazy.close(),
  }
  return { http, sentAt }
}

const ok = (response: ServerResponse): unknown => response.end(depthBody())

const mints = (count: number): readonly Address[] =>
  Array.from({ length: count }, (_, each): Address => `0x${each}`)

const isPending = ({ response }: Arrival): boolean => !response.writableEnded && !response.closed

/** The least time between a request and the one `count` requests later, in ms. */
const shortestSpan = (sentAt: readonly number[], count: number): number =>
  Math.min(...sentAt.slice(count).map((at, index) => at - sentAt[index]!))

describe('maxConcurrentRequests', () => {
  it('limits the requests at the same time, of prices, depths and polls, first in, first out', async () => {
    const { client, arrivals, names } = await startService({ maxConcurrentRequests: 3 })
    const topic: Topic = 'svc-0x3'
    const results = mints(3).map((mint) => client.depth(mint)())
    const price = client.price(topic)()
    const poll = collectEvents(client.depth$('0x4', 60_000))
    const last = client.depth('0x5')()
    for (let responses = 0; responses < 6; responses++) {
      await eventually(() => expect(arrivals.length).toBe(Math.min(6, 3 + responses)))
      expect(arrivals.filter(isPending).length).toBe(Math.min(3, 6 - responses))
      const { request, response } = arrivals[responses]!
      response.end(request.url?.includes('price') === true ? '1' : depthBody())
    }
    expect(names()).toEqual(['0x0', '0x1', '0x2', 'svc-0x3', '0x4', '0x5'])
    expect(await Promise.all([...results, price, last])).toMatchObject(Array(5).fill({ _tag: 'Right' }))
    await eventually(() => expect(poll.tags()).toEqual(['Right']))
  })

  it.each([
    [undefined, 64],
    [300, 300],
  ])(
    'of %s is the number of pending requests and of connections, if more requests are queued',
    async (maxConcurrentRequests, most) => {
      const options = maxConcurrentRequests === undefined ? {} : { maxConcurrentRequests }
      let answers = false
      const { client, arrivals } = await startService(options, (response) => {
        if (answers) ok(response)
      })
      const count = 2 * most
      const results = mints(count).map((mint) => client.depth(mint)())
      await eventually(() => expect(arrivals.length).toBe(most))
      answers = true
      for (const { response } of arrivals.slice(0, most)) ok(response)
      expect((await Promise.all(results)).filter(({ _tag }) => _tag === 'Right').length).toBe(count)
      expect(arrivals.length).toBe(count)
      const sockets = new Set(arrivals.map(({ request }) => request.socket))
      expect(sockets.size).toBe(most)
    },
  )

  it('does not count the time in the queue toward requestTimeout', async () => {
    const { client, arrivals } = await startService({ maxConcurrentRequests: 1, requestTimeout: 100 })
    const results = mints(5).map((mint) => client.depth(mint)())
    const timeout = { left: { _tag: 'Timeout', afterMs: 100 } }
    expect(await Promise.all(results)).toMatchObject(Array(5).fill(timeout))
    expect(arrivals.length).toBe(5)
  })

  it('signs a request when it is sent', async () => {
    const { client, arrivals } = await startService({ maxConcurrentRequests: 1 })
    void client.depth('0x0')()
    void client.depth('0x1')()
    await eventually(() => expect(arrivals.length).toBe(1))
    const expirationOf = (index: number): number =>
      Number(arrivals[index]?.request.headers['x-svc-auth-expiration'])
    await eventually(() => expect(Date.now() + 10_000 - expirationOf(0)).toBeGreaterThan(50))
    const before = Date.now()
    ok(arrivals[0]!.response)
    await eventually(() => expect(arrivals.length).toBe(2))
    expect(expirationOf(1)).toBeGreaterThanOrEqual(before + 10_000)
  })

  it('signs a queued request with the clock that another request has corrected meanwhile', async () => {
    const ahead = new Date(Date.now() + 3_600_000).toUTCString()
    const { client, arrivals } = await startService({ maxConcurrentRequests: 1 }, (response, index) => {
      if (index === 0) response.writeHead(401, { date: ahead }).end()
    })
    const first = client.depth('0x0')()
    await eventually(() => expect(arrivals.length).toBe(2))
    const second = client.depth('0x1')()
    ok(arrivals[1]!.response)
    await eventually(() => expect(arrivals.length).toBe(3))
    ok(arrivals[2]!.response)
    expect(await Promise.all([first, second])).toMatchObject([{ _tag: 'Right' }, { _tag: 'Right' }])
    expect(Number(arrivals[2]!.request.headers['x-svc-auth-expiration'])).toBeGreaterThan(
      Date.now() + 3_000_000,
    )
  })

  it('sends no request that is unsubscribed while it is queued', async () => {
    const { client, arrivals, names } = await startService({ maxConcurrentRequests: 1 })
    void client.depth('0x0')()
    await eventually(() => expect(arrivals.length).toBe(1))
    const polls = mints(4).map((mint) => collectEvents(client.depth$(mint, 60_000)))
    polls.slice(0, 3).forEach(({ subscription }) => subscription.unsubscribe())
    ok(arrivals[0]!.response)
    await eventually(() => expect(arrivals.length).toBe(2))
    expect(names()).toEqual(['0x0', '0x3'])
    // The polls linger. Their next subscribers have them send the requests.
    collectEvents(client.depth$('0x2', 60_000))
    ok(arrivals[1]!.response)
    await eventually(() => expect(names()).toEqual(['0x0', '0x3', '0x2']))
  })

  it('keeps the place of the request of a poll whose next subscriber comes before its turn', async () => {
    const { client, arrivals, names } = await startService({ maxConcurrentRequests: 1 })
    void client.depth('0x0')()
    await eventually(() => expect(arrivals.length).toBe(1))
    const first = collectEvents(client.depth$('0x1', 60_000))
    collectEvents(client.depth$('0x2', 60_000))
    first.subscription.unsubscribe()
    const next = collectEvents(client.depth$('0x1', 60_000))
    ok(arrivals[0]!.response)
    await eventually(() => expect(names()).toEqual(['0x0', '0x1']))
    ok(arrivals[1]!.response)
    await eventually(() => expect(next.tags()).toEqual(['Right']))
  })

  it('sends no queued request on close: each is ClientClosed', async () => {
    const { client, arrivals } = await startService({ maxConcurrentRequests: 2 })
    const results = mints(20).map((mint) => client.depth(mint)())
    const poll = collectEvents(client.depth$('0x1', 60_000))
    await eventually(() => expect(arrivals.length).toBe(2))
    await client.close()
    expect(await Promise.all(results)).toMatchObject(Array(20).fill({ left: { _tag: 'ClientClosed' } }))
    expect(poll.isComplete()).toBe(true)
    expect(arrivals.length).toBe(2)
  })
})

describe('maxRequestsPerSecond', () => {
  it('is never exceeded, and every request is sent', async () => {
    const { http, sentAt } = recordingTransport()
    const { client, names } = await startService({ maxRequestsPerSecond: 5, http }, ok)
    const results = await Promise.all(mints(12).map((mint) => client.depth(mint)()))
    expect(results).toMatchObject(Array(12).fill({ _tag: 'Right' }))
    expect(names()).toEqual(mints(12))
    expect(shortestSpan(sentAt, 5)).toBeGreaterThanOrEqual(1000)
  })

  it('counts the first requests from the time at which they are sent, on a new connection', async () => {
    const { http, sentAt } = recordingTransport(500)
    const { client } = await startService({ maxRequestsPerSecond: 5, http }, ok)
    await Promise.all(mints(12).map((mint) => client.depth(mint)()))
    expect(sentAt.length).toBe(12)
    expect(shortestSpan(sentAt, 5)).toBeGreaterThanOrEqual(1000)
  })

  it('counts prices, and the repetition of a request after a corrected clock', async () => {
    const inThePast = { date: 'Thu, 01 Jan 2015 00:00:00 GMT' }
    const { http, sentAt } = recordingTransport()
    const { client, arrivals } = await startService({ maxRequestsPerSecond: 4, http }, (response) =>
      response.writeHead(401, inThePast).end(),
    )
    const topic: Topic = 'svc-0x1'
    await Promise.all([client.price(topic)(), ...mints(2).map((mint) => client.depth(mint)())])
    expect(arrivals.length).toBe(5)
    expect(shortestSpan(sentAt, 4)).toBeGreaterThanOrEqual(1000)
  })

  it('of many polls is never exceeded, and every poll gets its turn', async () => {
    const { http, sentAt } = recordingTransport()
    const { client, names } = await startService({ maxRequestsPerSecond: 20, http }, ok)
    const polls = mints(15).map((mint) => collectEvents(client.depth$(mint, 1)))
    await eventually(() => expect(names().length).toBeGreaterThan(45))
    expect(shortestSpan(sentAt, 20)).toBeGreaterThanOrEqual(1000)
    for (const mint of mints(15)) expect(names().filter((name) => name === mint).length).toBeGreaterThan(1)
    polls.forEach(({ tags }) => expect(new Set(tags())).toEqual(new Set(['Right'])))
  })
})
