import { left, right } from 'fp-ts/lib/Either.js'
import { createClient, type HttpTransport, type PriceClient, type WebSocketTransport } from 'svc-streams'
import { networkError } from 'svc-streams/testing'
import { expectTypeOf, test } from 'vitest'

test('createClient takes a custom WebSocketTransport', () => {
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

test('createClient takes a custom HttpTransport, for example over fetch', () => {
  const http: HttpTransport = {
    get: ({ origin, path, headers }, onResult) => {
      const abort = new AbortController()
      const request = async () => {
        const response = await fetch(origin + path, { headers, signal: abort.signal, redirect: 'manual' })
        const body = await response.text()
        return right({ status: response.status, headers: Object.fromEntries(response.headers), body })
      }
      request().then(onResult, (thrown: unknown) => onResult(left(networkError(thrown))))
      return () => abort.abort()
    },
    close: () => Promise.resolve(),
  }
  expectTypeOf(
    createClient({ environment: 'testnet', priceBaseUrl: 'http://localhost', http }),
  ).toEqualTypeOf<PriceClient>()
})

test('createClient takes an AbortSignal', () => {
  expectTypeOf(createClient).toBeCallableWith({
    environment: 'testnet',
    priceBaseUrl: 'http://localhost',
    signal: AbortSignal.timeout(1000),
  })
})
