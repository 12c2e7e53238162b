import { firstValueFrom } from 'rxjs'
import type { Address } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import type { DepthEvent } from '../../../src/wire/http/requests.js'
import { fromTask$ } from '../../../src/base/task/cancellable-task.js'
import { depthBody } from '../../support/fake-http.js'
import { leftWith, marbles } from '../../support/time/marbles.js'
import { dateAfter, fakeWallClock, mint, now, relayerOf } from './support/relayer.js'

fakeWallClock()

/** The result of one depth request to which the service sends this response. */
const resultOf = async (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<DepthEvent> => {
  const { relayer, http } = relayerOf()
  const result = firstValueFrom(fromTask$(relayer.depth(mint)))
  http.request(1).respond(status, body, headers)
  return result
}

describe('Relayer.depth', () => {
  it('requests the path of the mint as the caller wrote it', async () => {
    const { relayer, http } = relayerOf()
    const result = firstValueFrom(fromTask$(relayer.depth(mint)))
    expect(http.request(1)).toMatchObject({
      origin: 'https://relayer.example:3000',
      path: '/v0/order_book/depth/0xAb',
    })
    http.request(1).respond(200, depthBody())
    expect(await result).toMatchObject({ right: { mint, price: 2.5, receivedAt: now } })
  })

  it('returns InvalidMint and sends no request when the mint is invalid', () => {
    const { relayer, http } = relayerOf()
    marbles(({ expectObservable }) => {
      for (const wrong of ['', '0x', 'ab', '0xab/../x', '0xab?x'] as Address[]) {
        const i = leftWith({ _tag: 'InvalidMint', mint: wrong })
        expectObservable(fromTask$(relayer.depth(wrong))).toBe('(i|)', { i })
      }
    })
    expect(http.requests).toEqual([])
  })

  it('returns Timeout and aborts the request when no response arrives', () => {
    const { relayer, http } = relayerOf()
    marbles(({ expectObservable }) => {
      const t = leftWith({ _tag: 'Timeout', afterMs: 100 })
      expectObservable(fromTask$(relayer.depth(mint))).toBe('100ms (t|)', { t })
    })
    expect(http.request(1).aborted).toBe(true)
  })

  it('aborts the request when it is cancelled', () => {
    const { relayer, http } = relayerOf()
    fromTask$(relayer.depth(mint)).subscribe().unsubscribe()
    expect(http.request(1).aborted).toBe(true)
  })

  it('returns DecodeError for a body that is not a depth', async () => {
    expect(await resultOf(200, '{"price":1}')).toEqual(
      leftWith({ _tag: 'DecodeError', input: '{"price":1}' }),
    )
  })

  it('returns UnsupportedPair for the error text of the documentation', async () => {
    const body = 'UnsupportedPair(Token { addr: "0xab" }, Token { addr: "0xcd" })'
    expect(await resultOf(500, body)).toEqual(
      leftWith({ _tag: 'UnsupportedPair', base: '0xab', quote: '0xcd', body }),
    )
  })

  it.each([204, 302, 400, 404, 429, 500, 503])('returns HttpError for status %i', async (status) => {
    expect(await resultOf(status, 'why')).toEqual(
      leftWith({ _tag: 'HttpError', status, body: 'why', retryAfterMs: undefined }),
    )
  })

  it.each([
    ['seconds', '7', undefined, 7000],
    ["a date on the service's clock", dateAfter(65_000), dateAfter(60_000), 5000],
    ['a date on the local clock, without a Date header', dateAfter(5000), undefined, 5000],
    ['a date in the past', dateAfter(-5000), undefined, 0],
    ['neither seconds nor a date', 'soon', undefined, undefined],
  ])('reads Retry-After: %s', async (_name, after, date, retryAfterMs) => {
    const headers = { 'retry-after': after, ...(date === undefined ? {} : { date }) }
    expect(await resultOf(429, '', headers)).toEqual(leftWith({ _tag: 'HttpError', retryAfterMs }))
  })
})
