import { createSecretKey } from 'node:crypto'
import { left, type Either } from 'fp-ts/lib/Either.js'
import { firstValueFrom } from 'rxjs'
import { createClient, signRequest, type Address, type Client, type DepthError } from 'svc-streams'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { concatenateHeaders } from '../../src/auth/signed-headers.js'
import { createSigner } from '../../src/auth/signer.js'
import { decodeError } from '../../src/errors/constructors.js'
import { depthRequest, type DepthEvent } from '../../src/http/depth-request.js'
import { SignedGet, type SignedGetConfig } from '../../src/http/signed-get.js'
import { fromTask$ } from '../../src/task/cancellable-task.js'
import { depthBody, FakeHttp } from '../support/fake-http.js'
import { fails, marbles } from '../support/marbles.js'

const mint: Address = '0xAb'
const key = Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64')
const now = Date.UTC(2025, 0, 1, 12)
const dateAfter = (ms: number): string => new Date(now + ms).toUTCString()

const signedGetOf = (config: Partial<SignedGetConfig> = {}): { signedGet: SignedGet; http: FakeHttp } => {
  const http = new FakeHttp()
  const signedGet = new SignedGet({
    http,
    requestTimeout: 100,
    maxBodyBytes: 4096,
    relayer: { origin: 'https://relayer.example:3000', prefix: '', query: '' },
    sign: createSigner('svc', createSecretKey(Buffer.from(key, 'base64')), concatenateHeaders),
    authExpiration: 10_000,
    ...config,
  })
  return { signedGet, http }
}

const requested = (http: FakeHttp, count: number): Promise<void> =>
  vi.waitFor(() => expect(http.requests).toHaveLength(count), { interval: 2 })

const signatureOf = (http: FakeHttp, number: number): string =>
  http.request(number).headers['x-svc-auth'] ?? ''
const expirationOf = (http: FakeHttp, number: number): number =>
  Number(http.request(number).headers['x-svc-auth-expiration'])

