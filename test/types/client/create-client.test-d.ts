import type { Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import {
  createClient,
  type Client,
  type ClientOptions,
  type ClientSnapshot,
  type ConnectionStatus,
  type Depth,
  type DepthClientOptions,
  type DepthError,
  type Price,
  type PriceClient,
  type PriceError,
  type PriceRequestError,
  type Stream,
  type Topic,
  type UncorrelatedError,
  type UnsignedClientOptions,
} from 'svc-streams'
import { describe, expectTypeOf, test } from 'vitest'

declare const client: Client
declare const variable: string | undefined
declare const anyString: string
declare const anyBoolean: boolean

const addresses = { baseUrl: 'https://relayer.example:3000', priceBaseUrl: 'https://prices.example:3000' }

describe('createClient, by its options,', () => {
  test('returns Client on mainnet with a relayer address and a key', () => {
    expectTypeOf(
      createClient({ environment: 'mainnet', authKey: 'key', ...addresses }),
    ).toEqualTypeOf<Client>()
  })

  test('returns Client with a key that may be undefined', () => {
    expectTypeOf(
      createClient({ environment: 'mainnet', authKey: variable, ...addresses }),
    ).toEqualTypeOf<Client>()
  })

  test('returns PriceClient without a key', () => {
    const priceClient = createClient({ environment: 'mainnet', ...addresses })
    expectTypeOf(priceClient).toEqualTypeOf<PriceClient>()
    expectTypeOf(priceClient).not.toHaveProperty('depth$')
    expectTypeOf(priceClient).not.toHaveProperty('depth')
  })

  test('returns PriceClient without a relayer address', () => {
    expectTypeOf(
      createClient({ environment: 'mainnet', authKey: 'key', priceBaseUrl: addresses.priceBaseUrl }),
    ).toEqualTypeOf<PriceClient>()
  })

  test('returns PriceClient on testnet, with or without a key', () => {
    expectTypeOf(
      createClient({ environment: 'testnet', authKey: 'key', ...addresses }),
    ).toEqualTypeOf<PriceClient>()
    expectTypeOf(
      createClient({ environment: 'testnet', priceBaseUrl: addresses.priceBaseUrl }),
    ).toEqualTypeOf<PriceClient>()
  })

  test('returns Client on mainnet with a relayer address and unsigned', () => {
    const client = createClient({ environment: 'mainnet', unsigned: true, ...addresses })
    expectTypeOf(client).toEqualTypeOf<Client>()
    const gateway = { ...addresses, priceWsUrl: 'wss://prices.example', unsigned: true } as const
    expectTypeOf(createClient({ environment: 'mainnet', ...gateway })).toEqualTypeOf<Client>()
  })

  test('returns PriceClient for unsigned without a relayer address, on testnet, or if it is false', () => {
    const { priceBaseUrl } = addresses
    expectTypeOf(
      createClient({ environment: 'mainnet', unsigned: true, priceBaseUrl }),
    ).toEqualTypeOf<PriceClient>()
    expectTypeOf(
      createClient({ environment: 'testnet', unsigned: true, ...addresses }),
    ).toEqualTypeOf<PriceClient>()
    expectTypeOf(
      createClient({ environment: 'mainnet', unsigned: false, ...addresses }),
    ).toEqualTypeOf<PriceClient>()
    expectTypeOf(
      createClient({ environment: 'mainnet', unsigned: anyBoolean, ...addresses }),
    ).toEqualTypeOf<PriceClient>()
  })

  test('returns PriceClient for unsigned together with a key, which throws', () => {
    expectTypeOf(
      createClient({ environment: 'mainnet', unsigned: true, authKey: 'key', ...addresses }),
    ).toEqualTypeOf<PriceClient>()
    expectTypeOf(
      createClient({ environment: 'mainnet', unsigned: false, authKey: 'key', ...addresses }),
    ).toEqualTypeOf<Client>()
  })

  test('returns Client for UnsignedClientOptions', () => {
    expectTypeOf(createClient({} as UnsignedClientOptions)).toEqualTypeOf<Client>()
    expectTypeOf<UnsignedClientOptions>().toExtend<ClientOptions>()
  })

  test('returns PriceClient for ClientOptions and Client for DepthClientOptions', () => {
    expectTypeOf(createClient({} as ClientOptions)).toEqualTypeOf<PriceClient>()
    expectTypeOf(createClient({} as DepthClientOptions)).toEqualTypeOf<Client>()
  })

  test('returns a Client that is assignable to PriceClient', () => {
    expectTypeOf<Client>().toExtend<PriceClient>()
    expectTypeOf<PriceClient>().not.toExtend<Client>()
  })
})

describe('the type of', () => {
  test('price$', () => {
    expectTypeOf<Client['price$']>().parameters.toEqualTypeOf<[topic: Topic]>()
    expectTypeOf<Client['price$']>().returns.toEqualTypeOf<Stream<Either<PriceError, Price>>>()
  })

  test('depth$', () => {
    expectTypeOf<Client['depth$']>().parameters.toEqualTypeOf<[mint: `0x${string}`, interval: number]>()
    expectTypeOf<Client['depth$']>().returns.toEqualTypeOf<Stream<Either<DepthError, Depth>>>()
  })

  test('price', () => {
    expectTypeOf<Client['price']>().parameters.toEqualTypeOf<[topic: Topic]>()
    expectTypeOf<Client['price']>().returns.toEqualTypeOf<TaskEither<PriceRequestError, Price>>()
  })

  test('depth', () => {
    expectTypeOf<Client['depth']>().parameters.toEqualTypeOf<[mint: `0x${string}`]>()
    expectTypeOf<Client['depth']>().returns.toEqualTypeOf<TaskEither<DepthError, Depth>>()
  })

  test('status$ and errors$', () => {
    expectTypeOf(client.status$).toEqualTypeOf<Stream<ConnectionStatus>>()
    expectTypeOf(client.errors$).toEqualTypeOf<Stream<UncorrelatedError>>()
  })

  test('chainId, inspect, close and asyncDispose', () => {
    expectTypeOf(client.chainId).toEqualTypeOf<42161 | 421614>()
    expectTypeOf<Client['inspect']>().toEqualTypeOf<() => ClientSnapshot>()
    expectTypeOf<Client['close']>().toEqualTypeOf<() => Promise<void>>()
    expectTypeOf<Client>().toExtend<AsyncDisposable>()
  })
})

describe('a compile error occurs for', () => {
  test('a topic without a service or without 0x', () => {
    // @ts-expect-error -- without a service
    void client.price$('0x82af')
    // @ts-expect-error -- without 0x
    void client.price$('svc-82af')
    // @ts-expect-error -- an arbitrary string
    void client.price$(anyString)
  })

  test('a mint without 0x, or an interval that is not a number', () => {
    // @ts-expect-error -- without 0x
    void client.depth$('82af', 1000)
    // @ts-expect-error -- a topic is not a mint
    void client.depth$('svc-0x82af', 1000)
    // @ts-expect-error -- a string, not a number
    void client.depth$('0x82af', '1000')
    // @ts-expect-error -- without an interval
    void client.depth$('0x82af')
  })

  test('an assignment to a member', () => {
    // @ts-expect-error -- readonly
    client.chainId = 42161
    // @ts-expect-error -- readonly
    client.status$ = client.status$
  })
})
