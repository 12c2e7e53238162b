import { left } from 'fp-ts/lib/Either.js'
import { firstValueFrom, type Observable } from 'rxjs'
import type { Address } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { endpointOf } from '../../../src/base/domain/endpoint.js'
import { decodeError } from '../../../src/base/errors/constructors.js'
import type { DepthEvent, Relayer } from '../../../src/wire/http/requests.js'
import { fromTask$ } from '../../../src/base/task/cancellable-task.js'
import { depthBody, type FakeHttp } from '../../support/fake-http.js'
import { leftWith } from '../../support/time/marbles.js'
import {
  dateAfter,
  expectedSignature,
  expirationOf,
  fakeWallClock,
  key,
  mint,
  now,
  signatureOf,
  relayerOf,
  untilRequested,
} from './support/relayer.js'

const clock = fakeWallClock()

/** A depth request: the one signed request of the client. */
const request$ = (relayer: Relayer, address: Address = mint): Observable<DepthEvent> =>
  fromTask$(relayer.depth(address))

const send = (relayer: Relayer, address: Address = mint): Promise<DepthEvent> =>
  firstValueFrom(request$(relayer, address))

describe('Relayer', () => {
  it('signs the request, with an expiration after authExpiration', () => {
    const { relayer, http } = relayerOf()
    void send(relayer)
    const path = '/v0/order_book/depth/0xAb'
    expect(http.request(1)).toMatchObject({
      origin: 'https://relayer.example:3000',
      path,
      headers: {
        'x-svc-auth-expiration': String(now + 10_000),
        'x-svc-auth': expectedSignature(path, now + 10_000),
      },
    })
  })

  it('signs the path as it is sent, with the path and the query of baseUrl', () => {
    const endpoint = endpointOf(new URL('https://gate.example/relayer?key=1'))
    const { relayer, http } = relayerOf({ relayer: endpoint })
    const subscription = request$(relayer).subscribe()
    const { path, headers } = http.request(1)
    expect(path).toBe('/relayer/v0/order_book/depth/0xAb?key=1')
    expect(headers['x-svc-auth']).toBe(expectedSignature(path, expirationOf(http, 1)))
    subscription.unsubscribe()
  })

  it('signs each run of the task again', () => {
    const { relayer, http } = relayerOf()
    const source$ = request$(relayer)
    source$.subscribe().unsubscribe()
    clock.now += 1
    source$.subscribe().unsubscribe()
    expect(expirationOf(http, 2)).toBe(expirationOf(http, 1) + 1)
    expect(signatureOf(http, 2)).not.toBe(signatureOf(http, 1))
  })

  it.each(['NetworkError', 'DecodeError'] as const)(
    'returns a %s of the transport without a retry',
    async (tag) => {
      const { relayer, http } = relayerOf()
      const result = send(relayer)
      if (tag === 'NetworkError') http.request(1).fail(new Error('refused'))
      else http.request(1).complete(left(decodeError('body', 'xxx', [])))
      expect(await result).toEqual(leftWith({ _tag: tag }))
      expect(http.requests).toHaveLength(1)
    },
  )
})

