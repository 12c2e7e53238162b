import { createClient, type ClientOptions, type DepthClientOptions, type ReconnectOptions } from 'svc-streams'
import { describe, expectTypeOf, test } from 'vitest'

type Required<T> = { [K in keyof T]-?: T extends Readonly<Record<K, T[K]>> ? K : never }[keyof T]

test('environment and priceBaseUrl are required, and for depth baseUrl and authKey too', () => {
  expectTypeOf<Required<ClientOptions>>().toEqualTypeOf<'environment' | 'priceBaseUrl'>()
  expectTypeOf<Required<DepthClientOptions>>().toEqualTypeOf<
    'environment' | 'priceBaseUrl' | 'baseUrl' | 'authKey'
  >()
  expectTypeOf<Required<ReconnectOptions>>().toEqualTypeOf<never>()
})

test('of the required options, only addresses and the key may be undefined by type', () => {
  type Undefinable<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T]
  expectTypeOf<Undefinable<Pick<DepthClientOptions, Required<DepthClientOptions>>>>().toEqualTypeOf<
    'priceBaseUrl' | 'baseUrl' | 'authKey'
  >()
})

describe('a compile error occurs for', () => {
  const priceBaseUrl = 'https://prices.example'

  test('an option that does not exist', () => {
    // @ts-expect-error -- misspelt staleAfter
    createClient({ environment: 'testnet', priceBaseUrl, staleafter: 1000 })
    // @ts-expect-error -- unknown option
    createClient({ environment: 'testnet', priceBaseUrl, reconnect: { maximumDelay: 1000 } })
  })

  test('an option of another type, or an explicit undefined', () => {
    // @ts-expect-error -- a number of ms
    createClient({ environment: 'testnet', priceBaseUrl, staleAfter: '30s' })
    // @ts-expect-error -- omit it instead
    createClient({ environment: 'testnet', priceBaseUrl, staleAfter: undefined })
  })

  test('a header that is not a string, or headers that are not an object', () => {
    createClient({ environment: 'testnet', priceBaseUrl, headers: { 'x-api-key': process.env['API_KEY'] } })
    // @ts-expect-error -- a string
    createClient({ environment: 'testnet', priceBaseUrl, headers: { 'x-api-key': 1 } })
    // @ts-expect-error -- an object
    createClient({ environment: 'testnet', priceBaseUrl, headers: 'x-api-key: 1' })
    // @ts-expect-error -- a boolean
    createClient({ environment: 'testnet', priceBaseUrl, unsigned: 'true' })
  })

  test('an unknown or missing environment, or a missing address', () => {
    // @ts-expect-error -- mainnet or testnet
    createClient({ environment: 'devnet', priceBaseUrl })
    // @ts-expect-error -- without an environment
    createClient({ priceBaseUrl })
    // @ts-expect-error -- without an address
    createClient({ environment: 'testnet' })
  })

  test('an assignment to an option', () => {
    const options: ClientOptions = { environment: 'testnet', priceBaseUrl }
    // @ts-expect-error -- readonly
    options.linger = 0
  })
})
