import fc from 'fast-check'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  decodePriceText,
  depthFailure,
  priceFailure,
  type FailedResponse,
} from '../../../src/wire/codec/response-text.js'
import { expectDecodeError, expectWellFormed } from '../../base/errors/support/well-formed.js'
import { anyText, mutate, priceText, priceValue, address } from '../../support/arbitraries.js'

describe('decodePriceText (section 4.2)', () => {
  it('returns the price in the text', () => {
    fc.assert(
      fc.property(priceValue, (price) => {
        expect(decodePriceText(String(price))).toEqual(right(price))
      }),
    )
  })

  it('returns the double that JSON.parse returns, and rejects 0 and infinity', () => {
    fc.assert(
      fc.property(priceText, (text) => {
        const price = JSON.parse(text) as number
        if (price > 0 && price < Infinity) expect(decodePriceText(text)).toEqual(right(price))
        else expect(isLeft(decodePriceText(text))).toBe(true)
      }),
    )
  })

  it.each([
    ['2682.505', 2682.505],
    [' 2682.505\r\n', 2682.505],
    ['+1', 1],
    ['.5', 0.5],
    ['5.', 5],
    ['1e-7', 1e-7],
    ['007', 7],
  ])('accepts %j', (text, price) => {
    expect(decodePriceText(text)).toEqual(right(price))
  })

  it.each([
    '',
    ' ',
    '0',
    '-0',
    '0.000',
    '-1',
    '1e-400',
    '1e400',
    'NaN',
    'Infinity',
    'null',
    '12abc',
    '0x10',
    '1,5',
    '1 2',
    '"1.5"',
    '1.2.3',
    '.',
    'e5',
    '{"price":1}',
    '١',
  ])('rejects %j', (text) => {
    const price = decodePriceText(text)
    if (!isLeft(price)) return expect.unreachable()
    expectDecodeError(price.left, text)
  })

  const many = '1'.repeat(1 << 20)
  // If a mismatch took more than linear time, these would take an hour.
  it.each([
    ['digits and a letter', `${many}x`],
    ['digits and two decimal points', `${many}.1.`],
    ['decimals and a letter', `0.${many}x`],
    ['decimals without a whole number, and a letter', `.${many}x`],
    ['digits of an exponent and a letter', `1e${many}x`],
  ])('rejects a mebibyte of %s', (_, text) => {
    expect(isLeft(decodePriceText(text))).toBe(true)
  })

  it('returns a price or a DecodeError, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, priceText.chain(mutate)), (text) => {
        const price = decodePriceText(text)
        if (isLeft(price)) expectDecodeError(price.left, text)
        else expect(price.right).toSatisfy((value: number) => value > 0 && value < Infinity)
      }),
      { numRuns: 500 },
    )
  })
})

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
