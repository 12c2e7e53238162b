import { right } from 'fp-ts/lib/Either.js'
import { createClient, type HttpTransport, type PriceClient, type WebSocketTransport } from 'svc-streams'
import { expectTypeOf, test } from 'vitest'

test('another WebSocket is a few lines', () => {
  const webSocket: WebSocketTransport = {
    dial: (_url, { maxFrameBytes }, listener) => {
      listener.closed(1006, `refused, with at most ${maxFrameBytes} bytes`)
      return {
        send: () => undefined,
        ping: () => undefined,
        close: () => undefined,
        terminate: () => undefined,
      }
    },
    close: () => Promise.resolve(),
  }
  expectTypeOf(
    createClient({ environment: 'testnet', priceBaseUrl: 'http://localhost', webSocket }),
  ).toEqualTypeOf<PriceClient>()
})

test('another HTTP client can hand its signal to fetch', () => {
  const http: HttpTransport = {
    get: async ({ origin, path, headers, signal }) => {
      const response = await fetch(origin + path, { headers, signal, redirect: 'manual' })
      const body = await response.text()
      return right({ status: response.status, headers: Object.fromEntries(response.headers), body })
    },
    close: () => Promise.resolve(),
  }
  expectTypeOf(
    createClient({ environment: 'testnet', priceBaseUrl: 'http://localhost', http }),
  ).toEqualTypeOf<PriceClient>()
})

test('a client takes an AbortSignal', () => {
  expectTypeOf(createClient).toBeCallableWith({
    environment: 'testnet',
    priceBaseUrl: 'http://localhost',
    signal: AbortSignal.timeout(1000),
  })
})
