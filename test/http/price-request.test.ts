import { firstValueFrom } from 'rxjs'
import type { Topic } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { priceRequest } from '../../src/http/price-request.js'
import { fromTask$ } from '../../src/task/cancellable-task.js'
import { FakeHttp } from '../support/fake-http.js'
import { fails, marbles } from '../support/marbles.js'

const topic: Topic = 'svc-0xAb'
const limits = { requestTimeout: 100, maxBodyBytes: 4096, service: 'svc' }
const prices = { origin: 'https://prices.example:3000', prefix: '', query: '' }

/** What the price of a topic is where the service answers so. */
const answered = async (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> => {
  const http = new FakeHttp()
  const answer = firstValueFrom(fromTask$(priceRequest({ http, prices, ...limits }, topic)))
  http.request(1).answers(status, body, headers)
  return answer
}

describe('a price request', () => {
  it('asks for the topic as it was written, below the prefix, with the query, unsigned', async () => {
    const http = new FakeHttp()
    const gate = { origin: 'https://gate.example', prefix: '/prices', query: '?key=1' }
    const answer = firstValueFrom(fromTask$(priceRequest({ http, prices: gate, ...limits }, topic)))
    http.request(1).answers(200, '1.5')
    expect(await answer).toMatchObject({ right: { price: 1.5 } })
    expect(http.request(1)).toMatchObject({
      origin: 'https://gate.example',
      path: '/prices/price/svc-0xAb?key=1',
      headers: {},
    })
  })

  it('gives the price in the spelling of the call, with epoch 0', async () => {
    const before = Date.now()
    const price = (await answered(200, '1834.25')) as { right: { receivedAt: number } }
    expect(price).toEqual({
      _tag: 'Right',
      right: { topic, price: 1834.25, receivedAt: price.right.receivedAt, epoch: 0 },
    })
    expect(price.right.receivedAt).toBeGreaterThanOrEqual(before)
  })

  it.each(['', '0', '-1', 'NaN', 'Infinity', '1,5', '<html>'])('is a `DecodeError` for %j', async (body) => {
    expect(await answered(200, body)).toEqual(fails({ _tag: 'DecodeError', input: body }))
  })

  it('is `UnsupportedPair` for the text of the documentation, with the addresses where it has them', async () => {
    const text = 'Invalid (exchange, base, quote) tuple'
    const more = `${text}: the service does not support the pair (0xab, 0xcd)`
    expect(await answered(500, text)).toEqual(
      fails({ _tag: 'UnsupportedPair', base: undefined, quote: undefined, body: text }),
    )
    expect(await answered(500, more)).toEqual(fails({ _tag: 'UnsupportedPair', base: '0xab', quote: '0xcd' }))
  })

  it.each([204, 301, 400, 401, 404, 429, 500, 503])(
    'is `HttpError` for any other answer: %i',
    async (status) => {
      expect(await answered(status, 'why', { 'retry-after': '7' })).toEqual(
        fails({ _tag: 'HttpError', status, body: 'why', retryAfterMs: 7000 }),
      )
    },
  )

  it('is `InvalidTopic`, and asks nobody, for what is no topic', () => {
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
        expectObservable(source$).toBe('(i|)', { i: fails({ _tag: 'InvalidTopic', topic: wrong }) })
      }
    })
    expect(http.requests).toEqual([])
  })

  it('is `Timeout` where no answer comes, and aborts', () => {
    const http = new FakeHttp()
    marbles(({ expectObservable }) => {
      expectObservable(fromTask$(priceRequest({ http, prices, ...limits }, topic))).toBe('100ms (t|)', {
        t: fails({ _tag: 'Timeout', afterMs: 100 }),
      })
    })
    expect(http.request(1).aborted).toBe(true)
  })
})
