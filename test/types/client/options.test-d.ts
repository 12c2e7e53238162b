import { createClient, type ClientOptions, type DepthClientOptions, type ReconnectOptions } from 'svc-streams'
import { describe, expectTypeOf, test } from 'vitest'

type Required<T> = { [K in keyof T]-?: T extends Readonly<Record<K, T[K]>> ? K : never }[keyof T]

test('a client needs an environment and the address of its prices; one with depth two more', () => {
  expectTypeOf<Required<ClientOptions>>().toEqualTypeOf<'environment' | 'priceBaseUrl'>()
  expectTypeOf<Required<DepthClientOptions>>().toEqualTypeOf<
    'environment' | 'priceBaseUrl' | 'baseUrl' | 'authKey'
  >()
  expectTypeOf<Required<ReconnectOptions>>().toEqualTypeOf<never>()
})

test('what comes from environment variables may be undefined by type, and nothing else', () => {
  type Undefinable<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T]
  expectTypeOf<Undefinable<Pick<DepthClientOptions, Required<DepthClientOptions>>>>().toEqualTypeOf<
    'priceBaseUrl' | 'baseUrl' | 'authKey'
  >()
})

describe('what does not compile', () => {
  const priceBaseUrl = 'https://prices.example'

  test('an option that does not exist', () => {
    // @ts-expect-error -- staleAfter is meant
    createClient({ environment: 'testnet', priceBaseUrl, staleafter: 1000 })
    // @ts-expect-error -- maxDelay is meant
    createClient({ environment: 'testnet', priceBaseUrl, reconnect: { maximumDelay: 1000 } })
  })

  test('an option of another type, or left undefined', () => {
    // @ts-expect-error -- a number of ms
    createClient({ environment: 'testnet', priceBaseUrl, staleAfter: '30s' })
    // @ts-expect-error -- leave it out
    createClient({ environment: 'testnet', priceBaseUrl, staleAfter: undefined })
  })

  test('an environment that does not exist, or none, or no address', () => {
    // @ts-expect-error -- mainnet or testnet
    createClient({ environment: 'devnet', priceBaseUrl })
    // @ts-expect-error -- without an environment
    createClient({ priceBaseUrl })
    // @ts-expect-error -- without an address
    createClient({ environment: 'testnet' })
  })

  test('options are not to be written to', () => {
    const options: ClientOptions = { environment: 'testnet', priceBaseUrl }
    // @ts-expect-error -- readonly
    options.linger = 0
  })
})
