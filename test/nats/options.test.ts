import { inspect } from 'node:util'
import {
  natsClient,
  startNatsGateway,
  type NatsClientOptions,
  type NatsGatewayOptions,
} from 'svc-streams/nats'
import { createTestClient } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { closeAfterTest } from '../support/close-after-test.js'

const servers = 'nats://127.0.0.1:1'

const invalid: readonly (readonly [object, string])[] = [
  [{}, 'servers: expected addresses like'],
  [{ servers: undefined }, 'servers: is undefined; omit the option or set a value'],
  [{ servers: [] }, 'servers: expected addresses like'],
  [{ servers: [servers, 4222] }, 'servers: expected addresses like'],
  [{ servers: 'http://127.0.0.1:4222' }, 'servers: expected addresses like'],
  [{ servers: 'nats://user:secret@' }, 'servers: expected addresses like'],
  [{ servers: 'nats://user:se%cret@127.0.0.1:1' }, 'servers: write each % of a user or a password as %25'],
  [{ servers: 'nats://100%user@127.0.0.1:1' }, 'servers: write each % of a user or a password as %25'],
  [{ servers: `${servers}/path` }, 'servers: expected addresses like'],
  [{ servers, service: 'a b' }, 'service: expected letters and digits'],
  [{ servers, servcie: 'a' }, 'servcie: did you mean service?'],
  [{ servers, authentcator: 'secret' }, 'authentcator: did you mean authenticator?'],
  [{ servers, inboxPrefx: 'secret' }, 'inboxPrefx: did you mean inboxPrefix?'],
]

describe.each(invalid)('the options %j', (options, message) => {
  it('are rejected by a gateway', async () => {
    const thrown = await startNatsGateway(createTestClient({}), options as NatsGatewayOptions).then(
      () => 'accepted',
      (error: unknown) => String(error),
    )
    expect(thrown).toContain(`ConfigurationError: ${message}`)
    expect(thrown).not.toContain('secret')
  })

  it('are rejected by a client', () => {
    const create = () => natsClient({ environment: 'mainnet', ...options } as NatsClientOptions)
    expect(create).toThrow(message)
    expect(create).not.toThrow('secret')
  })
})

it('a gateway without a client is rejected', async () => {
  const start = startNatsGateway({ servers } as never, { servers })
  await expect(start).rejects.toThrow('client: expected an object with the methods price$ and price')
})

describe('the options of a client', () => {
  it.each([
    [{ maxLag: 0 }, 'maxLag: expected'],
    [{ maxlag: 1 }, 'maxlag: did you mean maxLag?'],
    [{ stalAfter: 1 }, 'stalAfter: did you mean staleAfter?'],
    [{ linger: -1 }, 'linger: expected'],
    [{ authKey: 'secret' }, 'authKey: is an option of the client of the gateway; omit it'],
    [{ headers: { a: 'secret' } }, 'headers: is an option of the client of the gateway; omit it'],
    [{ baseUrl: 'https://secret.example' }, 'baseUrl: is an option of the client of the gateway; omit it'],
  ])('%j are rejected', (options, message) => {
    const create = () => natsClient({ environment: 'mainnet', servers, ...options })
    expect(create).toThrow(message)
    expect(create).not.toThrow('secret')
  })

  it('open no connection, and are not shown', async () => {
    const client = closeAfterTest(
      natsClient({
        environment: 'mainnet',
        servers: 'nats://user:secret-word@127.0.0.1:1',
        token: 'secret-token',
      }),
    )
    expect(inspect(client, { depth: 9 })).not.toContain('secret')
    await client.close()
  })
})

describe('a gateway without a NATS server', () => {
  it('starts, says so, and closes', async () => {
    const gateway = await startNatsGateway(createTestClient({}), { servers })
    expect(gateway.inspect()).toEqual({
      upstream: expect.objectContaining({ _tag: expect.any(String) as string }) as object,
      ageBounded: false,
      isConnected: false,
      sessions: 0,
      topics: [],
    })
    await gateway.close()
    await gateway.close()
  })

  it('rejects if its signal is aborted', async () => {
    const signal = AbortSignal.abort(new Error('stopped'))
    await expect(startNatsGateway(createTestClient({}), { servers, signal })).rejects.toThrow('stopped')
  })
})
