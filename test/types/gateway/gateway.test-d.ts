import { createClient, type Client, type PriceClient } from 'svc-streams'
import {
  startGateway,
  type Gateway,
  type GatewayOptions,
  type SignedGateway,
  type UnsignedGateway,
} from 'svc-streams/gateway'
import { expectTypeOf, test } from 'vitest'

declare const client: Client
declare const priceClient: PriceClient
declare const options: GatewayOptions
declare const unsignedGateway: UnsignedGateway
declare const signedGateway: SignedGateway

test('startGateway accepts a client with or without depth', () => {
  expectTypeOf(startGateway).toBeCallableWith(client)
  expectTypeOf(startGateway).toBeCallableWith(priceClient)
})

test('startGateway resolves to a gateway whose `unsigned` follows from the option `keys`', () => {
  expectTypeOf(startGateway(client)).resolves.toEqualTypeOf<UnsignedGateway>()
  expectTypeOf(startGateway(client, { port: 1 })).resolves.toEqualTypeOf<UnsignedGateway>()
  expectTypeOf(startGateway(client, { keys: { one: 'AAEC' } })).resolves.toEqualTypeOf<SignedGateway>()
  expectTypeOf(startGateway(client, options)).resolves.toEqualTypeOf<Gateway>()
})

test('a gateway has options of createClient', () => {
  expectTypeOf(createClient({ environment: 'mainnet', ...unsignedGateway })).toEqualTypeOf<Client>()
  expectTypeOf(
    createClient({ environment: 'mainnet', ...signedGateway, authKey: 'AAEC' }),
  ).toEqualTypeOf<Client>()
  expectTypeOf(createClient({ environment: 'mainnet', ...signedGateway })).toEqualTypeOf<PriceClient>()
  expectTypeOf(createClient({ environment: 'testnet', ...unsignedGateway })).toEqualTypeOf<PriceClient>()
})

test('startGateway has optional, type-checked options', () => {
  expectTypeOf(startGateway).toBeCallableWith(client, {
    host: '::1',
    service: 'acme',
    openDepth: true,
    tls: { key: '', cert: new Uint8Array() },
    origins: ['https://app.example'],
    maxConnections: 1,
    maxTopicsPerConnection: 1,
    maxBufferedBytes: 1,
    depthEvery: 1,
    signal: new AbortController().signal,
  })
  // @ts-expect-error -- a number
  void startGateway(client, { port: '80' })
  // @ts-expect-error -- unknown option
  void startGateway(client, { prot: 80 })
  // @ts-expect-error -- both are required
  void startGateway(client, { tls: { key: '' } })
})
