import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  clientClosed,
  decodeError,
  disconnected,
  httpError,
  invalidInterval,
  invalidMint,
  invalidTopic,
  networkError,
  notFresh,
  stale,
  subscriptionRejected,
  subscriptionTimeout,
  timeout,
  unauthorized,
  uncorrelatedError,
  unsupportedPair,
} from '../../../src/base/errors/constructors.js'
import type { AnyError } from '../../../src/base/errors/model.js'
import { errors } from './support/arbitraries.js'
import { expectWellFormed } from './support/well-formed.js'

describe.each(Object.entries(errors))('the constructor of %s', (tag, error) => {
  it('sets the tag and a one-line message, and returns plain data, for any arguments', () => {
    fc.assert(
      fc.property(error, (made) => {
        expect(made._tag).toBe(tag)
        expectWellFormed(made)
      }),
    )
  })
})

describe('the message', () => {
  it.each<[AnyError, string]>([
    [invalidTopic('btc', 'svc'), 'expected a topic like svc-0x82af…, got "btc"'],
    [invalidTopic(undefined, 'acme'), 'expected a topic like acme-0x82af…, got undefined'],
    [invalidMint('82af'), 'expected a token address like 0x82af…, got "82af"'],
    [invalidInterval(0), 'expected a finite interval of at least 1 ms, got 0'],
    [subscriptionRejected('svc-0xab', 'no\nsuch'), 'svc-0xab: rejected by the service: no such'],
    [
      subscriptionTimeout('svc-0xab', 10_000, []),
      'svc-0xab: neither confirmed nor rejected within 10000 ms; subscribing again',
    ],
    [
      subscriptionTimeout('svc-0xab', 10_000, ['a', 'b']),
      'svc-0xab: neither confirmed nor rejected within 10000 ms; subscribing again; uncorrelated error texts: a | b',
    ],
    [
      disconnected({ code: 1012, reason: 'restart', attempt: 1, retryInMs: 200 }),
      'connection down (1012: restart); attempt 2 in 200 ms',
    ],
    [
      disconnected({ code: 1006, reason: '', attempt: 2, retryInMs: 0 }),
      'connection down (1006); attempt 3 in 0 ms',
    ],
    [
      stale('svc-0xab', 20, undefined, 5234),
      'svc-0xab: the prices may be 5.2 s behind; none on this connection yet',
    ],
    [stale('svc-0xab', 30_000, undefined), 'svc-0xab: no price for 30000 ms; none on this connection yet'],
    [
      stale('svc-0xab', 30_000, { topic: 'svc-0xab', price: 2.5, receivedAt: 0, epoch: 1 }),
      'svc-0xab: no price for 30000 ms; the last price was 2.5',
    ],
    [
      decodeError('depth', '{}', [
        { path: 'price', expected: 'a number', actual: 'nothing' },
        { path: '', expected: 'JSON', actual: 'x' },
      ]),
      'depth: price: expected a number, got nothing; expected JSON, got x',
    ],
    [unsupportedPair('0xa', '0xb', ''), 'the service does not support the pair 0xa / 0xb'],
    [unsupportedPair(undefined, undefined, 'no'), 'the service does not support this pair: no'],
    [
      unauthorized('Unauthorized'),
      'the service rejected the signature (401: Unauthorized); check the auth key',
    ],
    [httpError(503, 'busy', 2000), 'status 503: busy; retry after 2000 ms'],
    [httpError(404, '', undefined), 'status 404'],
    [networkError(Object.assign(new Error(''), { code: 'ECONNREFUSED' })), 'no response: ECONNREFUSED'],
    [
      networkError(
        new Error(
          'write EPROTO 80EC:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/a.c:350:',
        ),
      ),
      'no response: write EPROTO TLS: wrong version number',
    ],
    [networkError(new AggregateError([new Error('a'), new Error('b')])), 'no response: a; b'],
    [networkError(new AggregateError([], 'all of them')), 'no response: all of them'],
    [networkError(new AggregateError([])), 'no response: AggregateError'],
    [networkError('closed'), 'no response: closed'],
    [timeout(5000), 'no complete response within 5000 ms'],
    [clientClosed, 'the client was closed'],
    [uncorrelatedError('error-text', 'what?'), 'error-text that belongs to no topic: what?'],
    [notFresh('eth', { why: 'missing' }), 'leg eth: no value yet'],
    [notFresh('eth', { why: 'skew', skewMs: 7 }), 'leg eth: 7 ms older than the newest leg'],
    [notFresh('eth', { why: 'age', ageMs: 7 }), 'leg eth: 7 ms old'],
    [
      notFresh('eth', { why: 'left', error: timeout(1) }),
      'leg eth: Timeout: no complete response within 1 ms',
    ],
    [notFresh('eth', { why: 'left', error: 'x' }), 'leg eth: its last value is a Left'],
  ])('of %o is as specified', (error, message) => expect(error.message).toBe(message))
})

describe('an error', () => {
  it('contains at most the first 2 kB of the input', () => {
    const long = 'x'.repeat(10_000)
    expect(decodeError('frame', long, []).input).toBe(long.slice(0, 2048))
    expect(uncorrelatedError('malformed', long).input).toBe(long.slice(0, 2048))
  })

  it('contains texts from outside unchanged, except in its message', () => {
    expect(subscriptionRejected('svc-0xab', 'a\nb').reason).toBe('a\nb')
    expect(subscriptionTimeout('svc-0xab', 1, ['a\nb']).recent).toEqual(['a\nb'])
    expect(httpError(500, 'a\nb', undefined).body).toBe('a\nb')
  })

  it('contains only name, message and code of a thrown error', () => {
    const cause = Object.assign(new TypeError('fetch failed'), {
      code: 'ECONNRESET',
      request: { headers: { 'x-svc-auth': 'signature' } },
    })
    expect(networkError(cause).cause).toEqual({
      name: 'TypeError',
      message: 'fetch failed',
      code: 'ECONNRESET',
    })
    expect(networkError(Object.assign(new Error('x'), { code: 23 })).cause.code).toBeUndefined()
  })

  it('contains a number as interval, for an argument of any type', () => {
    expect(invalidInterval(0.5).interval).toBe(0.5)
    expect(invalidInterval(10n as never).interval).toBeNaN()
  })
})
