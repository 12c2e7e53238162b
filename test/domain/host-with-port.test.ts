import { expect, it } from 'vitest'
import { hostWithPort, isLoopback } from '../../src/domain/host-with-port.js'

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
