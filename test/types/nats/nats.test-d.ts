import type { Client, PriceClient } from 'svc-streams'
import {
  natsClient,
  startNatsGateway,
  type NatsClientOptions,
  type NatsGateway,
  type NatsGatewaySnapshot,
} from 'svc-streams/nats'
import { expectTypeOf, test } from 'vitest'

declare const client: Client
declare const priceClient: PriceClient
declare const options: NatsClientOptions

test('natsClient has depth on mainnet', () => {
  expectTypeOf(natsClient({ environment: 'mainnet', servers: 'nats://a' })).toEqualTypeOf<Client>()
  expectTypeOf(natsClient({ environment: 'testnet', servers: ['nats://a'] })).toEqualTypeOf<PriceClient>()
  expectTypeOf(natsClient(options)).toEqualTypeOf<PriceClient>()
})

test('natsClient has the options of a client, of NATS, and its own', () => {
  expectTypeOf(natsClient).toBeCallableWith({
    environment: 'mainnet',
    servers: 'nats://a',
    maxLag: 500,
    staleAfter: 1,
    reconnect: { maxDelay: 1 },
    user: 'a',
    pass: 'b',
    tls: {},
    inboxPrefix: '_INBOX.a',
  })
  // @ts-expect-error -- servers are required
  natsClient({ environment: 'mainnet' })
  // @ts-expect-error -- the key is that of the gateway
  natsClient({ environment: 'mainnet', servers: 'nats://a', authKey: 'AAEC' })
  // @ts-expect-error -- the library reconnects itself
  natsClient({ environment: 'mainnet', servers: 'nats://a', maxReconnectAttempts: 1 })
})

test('startNatsGateway accepts any client', () => {
  expectTypeOf(startNatsGateway(client, { servers: 'nats://a' })).resolves.toEqualTypeOf<NatsGateway>()
  expectTypeOf(
    startNatsGateway(priceClient, { servers: ['a'], depthEvery: 1 }),
  ).resolves.toEqualTypeOf<NatsGateway>()
  expectTypeOf<NatsGateway['inspect']>().returns.toEqualTypeOf<NatsGatewaySnapshot>()
})
