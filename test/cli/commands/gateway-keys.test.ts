import { describe, expect, test } from 'vitest'
import { readKeysFile } from '../../../src/cli/commands/shared/gateway-secrets.js'
import { UsageError } from '../../../src/cli/target/parse-flags.js'
import { newFile } from '../support/new-file.js'

describe('the file of --keys', () => {
  test('reads keys by name, with a byte order mark too', () => {
    const keys = { desk: 'AAECAwQFBgcICQoLDA0ODw', app: '_-8CAwQFBgcICQoLDA0ODw==' }
    const file = newFile('keys.json', `\uFEFF${JSON.stringify(keys)}`)
    expect(readKeysFile(file)).toEqual(keys)
  })

  test('refuses a key of 15 bytes, with the command that makes one', () => {
    const file = newFile('keys.json', '{ "desk": "AAECAwQFBgcICQoLDA0O" }')
    const problem = 'a key has fewer than 16 bytes; make one with: openssl rand -base64 32'
    expect(() => readKeysFile(file)).toThrow(new UsageError(`--keys: ${file}: ${problem}`))
  })

  const secret = 'c2VjcmV0IG9mIGEgZGVzaywgc3dhcHBlZA=='
  const shape = 'expected JSON such as { "desk": "…" }: keys in base64, by name'

  test.each([
    ['text that is not JSON', `{ "desk": ${secret} }`, shape],
    ['a key alone', JSON.stringify(secret), shape],
    ['an array', JSON.stringify([secret]), shape],
  ])('names the file for %s, but not the key', (_, text, problem) => {
    const file = newFile('keys.json', text)
    expect(() => readKeysFile(file)).toThrow(new UsageError(`--keys: ${file}: ${problem}`))
  })

  test('names a file that does not exist', () => {
    expect(() => readKeysFile('/no/such/file')).toThrow('--keys: /no/such/file does not exist')
  })
})
