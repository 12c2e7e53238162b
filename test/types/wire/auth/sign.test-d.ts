import type { Either } from 'fp-ts/lib/Either.js'
import { signRequest, type CanonicalHeaders, type ConfigurationError } from 'svc-streams'
import { expectTypeOf, test } from 'vitest'

test('signRequest takes a key, a path and headers, and returns an Either of a string', () => {
  expectTypeOf(signRequest).toBeCallableWith({ key: '', path: '/', headers: {} })
  expectTypeOf(signRequest).toBeCallableWith({ key: '', path: '/', headers: {}, body: new Uint8Array() })
  expectTypeOf(signRequest).returns.toEqualTypeOf<Either<ConfigurationError, string>>()
  // @ts-expect-error -- without a key
  signRequest({ path: '/', headers: {} })
})

test('CanonicalHeaders takes pairs of name and value', () => {
  const lines: CanonicalHeaders = (headers) => headers.map(([name, value]) => `${name}:${value}\n`).join('')
  expectTypeOf(lines).parameter(0).toEqualTypeOf<readonly (readonly [name: string, value: string])[]>()
})
