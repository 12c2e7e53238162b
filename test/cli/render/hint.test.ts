import { expect, test } from 'vitest'
import { hint } from '../../../src/cli/render/error-text.js'
import * as errors from '../../../src/base/errors/constructors.js'

const network = (code: string) => errors.networkError(Object.assign(new Error('failed'), { code }))

test('suggests the next step for each error', () => {
  expect(
    [
      errors.decodeError('a depth', '<html>', []),
      errors.unsupportedPair('0xab', '0xcd', ''),
      errors.unauthorized('no'),
      errors.httpError(404, '', undefined),
      errors.httpError(500, '', undefined),
      errors.httpError(429, '', undefined),
      network('ECONNREFUSED'),
      network('SELF_SIGNED_CERT_IN_CHAIN'),
      network('UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
      errors.timeout(5000),
    ].map((error) => hint(error, 'baseUrl')),
  ).toMatchInlineSnapshot(`
    [
      "Check that the service runs, and that --base-url (SVC_BASE_URL) is its address.",
      "Check the token and --environment: a token has another address in each environment.",
      "Check that --auth-key (SVC_AUTH_KEY) is the key of the service at --base-url (SVC_BASE_URL), in the right environment. The client has already corrected the clock offset.",
      "Check that the service runs, and that --base-url (SVC_BASE_URL) is its address.",
      "Try again later. If it fails again, report this to the operator of the service.",
      "Try again later. If it fails again, report this to the operator of the service.",
      "Check that the service runs, and that --base-url (SVC_BASE_URL) is its address.",
      "If you trust the authority that signed the certificate, set NODE_EXTRA_CA_CERTS to a file that contains it.",
      "If you trust the authority that signed the certificate, set NODE_EXTRA_CA_CERTS to a file that contains it.",
      "Try again. If it fails again, the service or the network does not respond.",
    ]
  `)
})

test('names the flag of the address of the request', () => {
  expect(hint(network('ECONNREFUSED'), 'priceBaseUrl')).toContain('--price-base-url (SVC_PRICE_BASE_URL)')
})

test('names the gateway', () => {
  expect(
    [network('ECONNREFUSED'), errors.httpError(503, '', undefined), errors.unauthorized('no')].map((error) =>
      hint(error, 'gateway'),
    ),
  ).toEqual([
    'Check that the gateway runs, and that --gateway (SVC_GATEWAY) is its address, with ?access_token=… if it needs one.',
    'Try again later. If it fails again, report this to the operator of the gateway.',
    'Set --auth-key (SVC_AUTH_KEY) to one of the keys of the gateway at --gateway (SVC_GATEWAY), with ?access_token=… if it needs one.',
  ])
})

test.each([503, 429])('a gateway that refuses a WebSocket with %i runs', (status) => {
  const reason = `Unexpected server response: ${status}`
  const error = errors.disconnected({ code: 1006, reason, attempt: 1, retryInMs: 100 })
  expect(hint(error, 'gateway')).toBe(
    'Try again later. If it fails again, report this to the operator of the gateway.',
  )
})
