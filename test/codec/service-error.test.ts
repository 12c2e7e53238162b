import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { depthFailure, priceFailure, type FailedResponse } from '../../src/codec/service-error.js'
import { expectWellFormed } from '../errors/support/well-formed.js'
import { address, anyText, mutate } from '../support/arbitraries.js'

const failed = (status: number, body: string, retryAfterMs?: number): FailedResponse => ({
  status,
  body,
  retryAfterMs,
})

const unsupported = (base: string, quote: string) =>
  `UnsupportedPair(Token { addr: "${base}" }, Token { addr: "${quote}" })`

const invalidTuple = 'Invalid (exchange, base, quote) tuple'

const response = fc
  .tuple(
    fc.oneof(fc.constantFrom(401, 500, 503), fc.integer({ min: 100, max: 599 })),
    fc.oneof(
      anyText,
      fc.tuple(address, address).chain(([base, quote]) => mutate(unsupported(base, quote))),
      mutate(`${invalidTuple}: the service does not support the pair (0xab, 0xcd)`),
    ),
    fc.option(fc.nat(), { nil: undefined }),
  )
  .map((parts) => failed(...parts))

describe('depthFailure (section 7)', () => {
  it('returns Unauthorized for 401', () => {
    expect(depthFailure(failed(401, 'Unauthorized'))).toMatchObject({
      _tag: 'Unauthorized',
      body: 'Unauthorized',
    })
  })

  it('returns UnsupportedPair with both addresses for 500 with that text', () => {
    fc.assert(
      fc.property(address, address, (base, quote) => {
        const body = unsupported(base, quote)
        expect(depthFailure(failed(500, body))).toMatchObject({ _tag: 'UnsupportedPair', base, quote, body })
      }),
    )
  })

  it('returns HttpError for 500 with another text, and for any other status', () => {
    expect(depthFailure(failed(500, 'database down'))).toMatchObject({ _tag: 'HttpError', status: 500 })
    expect(depthFailure(failed(500, `not ${unsupported('0xa', '0xb')}`))).toMatchObject({ _tag: 'HttpError' })
    expect(depthFailure(failed(404, unsupported('0xa', '0xb')))).toMatchObject({
      _tag: 'HttpError',
      status: 404,
    })
    expect(depthFailure(failed(429, 'slow down', 3000))).toMatchObject({
      _tag: 'HttpError',
      status: 429,
      body: 'slow down',
      retryAfterMs: 3000,
    })
  })
})

describe('priceFailure (section 7)', () => {
  it('returns UnsupportedPair for 500 with Invalid tuple, without addresses if the text has none', () => {
    expect(priceFailure(failed(500, invalidTuple))).toMatchObject({
      _tag: 'UnsupportedPair',
      base: undefined,
      quote: undefined,
      body: invalidTuple,
    })
  })

  it('returns UnsupportedPair with both addresses for 500 with Invalid tuple, for any service name', () => {
    fc.assert(
      fc.property(address, address, fc.constantFrom('the service', 'svc', 'acme'), (base, quote, name) => {
        const body = `${invalidTuple}: ${name} does not support the pair (${base}, ${quote})`
        expect(priceFailure(failed(500, body))).toMatchObject({ _tag: 'UnsupportedPair', base, quote, body })
      }),
    )
  })

  it('returns HttpError for any other text or status', () => {
    expect(priceFailure(failed(500, 'database down'))).toMatchObject({ _tag: 'HttpError', status: 500 })
    expect(priceFailure(failed(503, invalidTuple, 1000))).toMatchObject({
      _tag: 'HttpError',
      retryAfterMs: 1000,
    })
    expect(priceFailure(failed(401, 'Unauthorized'))).toMatchObject({ _tag: 'HttpError', status: 401 })
  })
})

describe.each([
  ['depthFailure', depthFailure],
  ['priceFailure', priceFailure],
])('%s', (_name, failure) => {
  it('never throws, and keeps at most 2 kB of the body', () => {
    fc.assert(
      fc.property(response, (answer) => {
        const error = failure(answer)
        expectWellFormed(error)
        expect(answer.body.startsWith(error.body)).toBe(true)
        expect(error.body.length).toBeLessThanOrEqual(2048)
        if (error._tag === 'HttpError') expect(error.status).toBe(answer.status)
      }),
      { numRuns: 500 },
    )
  })
})
