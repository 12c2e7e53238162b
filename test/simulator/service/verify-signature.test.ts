import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isValidSignature, type SignedRequest } from '../../../src/simulator/service/verify-signature.js'
import { authKey } from '../../support/simulator.js'
import { signedExample, signedHeaders } from '../../support/network/signed-request.js'

const verifier = { key: Buffer.from(authKey, 'base64'), service: 'svc', now: 1_745_462_587_105 }
const example: SignedRequest = signedExample
const { path, body } = signedExample

test('isValidSignature accepts the example signature until its expiration (section 5)', () => {
  expect(isValidSignature(example, verifier)).toBe(true)
  expect(isValidSignature(example, { ...verifier, now: 1_745_462_597_104 })).toBe(true)
  expect(isValidSignature(example, { ...verifier, now: 1_745_462_597_105 })).toBe(false)
})

test('isValidSignature verifies the query, the signed headers in order of their names, and the body (section 5)', () => {
  const signed = (given: string, headers: Record<string, string>, sent = '') =>
    isValidSignature(
      {
        path: `${path}?a=1`,
        headers: {
          host: 'x',
          'x-svc-b': '2',
          'x-svc-auth-expiration': '1745462597105',
          'x-svc-a': '1',
          ...headers,
        },
        body: Buffer.from(sent),
      },
      { ...verifier, key: Buffer.from(given, 'base64') },
    )
  // Headers in byte order of their names: x-svc-a, x-svc-auth-expiration, x-svc-b.
  const auth = (text: string) => ({ 'x-svc-auth': rawSignature(text) })
  const input = `${path}?a=1x-svc-a1x-svc-auth-expiration1745462597105x-svc-b2`
  expect(signed(authKey, auth(input))).toBe(true)
  expect(signed(authKey, auth(`${input}body`), 'body')).toBe(true)
  expect(signed(authKey, auth(input), 'body')).toBe(false)
  expect(signed(authKey, auth(input.replace('?a=1', '')))).toBe(false)
  expect(signed(authKey, auth(input.replace('x-svc-b2', '')))).toBe(false)
})

test('isValidSignature expects the lower-case service name in the header names (section 5)', () => {
  const request: SignedRequest = {
    path,
    headers: signedHeaders(authKey, path, 2e12, { service: 'acme' }),
    body,
  }
  expect(isValidSignature(request, { ...verifier, service: 'Acme' })).toBe(true)
  expect(isValidSignature(request, verifier)).toBe(false)
})

test.each([
  ['no expiration', { 'x-svc-auth-expiration': undefined }],
  ['no signature', { 'x-svc-auth': undefined }],
  ['a padded signature', { 'x-svc-auth': '2HS4N9TIOxzyvZQU6dz4FwEnxqYWceKPA+uroSbmeiY=' }],
  ['a base64url signature', { 'x-svc-auth': '2HS4N9TIOxzyvZQU6dz4FwEnxqYWceKPA-uroSbmeiY' }],
  ['a wrong signature', { 'x-svc-auth': '3HS4N9TIOxzyvZQU6dz4FwEnxqYWceKPA+uroSbmeiY' }],
  [
    'two signatures',
    { 'x-svc-auth': ['2HS4N9TIOxzyvZQU6dz4FwEnxqYWceKPA+uroSbmeiY', 'a'] as unknown as string },
  ],
  ['an additional signed header', { 'x-svc-more': '1' }],
])('isValidSignature rejects a request with %s (section 5)', (_, headers) => {
  expect(isValidSignature({ ...example, headers: { ...example.headers, ...headers } }, verifier)).toBe(false)
})

test.each([
  '',
  '1e15',
  '0x19664e5dcc1',
  '-1',
  ' 2000000000000',
  '2000000000000.5',
  'NaN',
  '99999999999999999',
])('isValidSignature rejects a correctly signed expiration of "%s" (section 5)', (expiration) => {
  const headers = signedHeaders(authKey, path, expiration)
  expect(isValidSignature({ path, headers, body }, verifier)).toBe(false)
})

test('isValidSignature accepts only the signing key and the signed path, for any path and time', () => {
  const keys = fc.uint8Array({ minLength: 1, maxLength: 64 })
  const paths = fc.webPath().map((text) => `/${text}`)
  fc.assert(
    fc.property(keys, paths, fc.integer({ min: 1, max: 1e12 }), fc.nat(), (key, given, ahead, flip) => {
      const headers = signedHeaders(Buffer.from(key).toString('base64'), given, verifier.now + ahead)
      const request = { path: given, headers, body }
      const wrong = Uint8Array.from(key)
      wrong[flip % key.length]! ^= 1
      expect(isValidSignature(request, { ...verifier, key })).toBe(true)
      expect(isValidSignature(request, { ...verifier, key: wrong })).toBe(false)
      expect(isValidSignature({ ...request, path: `${given}/` }, { ...verifier, key })).toBe(false)
    }),
  )
})

const rawSignature = (text: string): string =>
  createHmac('sha256', Buffer.from(authKey, 'base64')).update(text).digest('base64').replace('=', '')
