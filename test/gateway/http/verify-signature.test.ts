import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxExpirationMs, signingKeyOf } from '../../../src/gateway/http/access.js'
import { node } from '../../../src/wire/platform/node.js'
import { caseCount } from '../../support/run/long.js'
import { authKey } from '../../support/simulator.js'
import { signedExample, signedHeaders } from '../../support/network/signed-request.js'

const now = 1_745_462_587_105
const otherKey = 'c29tZSBvdGhlciBrZXk='
const macOf = (key: string) => node.createMac(Buffer.from(key, 'base64'))
const config = { service: 'svc', macs: [macOf(otherKey), macOf(authKey)] }
const { path } = signedExample
const example: SignedRequest = { url: path, headers: signedExample.headers }

type SignedRequest = Pick<IncomingMessage, 'url' | 'headers'>

const isValid = (request: Partial<SignedRequest>, at = now) =>
  signingKeyOf({ ...example, ...request }, config, at) !== undefined

test('finds the key of a signature', () => {
  expect(signingKeyOf(example, config, now)).toBe(1)
  expect(signingKeyOf({ ...example, headers: signedHeaders(otherKey, path, now + 1) }, config, now)).toBe(0)
})

test('accepts a signature by any of the keys until its expiration', () => {
  expect(isValid({})).toBe(true)
  expect(isValid({ headers: signedHeaders(otherKey, path, now + 1) })).toBe(true)
  expect(isValid({ headers: signedHeaders('dW5rbm93bg==', path, now + 1) })).toBe(false)
  expect(isValid({}, 1_745_462_597_104)).toBe(true)
  expect(isValid({}, 1_745_462_597_105)).toBe(false)
})

test('rejects an expiration that is further ahead than 5 minutes', () => {
  const expiring = (ms: number) => isValid({ headers: signedHeaders(authKey, path, now + ms) })
  expect(expiring(maxExpirationMs)).toBe(true)
  expect(expiring(maxExpirationMs + 1)).toBe(false)
  expect(expiring(0)).toBe(false)
  expect(expiring(-1)).toBe(false)
})

test.each(['', ' 1745462597105', '1745462597105 ', '+1745462597105', '1745462597105.0', '1.745462597105e12'])(
  'rejects the expiration %j, correctly signed',
  (expiration) => {
    expect(isValid({ headers: signedHeaders(authKey, path, expiration) })).toBe(false)
  },
)

test('verifies the query, and the signed headers in order of their names', () => {
  const headers = { 'x-svc-b': '2', 'x-svc-auth-expiration': '1745462597105', 'x-svc-a': '1', host: 'x' }
  const sign = (text: string) =>
    createHmac('sha256', Buffer.from(authKey, 'base64')).update(text).digest('base64').replace('=', '')
  const accepts = (input: string) =>
    isValid({ url: `${path}?a=1`, headers: { ...headers, 'x-svc-auth': sign(input) } })
  const input = `${path}?a=1x-svc-a1x-svc-auth-expiration1745462597105x-svc-b2`
  expect(accepts(input)).toBe(true)
  expect(accepts(`${input}body`)).toBe(false)
  expect(accepts(input.replace('?a=1', ''))).toBe(false)
  expect(accepts(input.replace('x-svc-b2', ''))).toBe(false)
})

test('verifies bytes above 7f as they were received', () => {
  const received = `${path}?q=é`
  const mac = createHmac('sha256', Buffer.from(authKey, 'base64'))
  mac.update(`${received}x-svc-auth-expiration${now + 1}`, 'latin1')
  const headers = {
    'x-svc-auth-expiration': String(now + 1),
    'x-svc-auth': mac.digest('base64').replace('=', ''),
  }
  expect(isValid({ url: received, headers })).toBe(true)
})

test.each([
  ['no expiration', { 'x-svc-auth-expiration': undefined }],
  ['no signature', { 'x-svc-auth': undefined }],
  ['an empty signature', { 'x-svc-auth': '' }],
  ['a padded signature', { 'x-svc-auth': '2HS4N9TIOxzyvZQU6dz4FwEnxqYWceKPA+uroSbmeiY=' }],
  ['a base64url signature', { 'x-svc-auth': '2HS4N9TIOxzyvZQU6dz4FwEnxqYWceKPA-uroSbmeiY' }],
  ['the signature twice', { 'x-svc-auth': Array(2).fill(example.headers['x-svc-auth']).join(', ') }],
  ['an additional signed header', { 'x-svc-more': '1' }],
])('rejects a request with %s', (_, headers) => {
  expect(isValid({ headers: { ...example.headers, ...headers } })).toBe(false)
})

/** Replaces, removes or inserts one character. */
const mutationOf = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.nat(text.length),
      fc.nat(1),
      fc.string({ unit: fc.constantFrom(...'0123456789abcxABCX+/=-'.split('')), maxLength: 1 }),
    )
    .map(([at, removed, inserted]) => text.slice(0, at) + inserted + text.slice(at + removed))
    .filter((mutated) => mutated !== text)

test('never accepts a mutated path, expiration, signature or header', () => {
  const signed = fc
    .record({
      mint: fc.stringMatching(/^[0-9a-f]{1,40}$/),
      expiresIn: fc.integer({ min: 1, max: maxExpirationMs }),
    })
    .map(({ mint, expiresIn }) => {
      const signedPath = `/v0/order_book/depth/0x${mint}`
      return { url: signedPath, headers: signedHeaders(authKey, signedPath, now + expiresIn) }
    })
  const mutated = signed.chain((request) => {
    const { 'x-svc-auth': signature = '', 'x-svc-auth-expiration': expiration = '' } = request.headers
    const withHeader = (name: string) => (value: string) => ({
      ...request,
      headers: { ...request.headers, [name]: value },
    })
    return fc.tuple(
      fc.constant(request),
      fc.oneof(
        mutationOf(request.url).map((url) => ({ ...request, url })),
        mutationOf(expiration).map(withHeader('x-svc-auth-expiration')),
        mutationOf(signature).map(withHeader('x-svc-auth')),
        fc.string().map(withHeader('x-svc-extra')),
      ),
    )
  })
  fc.assert(
    fc.property(mutated, ([request, changed]) => {
      expect(isValid(request)).toBe(true)
      expect(isValid(changed)).toBe(false)
    }),
    { numRuns: caseCount(5_000) },
  )
})
