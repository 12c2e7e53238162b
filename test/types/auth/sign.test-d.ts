import type { Either } from 'fp-ts/lib/Either.js'
import { signRequest, type CanonicalHeaders, type ConfigurationError } from 'svc-streams'
import { expectTypeOf, test } from 'vitest'

test('signing needs a key, a path and headers, and gives a text', () => {
  expectTypeOf(signRequest).toBeCallableWith({ key: '', path: '/', headers: {} })
  expectTypeOf(signRequest).toBeCallableWith({ key: '', path: '/', headers: {}, body: new Uint8Array() })
  expectTypeOf(signRequest).returns.toEqualTypeOf<Either<ConfigurationError, string>>()
  // @ts-expect-error -- without a key
  signRequest({ path: '/', headers: {} })
})

test('canonical headers are a function of names and values', () => {
  const lines: CanonicalHeaders = (headers) => headers.map(([name, value]) => `${name}:${value}\n`).join('')
  expectTypeOf(lines).parameter(0).toEqualTypeOf<readonly (readonly [name: string, value: string])[]>()
})
