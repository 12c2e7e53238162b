import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endpointOf, hostWithPort, isLoopback } from '../../../src/base/domain/endpoint.js'
import { requestPath } from '../../../src/wire/http/requests.js'
import { address } from '../../support/arbitraries.js'

const resource = '/v0/order_book/depth/0xab'

describe('endpointOf and requestPath', () => {
  it.each([
    ['https://h.example:3000', 'https://h.example:3000', resource],
    ['https://h.example/', 'https://h.example', resource],
    ['https://h.example///', 'https://h.example', resource],
    ['https://h.example/base', 'https://h.example', `/base${resource}`],
    ['https://h.example/a/b//', 'https://h.example', `/a/b${resource}`],
    ['https://h.example?key=1', 'https://h.example', `${resource}?key=1`],
    ['https://h.example/base/?key=1&x=%20', 'https://h.example', `/base${resource}?key=1&x=%20`],
    ['http://[::1]:3000', 'http://[::1]:3000', resource],
  ])('split %s into origin and path', (base, origin, path) => {
    const endpoint = endpointOf(new URL(base))
    expect(endpoint.origin).toBe(origin)
    expect(requestPath(endpoint, resource)).toBe(path)
  })

  it('build the path that a URL parser sends (sections 4.1 and 4.2)', () => {
    const query = fc.webQueryParameters().map((text) => (text === '' ? '' : `?${text}`))
    fc.assert(
      fc.property(fc.webAuthority(), fc.webPath(), query, address, (authority, path, search, token) => {
        const endpoint = endpointOf(new URL(`https://${authority}${path}${search}`))
        const sent = requestPath(endpoint, `/price/svc-${token}`)
        const parsed = new URL(endpoint.origin + sent)
        expect(sent).toMatch(/^\//)
        expect(parsed.pathname + parsed.search).toBe(sent)
        expect(parsed.pathname.endsWith(`/price/svc-${token}`)).toBe(true)
      }),
    )
  })
})

it.each([
  ['https://prices.example/path?key=1', 'prices.example:443'],
  ['wss://prices.example', 'prices.example:443'],
  ['http://prices.example:80', 'prices.example:80'],
  ['ws://[::1]', '[::1]:80'],
  ['wss://user:secret@prices.example:4000', 'prices.example:4000'],
  ['nats://nats.example', 'nats.example:4222'],
  ['tls://nats.example:5222', 'nats.example:5222'],
])('the host of %s is %s', (url, host) => {
  expect(hostWithPort(new URL(url))).toBe(host)
})

it.each(['localhost', '127.0.0.1', '127.9.99.255', '[::1]'])('%s is a loopback address', (host) => {
  expect(isLoopback(host)).toBe(true)
})

it.each(['a.localhost', '127.0.0.256', '127.0.0.01', '127.0.0.1.example', '128.0.0.1', '[::]', '::1', ''])(
  '%j is no loopback address',
  (host) => {
    expect(isLoopback(host)).toBe(false)
  },
)