/** What one request gives where the service answers so. */
const answered = async (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<DepthEvent> => {
  const { signedGet, http } = signedGetOf()
  const answer = firstValueFrom(fromTask$(depthRequest(signedGet, mint)))
  http.request(1).answers(status, body, headers)
  return answer
}

const clock = { now }

beforeEach(() => {
  clock.now = now
  vi.spyOn(Date, 'now').mockImplementation(() => clock.now)
})

afterEach(() => void vi.restoreAllMocks())

describe('a depth request', () => {
  it('goes to the path of the mint as it was written, signed for as long as the options say', async () => {
    const { signedGet, http } = signedGetOf()
    const answer = firstValueFrom(fromTask$(depthRequest(signedGet, mint)))
    const path = '/v0/order_book/depth/0xAb'
    const expires = { 'x-svc-auth-expiration': String(now + 10_000) }
    const signature = signRequest({ key, path, headers: expires })
    expect(http.request(1)).toMatchObject({
      origin: 'https://relayer.example:3000',
      path,
      headers: { ...expires, 'x-svc-auth': (signature as { right: string }).right },
    })
    http.request(1).answers(200, depthBody())
    expect(await answer).toMatchObject({ right: { mint, price: 2.5, receivedAt: now } })
  })

  it('signs the path as it is sent: below the prefix, with the query', async () => {
    const relayer = { origin: 'https://gate.example', prefix: '/relayer', query: '?key=1' }
    const { signedGet, http } = signedGetOf({ relayer })
    const listening = fromTask$(depthRequest(signedGet, mint)).subscribe()
    const { path, headers } = http.request(1)
    expect(path).toBe('/relayer/v0/order_book/depth/0xAb?key=1')
    const expires = { 'x-svc-auth-expiration': headers['x-svc-auth-expiration'] ?? '' }
    const signature = signRequest({ key, path, headers: expires })
    expect(headers['x-svc-auth']).toBe((signature as { right: string }).right)
    listening.unsubscribe()
  })

  it('is signed afresh for each attempt', () => {
    const { signedGet, http } = signedGetOf()
    const source$ = fromTask$(depthRequest(signedGet, mint))
    source$.subscribe().unsubscribe()
    clock.now += 1
    source$.subscribe().unsubscribe()
    expect(expirationOf(http, 2)).toBe(expirationOf(http, 1) + 1)
    expect(signatureOf(http, 2)).not.toBe(signatureOf(http, 1))
  })

  it('is `InvalidMint`, and asks nobody, for what is no mint', () => {
    const { signedGet, http } = signedGetOf()
    marbles(({ expectObservable }) => {
      for (const wrong of ['', '0x', 'ab', '0xab/../x', '0xab?x'] as Address[]) {
        const i = fails({ _tag: 'InvalidMint', mint: wrong })
        expectObservable(fromTask$(depthRequest(signedGet, wrong))).toBe('(i|)', { i })
      }
    })
    expect(http.requests).toEqual([])
  })

  it('is `Timeout` where no answer comes, and aborts', () => {
    const { signedGet, http } = signedGetOf()
    marbles(({ expectObservable }) => {
      const t = fails({ _tag: 'Timeout', afterMs: 100 })
      expectObservable(fromTask$(depthRequest(signedGet, mint))).toBe('100ms (t|)', { t })
    })
    expect(http.request(1).aborted).toBe(true)
  })

  it('that is left is aborted', () => {
    const { signedGet, http } = signedGetOf()
    fromTask$(depthRequest(signedGet, mint)).subscribe().unsubscribe()
    expect(http.request(1).aborted).toBe(true)
  })
})

describe('an answer', () => {
  it('is a `DecodeError` where it is no depth', async () => {
    expect(await answered(200, '{"price":1}')).toEqual(fails({ _tag: 'DecodeError', input: '{"price":1}' }))
  })

  it('is `UnsupportedPair` for the text of the documentation', async () => {
    const body = 'UnsupportedPair(Token { addr: "0xab" }, Token { addr: "0xcd" })'
    expect(await answered(500, body)).toEqual(
      fails({ _tag: 'UnsupportedPair', base: '0xab', quote: '0xcd', body }),
    )
  })

  it.each([204, 302, 400, 404, 429, 500, 503])('is `HttpError` for any other status: %i', async (status) => {
    expect(await answered(status, 'why')).toEqual(
      fails({ _tag: 'HttpError', status, body: 'why', retryAfterMs: undefined }),
    )
  })

  it.each([
    ['seconds', '7', undefined, 7000],
    ["a date by the service's clock", dateAfter(65_000), dateAfter(60_000), 5000],
    ['a date by ours, where it does not tell its own', dateAfter(5000), undefined, 5000],
    ['a date that is over', dateAfter(-5000), undefined, 0],
    ['nonsense', 'soon', undefined, undefined],
  ])('may ask to wait: %s', async (_name, after, date, retryAfterMs) => {
    const headers = { 'retry-after': after, ...(date === undefined ? {} : { date }) }
    expect(await answered(429, '', headers)).toEqual(fails({ _tag: 'HttpError', retryAfterMs }))
  })

  it.each(['NetworkError', 'DecodeError'] as const)(
    'that the transport gives is passed on: %s',
    async (tag) => {
      const { signedGet, http } = signedGetOf()
      const answer = firstValueFrom(fromTask$(depthRequest(signedGet, mint)))
      if (tag === 'NetworkError') http.request(1).fails(new Error('refused'))
      else http.request(1).answersWith(left(decodeError('body', 'xxx', [])))
      expect(await answer).toEqual(fails({ _tag: tag }))
      expect(http.requests).toHaveLength(1)
    },
  )
})

describe('401', () => {
  it('is `Unauthorized` where the clocks agree, or the service does not tell its own', async () => {
    const unauthorized = fails({ _tag: 'Unauthorized', body: 'Unauthorized' })
    for (const date of [undefined, 'nonsense', dateAfter(0), dateAfter(5000), dateAfter(-5000)]) {
      const { signedGet, http } = signedGetOf()
      const answer = firstValueFrom(fromTask$(depthRequest(signedGet, mint)))
      http.request(1).answers(401, 'Unauthorized', date === undefined ? {} : { date })
      expect(await answer).toEqual(unauthorized)
      expect(http.requests).toHaveLength(1)
    }
  })

  it.each([6000, -6000, 3_600_000, -86_400_000])(
    'with a clock that is %i ms off is tried again at once, signed by that clock',
    async (offset) => {
      const { signedGet, http } = signedGetOf()
      const answer = firstValueFrom(fromTask$(depthRequest(signedGet, mint)))
      http.request(1).answers(401, 'Unauthorized', { date: dateAfter(offset) })
      await requested(http, 2)
      expect(expirationOf(http, 2)).toBe(now + offset + 10_000)
      expect(signatureOf(http, 2)).not.toBe(signatureOf(http, 1))
      http.request(2).answers(200, depthBody())
      expect(await answer).toMatchObject({ right: { mint, receivedAt: now } })
    },
  )

  it('is tried again once: a second is `Unauthorized`, whatever its clock says', async () => {
    const { signedGet, http } = signedGetOf()
    const answer = firstValueFrom(fromTask$(depthRequest(signedGet, mint)))
    http.request(1).answers(401, 'first', { date: dateAfter(60_000) })
    await requested(http, 2)
    http.request(2).answers(401, 'second', { date: dateAfter(600_000) })
    expect(await answer).toEqual(fails({ _tag: 'Unauthorized', body: 'second' }))
    expect(http.requests).toHaveLength(2)
  })

  it('is no reason to keep a clock that did not help: the next request is signed by our own', async () => {
    const { signedGet, http } = signedGetOf()
    for (const [index, second] of [401, 'network', 200].entries()) {
      const answer = firstValueFrom(fromTask$(depthRequest(signedGet, mint)))
      expect(expirationOf(http, 2 * index + 1)).toBe(now + 10_000)
      http.request(2 * index + 1).answers(401, '', { date: dateAfter(-3_600_000) })
      await requested(http, 2 * index + 2)
      const request = http.request(2 * index + 2)
      if (second === 401) request.answers(401, '')
      else if (second === 200) request.answers(200, depthBody())
      else request.fails(new Error('refused'))
      await answer
    }
    void firstValueFrom(fromTask$(depthRequest(signedGet, mint)))
    expect(expirationOf(http, 7)).toBe(now - 3_600_000 + 10_000)
  })

  it('gives what the second attempt gives', async () => {
    const { signedGet, http } = signedGetOf()
    const answer = firstValueFrom(fromTask$(depthRequest(signedGet, mint)))
    http.request(1).answers(401, '', { date: dateAfter(60_000) })
    await requested(http, 2)
    http.request(2).fails(new Error('refused'))
    expect(await answer).toEqual(fails({ _tag: 'NetworkError' }))
  })

  it('may abort the second attempt', async () => {
    const { signedGet, http } = signedGetOf()
    const listening = fromTask$(depthRequest(signedGet, mint)).subscribe()
    http.request(1).answers(401, '', { date: dateAfter(60_000) })
    await requested(http, 2)
    expect(http.request(2).aborted).toBe(false)
    listening.unsubscribe()
    expect(http.request(2).aborted).toBe(true)
  })

  it('is remembered: later requests, of any mint, are signed by that clock, and it may change again', async () => {
    const { signedGet, http } = signedGetOf()
    const first = firstValueFrom(fromTask$(depthRequest(signedGet, mint)))
    http.request(1).answers(401, '', { date: dateAfter(60_000) })
    await requested(http, 2)
    http.request(2).answers(200, depthBody())
    await first
    const second = firstValueFrom(fromTask$(depthRequest(signedGet, '0xcd')))
    expect(expirationOf(http, 3)).toBe(now + 70_000)
    // The same clock once more says nothing new: the signature is at fault.
    http.request(3).answers(401, '', { date: dateAfter(61_000) })
    expect(await second).toEqual(fails({ _tag: 'Unauthorized' }))
    const third = firstValueFrom(fromTask$(depthRequest(signedGet, mint)))
    http.request(4).answers(401, '', { date: dateAfter(0) })
    await requested(http, 5)
    expect(expirationOf(http, 5)).toBe(now + 10_000)
    http.request(5).answers(200, depthBody())
    expect(await third).toMatchObject({ _tag: 'Right' })
  })
})

describe('an answer that repeats the request', () => {
  const echo = (http: FakeHttp): string => `echo ${signatureOf(http, 1)} and ${key}; ${signatureOf(http, 1)}`
  const redacted = 'echo [redacted] and [redacted]; [redacted]'

  it.each([
    [200, 'DecodeError', 'input'],
    [401, 'Unauthorized', 'body'],
    [500, 'HttpError', 'body'],
  ] as const)('with %i shows neither signature nor key', async (status, _tag, field) => {
    const { signedGet, http } = signedGetOf()
    const answer = firstValueFrom(fromTask$(depthRequest(signedGet, mint)))
    const secrets = [signatureOf(http, 1), key]
    http.request(1).answers(status, echo(http))
    const event = await answer
    expect(event).toEqual(fails({ _tag, [field]: redacted }))
    for (const secret of secrets) expect(JSON.stringify(event)).not.toContain(secret)
  })

  it('and is too large for the transport shows neither', async () => {
    const { signedGet, http } = signedGetOf()
    const answer = firstValueFrom(fromTask$(depthRequest(signedGet, mint)))
    http
      .request(1)
      .answersWith(left(decodeError('body', echo(http), [{ path: '', expected: 'less', actual: 'more' }])))
    expect(await answer).toEqual(fails({ _tag: 'DecodeError', input: redacted }))
  })

  it('on the second attempt shows the signature of neither', async () => {
    const { signedGet, http } = signedGetOf()
    const answer = firstValueFrom(fromTask$(depthRequest(signedGet, mint)))
    http.request(1).answers(401, '', { date: dateAfter(60_000) })
    await requested(http, 2)
    http.request(2).answers(401, `no: ${signatureOf(http, 2)}, after ${signatureOf(http, 1)}`)
    expect(await answer).toEqual(fails({ _tag: 'Unauthorized', body: 'no: [redacted], after [redacted]' }))
  })
})

describe('a client with depth', () => {
  const depthClient = (): { client: Client; http: FakeHttp } => {
    const http = new FakeHttp()
    const client = createClient({
      environment: 'mainnet',
      baseUrl: 'https://relayer.example:3000',
      priceBaseUrl: 'https://prices.example:3000',
      authKey: key,
      http,
    })
    return { client, http }
  }
  const closed = fails({ _tag: 'ClientClosed' })

  it('polls with a fresh signature for each request', async () => {
    const { client, http } = depthClient()
    const heard: Either<DepthError, unknown>[] = []
    const listening = client.depth$(mint, 1).subscribe((event) => heard.push(event))
    http.request(1).answers(200, depthBody(1))
    await requested(http, 2)
    clock.now += 500
    http.request(2).answers(200, depthBody(2))
    await requested(http, 3)
    expect(expirationOf(http, 3)).toBe(now + 10_500)
    expect(heard).toMatchObject([{ right: { price: 1 } }, { right: { price: 2 } }])
    listening.unsubscribe()
    expect(http.request(3).aborted).toBe(true)
  })

  it('completes its polls and aborts their requests when it closes', async () => {
    const { client, http } = depthClient()
    const heard: string[] = []
    client
      .depth$(mint, 1000)
      .subscribe({ next: () => heard.push('value'), complete: () => heard.push('complete') })
    await client.close()
    expect(heard).toEqual(['complete'])
    expect(http.request(1).aborted).toBe(true)
    expect(http.closed).toBe(1)
    expect(client.inspect().polls).toEqual([])
  })

  it('gives `ClientClosed` for what was asked once and is open when it closes', async () => {
    const { client, http } = depthClient()
    const asked = [client.depth(mint)(), client.price('svc-0xab')()]
    await client.close()
    expect(await Promise.all(asked)).toEqual([closed, closed])
    expect(http.requests.map(({ aborted }) => aborted)).toEqual([true, true])
  })

  it('gives `ClientClosed`, and asks nobody, once it is closed', async () => {
    const { client, http } = depthClient()
    const [depth, price, depth$] = [client.depth(mint), client.price('svc-0xab'), client.depth$(mint, 1000)]
    await client.close()
    expect(await Promise.all([depth(), price(), firstValueFrom(depth$)])).toEqual([closed, closed, closed])
    expect(http.requests).toEqual([])
  })

  it('requests when the task is run, and each time it is run', async () => {
    const { client, http } = depthClient()
    const task = client.depth(mint)
    expect(http.requests).toEqual([])
    const runs = [task(), task()]
    http.request(1).answers(200, depthBody(1))
    http.request(2).answers(200, depthBody(2))
    expect(await Promise.all(runs)).toMatchObject([{ right: { price: 1 } }, { right: { price: 2 } }])
    await client.close()
  })
})