describe('Relayer, after a 401', () => {
  it('returns Unauthorized without a retry when the clocks agree or the Date header is missing or invalid', async () => {
    const unauthorized = leftWith({ _tag: 'Unauthorized', body: 'Unauthorized' })
    for (const date of [undefined, 'nonsense', dateAfter(0), dateAfter(5000), dateAfter(-5000)]) {
      const { relayer, http } = relayerOf()
      const result = send(relayer)
      http.request(1).respond(401, 'Unauthorized', date === undefined ? {} : { date })
      expect(await result).toEqual(unauthorized)
      expect(http.requests).toHaveLength(1)
    }
  })

  it.each([6000, -6000, 3_600_000, -86_400_000])(
    "retries at once with the service's clock when that is %i ms ahead",
    async (offset) => {
      const { relayer, http } = relayerOf()
      const result = send(relayer)
      http.request(1).respond(401, 'Unauthorized', { date: dateAfter(offset) })
      await untilRequested(http, 2)
      expect(expirationOf(http, 2)).toBe(now + offset + 10_000)
      expect(signatureOf(http, 2)).not.toBe(signatureOf(http, 1))
      http.request(2).respond(200, depthBody())
      expect(await result).toMatchObject({ right: { mint, receivedAt: now } })
    },
  )

  it('retries once: a second 401 is Unauthorized, whatever its Date header', async () => {
    const { relayer, http } = relayerOf()
    const result = send(relayer)
    http.request(1).respond(401, 'first', { date: dateAfter(60_000) })
    await untilRequested(http, 2)
    http.request(2).respond(401, 'second', { date: dateAfter(600_000) })
    expect(await result).toEqual(leftWith({ _tag: 'Unauthorized', body: 'second' }))
    expect(http.requests).toHaveLength(2)
  })

  it('stores the clock offset only when the retry succeeds', async () => {
    const { relayer, http } = relayerOf()
    for (const [index, outcome] of [401, 'network', 200].entries()) {
      const result = send(relayer)
      expect(expirationOf(http, 2 * index + 1)).toBe(now + 10_000)
      http.request(2 * index + 1).respond(401, '', { date: dateAfter(-3_600_000) })
      await untilRequested(http, 2 * index + 2)
      const retry = http.request(2 * index + 2)
      if (outcome === 401) retry.respond(401, '')
      else if (outcome === 200) retry.respond(200, depthBody())
      else retry.fail(new Error('refused'))
      await result
    }
    void send(relayer)
    expect(expirationOf(http, 7)).toBe(now - 3_600_000 + 10_000)
  })

  it('returns the error of the retry', async () => {
    const { relayer, http } = relayerOf()
    const result = send(relayer)
    http.request(1).respond(401, '', { date: dateAfter(60_000) })
    await untilRequested(http, 2)
    http.request(2).fail(new Error('refused'))
    expect(await result).toEqual(leftWith({ _tag: 'NetworkError' }))
  })

  it('aborts the retry when the task is cancelled', async () => {
    const { relayer, http } = relayerOf()
    const subscription = request$(relayer).subscribe()
    http.request(1).respond(401, '', { date: dateAfter(60_000) })
    await untilRequested(http, 2)
    expect(http.request(2).aborted).toBe(false)
    subscription.unsubscribe()
    expect(http.request(2).aborted).toBe(true)
  })

  it('stores the clock offset of a successful retry for all later requests, until it changes again', async () => {
    const { relayer, http } = relayerOf()
    const first = send(relayer)
    http.request(1).respond(401, '', { date: dateAfter(60_000) })
    await untilRequested(http, 2)
    http.request(2).respond(200, depthBody())
    await first
    const second = send(relayer, '0xcd')
    expect(expirationOf(http, 3)).toBe(now + 70_000)
    // The request was signed with that clock, so a 401 with the same clock is caused by the signature.
    http.request(3).respond(401, '', { date: dateAfter(61_000) })
    expect(await second).toEqual(leftWith({ _tag: 'Unauthorized' }))
    const third = send(relayer)
    http.request(4).respond(401, '', { date: dateAfter(0) })
    await untilRequested(http, 5)
    expect(expirationOf(http, 5)).toBe(now + 10_000)
    http.request(5).respond(200, depthBody())
    expect(await third).toMatchObject({ _tag: 'Right' })
  })
})

describe('Relayer, when a response repeats the request', () => {
  const echo = (http: FakeHttp): string => `echo ${signatureOf(http, 1)} and ${key}; ${signatureOf(http, 1)}`
  const redacted = 'echo [redacted] and [redacted]; [redacted]'

  it.each([
    [200, 'DecodeError', 'input'],
    [401, 'Unauthorized', 'body'],
    [500, 'HttpError', 'body'],
  ] as const)('redacts key and signature in the error for status %i', async (status, _tag, field) => {
    const { relayer, http } = relayerOf()
    const result = send(relayer)
    const secrets = [signatureOf(http, 1), key]
    http.request(1).respond(status, echo(http))
    const event = await result
    expect(event).toEqual(leftWith({ _tag, [field]: redacted }))
    for (const secret of secrets) expect(JSON.stringify(event)).not.toContain(secret)
  })

  it('redacts key and signature in the error for an oversized body', async () => {
    const { relayer, http } = relayerOf()
    const result = send(relayer)
    http
      .request(1)
      .complete(left(decodeError('body', echo(http), [{ path: '', expected: 'less', actual: 'more' }])))
    expect(await result).toEqual(leftWith({ _tag: 'DecodeError', input: redacted }))
  })

  it('redacts the signatures of both attempts after a retry', async () => {
    const { relayer, http } = relayerOf()
    const result = send(relayer)
    http.request(1).respond(401, '', { date: dateAfter(60_000) })
    await untilRequested(http, 2)
    http.request(2).respond(401, `no: ${signatureOf(http, 2)}, after ${signatureOf(http, 1)}`)
    expect(await result).toEqual(leftWith({ _tag: 'Unauthorized', body: 'no: [redacted], after [redacted]' }))
  })
})
