import { firstValueFrom } from 'rxjs'
import type { Topic } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { endpointOf } from '../../../src/base/domain/endpoint.js'
import { Secrets } from '../../../src/wire/auth/secrets.js'
import { priceRequest } from '../../../src/wire/http/requests.js'
import { fromTask$ } from '../../../src/base/task/cancellable-task.js'
import { node } from '../../../src/wire/platform/node.js'
import { ResponsiveDeadlines } from '../../../src/base/time/timers.js'
import { rxClock } from '../../../src/base/time/clock.js'
import { FakeHttp } from '../../support/fake-http.js'
import { leftWith, marbles } from '../../support/time/marbles.js'
import { unlimited } from './support/unlimited.js'

const topic: Topic = 'svc-0xAb'
const limits = {
  clock: rxClock,
  publish: node.publish,
  limiter: unlimited,
  /** Of each copy: the clock of a test may be virtual. */
  get timeouts() {
    return new ResponsiveDeadlines(rxClock, 100)
  },
  maxLag: 5000,
  maxBodyBytes: 4096,
  secrets: new Secrets(),
  service: 'svc',
}
const prices = endpointOf(new URL('https://prices.example:3000'))

/** The result of one price request to which the service sends this response. */
const resultOf = async (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> => {
  const http = new FakeHttp()
  const result = firstValueFrom(fromTask$(priceRequest({ http, prices, ...limits }, topic)))
  http.request(1).respond(status, body, headers)
  return result
}

describe('priceRequest', () => {
  it('requests the topic as the caller wrote it, unsigned, with the path and the query of priceBaseUrl', async () => {
    const http = new FakeHttp()
    const gate = endpointOf(new URL('https://gate.example/prices?key=1'))
    const result = firstValueFrom(fromTask$(priceRequest({ http, prices: gate, ...limits }, topic)))
    http.request(1).respond(200, '1.5')
    expect(await result).toMatchObject({ right: { price: 1.5 } })
    expect(http.request(1)).toMatchObject({
      origin: 'https://gate.example',
      path: '/prices/price/svc-0xAb?key=1',
      headers: {},
    })
  })

  it('returns the price with the topic as the caller wrote it and epoch 0', async () => {
    const before = Date.now()
    const price = (await resultOf(200, '1834.25')) as { right: { receivedAt: number } }
    expect(price).toEqual({
      _tag: 'Right',
      right: { topic, price: 1834.25, receivedAt: price.right.receivedAt, epoch: 0 },
    })
    expect(price.right.receivedAt).toBeGreaterThanOrEqual(before)
  })

  it.each(['', '0', '-1', 'NaN', 'Infinity', '1,5', '<html>'])(
    'returns DecodeError for the body %j',
    async (body) => {
      expect(await resultOf(200, body)).toEqual(leftWith({ _tag: 'DecodeError', input: body }))
    },
  )

  it('returns UnsupportedPair for the error text of the documentation, with the addresses that it contains', async () => {
    const withoutAddresses = 'Invalid (exchange, base, quote) tuple'
    const withAddresses = `${withoutAddresses}: the service does not support the pair (0xab, 0xcd)`
    expect(await resultOf(500, withoutAddresses)).toEqual(
      leftWith({ _tag: 'UnsupportedPair', base: undefined, quote: undefined, body: withoutAddresses }),
    )
    expect(await resultOf(500, withAddresses)).toEqual(
      leftWith({ _tag: 'UnsupportedPair', base: '0xab', quote: '0xcd' }),
    )
  })

  it.each([204, 301, 400, 401, 404, 429, 500, 503])('returns HttpError for status %i', async (status) => {
    expect(await resultOf(status, 'why', { 'retry-after': '7' })).toEqual(
      leftWith({ _tag: 'HttpError', status, body: 'why', retryAfterMs: 7000 }),
    )
  })

  it('returns InvalidTopic and sends no request when the topic is invalid', () => {
    const http = new FakeHttp()
    marbles(({ expectObservable }) => {
      for (const wrong of [
        'svc-0x',
        'acme-0xab',
        'svc-0xab-0xcd',
        'svc-0xab/../x',
        'SVC-0xab',
        '',
      ] as Topic[]) {
        const source$ = fromTask$(priceRequest({ http, prices, ...limits }, wrong))
        expectObservable(source$).toBe('(i|)', { i: leftWith({ _tag: 'InvalidTopic', topic: wrong }) })
      }
    })
    expect(http.requests).toEqual([])
  })

  it('returns Timeout and aborts the request when no response arrives', () => {
    const http = new FakeHttp()
    marbles(({ expectObservable }) => {
      expectObservable(fromTask$(priceRequest({ http, prices, ...limits }, topic))).toBe('100ms (t|)', {
        t: leftWith({ _tag: 'Timeout', afterMs: 100 }),
      })
    })
    expect(http.request(1).aborted).toBe(true)
  })
})
