import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { nkeyAuthenticator, nkeys, type NatsConnection } from '@nats-io/transport-node'
import { firstValueFrom } from 'rxjs'
import {
  natsClient,
  startNatsGateway,
  type NatsDepthClientOptions,
  type NatsGatewayOptions,
} from 'svc-streams/nats'
import { expect, it, onTestFinished, vi } from 'vitest'
import { collectMessages } from '../base/diagnostics/support/collect-messages.js'
import { root } from '../docs/support/block.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { collectEvents } from '../support/collect-events.js'
import { describeNats } from '../support/nats/describe-nats.js'
import { startNatsServer, type NatsServer } from '../support/nats/nats-server.js'
import { connectRaw, requestRaw, subscribeRaw } from '../support/nats/raw-nats.js'
import { createSelfSignedCertificate } from '../support/network/certificate.js'
import { createClientFor, startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic, weth } from '../support/tokens.js'

const passwords = {
  GATEWAY_PASSWORD: 'g-secret',
  ALICE_PASSWORD: 'a-secret',
  BOB_PASSWORD: 'b-secret',
}

/** The configuration of docs/operate/many-machines.md, without its port. */
const example = readFileSync(`${root}examples/nats/nats-server.conf`, 'utf8').replace(/^listen.*$/m, '')

/** A server with the configuration of docs/operate/many-machines.md, on a port of its own. */
const startServer = (): Promise<NatsServer> =>
  startNatsServer({ onFinished: onTestFinished, config: example, environment: passwords })

type User = 'gateway' | 'alice' | 'bob'

const connectAs = ({ url }: NatsServer, user: User): Promise<NatsConnection> =>
  connectRaw(onTestFinished, {
    servers: url,
    user,
    pass: {
      gateway: passwords.GATEWAY_PASSWORD,
      alice: passwords.ALICE_PASSWORD,
      bob: passwords.BOB_PASSWORD,
    }[user],
    inboxPrefix: `_INBOX.${user}`,
  })

describeNats('the permissions of docs/operate/many-machines.md', () => {
  it.each([
    ['to requests for gateways', 'svc.gateways'],
    ['to messages for one gateway', 'svc.gateway.*'],
    ['to messages for all gateways', 'svc.gateway.>'],
    ['to inboxes of another consumer', '_INBOX.alice.>'],
    ['to inboxes of all consumers', '_INBOX.>'],
    ['to all subjects', '>'],
  ])('let no consumer subscribe %s', async (_title, subject) => {
    const bob = await connectAs(await startServer(), 'bob')
    const { errors } = await subscribeRaw(bob, subject)
    await eventually(() => expect(errors).toEqual(['PermissionViolationError']))
  })

  it.each([
    ['prices', 'svc.price.g1.0xab'],
    ['responses to other consumers', '_INBOX.alice.1'],
  ])('let no consumer publish %s', async (_title, subject) => {
    const server = await startServer()
    const [gateway, alice, bob] = await Promise.all([
      connectAs(server, 'gateway'),
      connectAs(server, 'alice'),
      connectAs(server, 'bob'),
    ])
    const { messages } = await subscribeRaw(alice, subject)
    bob.publish(subject, 'forged')
    await bob.flush()
    gateway.publish(subject, 'genuine')
    await eventually(() => expect(messages.map(({ text }) => text)).toContain('genuine'))
    expect(messages).toHaveLength(1)
  })

  it('let a gateway serve a consumer, each under its own user', async () => {
    const { port } = await startServer()
    const urlOf = (user: string, password: string) => `nats://${user}:${password}@127.0.0.1:${port}`
    const simulator = await startTestSimulator()
    const gateway = await startNatsGateway(createClientFor(simulator), {
      servers: urlOf('gateway', passwords.GATEWAY_PASSWORD),
    })
    onTestFinished(() => gateway.close())
    const servers = urlOf('alice', passwords.ALICE_PASSWORD)
    const alice = closeAfterTest(natsClient({ environment: 'mainnet', servers }))
    expect(await firstValueFrom(alice.price$(ethTopic))).toMatchObject({ _tag: 'Right' })
    expect(await alice.depth(weth)()).toMatchObject({ _tag: 'Right' })
  })

  it('let consumers send requests to gateways, and receive prices and responses', async () => {
    const server = await startServer()
    const [gateway, alice] = await Promise.all([connectAs(server, 'gateway'), connectAs(server, 'alice')])
    for (const subject of ['svc.gateways', 'svc.gateway.*']) {
      gateway.subscribe(subject, { callback: (_error, message) => void message.respond(message.subject) })
    }
    const prices = await subscribeRaw(alice, 'svc.price.g1.0xab')
    await gateway.flush()
    expect((await requestRaw(alice, 'svc.gateways')).string()).toBe('svc.gateways')
    expect((await requestRaw(alice, 'svc.gateway.g1')).string()).toBe('svc.gateway.g1')
    gateway.publish('svc.price.g1.0xab', 'price')
    await eventually(() => expect(prices.messages).toHaveLength(1))
  })

  it('reject a wrong password', async () => {
    const server = await startServer()
    await expect(
      connectRaw(onTestFinished, { servers: server.url, user: 'alice', pass: 'wrong', reconnect: false }),
    ).rejects.toThrow(/authorization/i)
  })
})

/** Starts a gateway of a simulator. */
const startGateway = async (options: NatsGatewayOptions): Promise<void> => {
  const client = createClientFor(await startTestSimulator())
  closeAfterTest(await startNatsGateway(client, options))
}

const createConsumer = (options: Omit<NatsDepthClientOptions, 'environment'>) =>
  closeAfterTest(natsClient({ environment: 'mainnet', ...options }))

describeNats('a gateway without a permission', () => {
  const configOf = (permissions: string): string =>
    `authorization { users: [{ user: gateway, password: secret, permissions: ${permissions} }, { user: all, password: secret }] }`
  const all = '{ publish: ">", subscribe: ">" }'

  it.each([
    ['to publish prices', '{ publish: "_INBOX.>", subscribe: ">" }', 'Publish to "svc.price.'],
    ['to receive requests', '{ publish: ">", subscribe: "svc.gateway.*" }', 'Subscription to "svc.gateways"'],
  ])(
    '%s is not healthy, says why, and serves once it has the permission',
    async (_title, permissions, reason) => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'], shouldAdvanceTime: true })
      onTestFinished(() => void vi.useRealTimers())
      const messages = collectMessages('svc-streams:gateway-nats')
      const server = await startNatsServer({ onFinished: onTestFinished, config: configOf(permissions) })
      const client = createClientFor(await startTestSimulator())
      const urlOf = (user: string) => `nats://${user}:secret@127.0.0.1:${server.port}`
      const gateway = closeAfterTest(await startNatsGateway(client, { servers: urlOf('gateway') }))
      await eventually(() => expect(gateway.inspect().failure?.message).toContain(reason))
      expect(messages).toMatchObject([{ problem: expect.stringContaining(reason) as string }])
      server.reload(configOf(all))
      await eventually(() => {
        vi.advanceTimersByTime(1_000)
        expect(gateway.inspect().failure).toBeUndefined()
      })
      expect(messages).toHaveLength(2)
      const consumer = createConsumer({ servers: urlOf('all') })
      expect(await firstValueFrom(consumer.price$(ethTopic))).toMatchObject({ _tag: 'Right' })
    },
  )
})

describeNats('a consumer that names a forbidden subject for its answers', () => {
  it('does not make the gateway unhealthy', async () => {
    const server = await startServer()
    const client = createClientFor(await startTestSimulator())
    const servers = server.url.replace('//', `//gateway:${passwords.GATEWAY_PASSWORD}@`)
    const gateway = closeAfterTest(await startNatsGateway(client, { servers }))
    const bob = await connectAs(server, 'bob')
    const { gateway: id } = (await requestRaw(bob, 'svc.gateways')).json<{ gateway: string }>()
    for (const reply of ['forbidden', '_INBOX.bob.allowed']) {
      bob.publish(`svc.gateway.${id}`, JSON.stringify({ type: 'open', session: reply }), { reply })
    }
    await eventually(() => expect(gateway.inspect().sessions).toBe(2))
    expect((await requestRaw(bob, 'svc.gateways')).string()).toContain('ready')
    expect(gateway.inspect().failure).toBeUndefined()
  })
})

describeNats('the permissions of docs/operate/many-machines.md, with nkeys instead of passwords', () => {
  /** A server that knows the users by their keys, and the authenticator of each user. */
  const startServerWithKeys = async () => {
    const users = ['gateway', 'alice', 'bob'] as const
    const keys = Object.fromEntries(users.map((user) => [user, nkeys.createUser()])) as Record<
      (typeof users)[number],
      ReturnType<typeof nkeys.createUser>
    >
    const config = example.replace(
      /user: (\w+), password: \S+/g,
      (_, user: User) => `nkey: ${keys[user].getPublicKey()}`,
    )
    const { url: servers } = await startNatsServer({ onFinished: onTestFinished, config })
    const optionsOf = (user: User) => ({ servers, authenticator: nkeyAuthenticator(keys[user].getSeed()) })
    return { optionsOf, servers }
  }

  it('let a gateway serve a consumer that has an `inboxPrefix`', async () => {
    const { optionsOf } = await startServerWithKeys()
    await startGateway(optionsOf('gateway'))
    const alice = createConsumer({ ...optionsOf('alice'), inboxPrefix: '_INBOX.alice' })
    expect(await firstValueFrom(alice.price$(ethTopic))).toMatchObject({ _tag: 'Right' })
    expect(await alice.depth(weth)()).toMatchObject({ _tag: 'Right' })
  })

  it.each([
    ['without `inboxPrefix`', undefined],
    ['with the `inboxPrefix` of another one', '_INBOX.bob'],
  ])('let a consumer %s receive nothing but the reason', async (_title, inboxPrefix) => {
    const { optionsOf } = await startServerWithKeys()
    await startGateway(optionsOf('gateway'))
    const alice = createConsumer({ ...optionsOf('alice'), ...(inboxPrefix && { inboxPrefix }) })
    const [price, depth] = await Promise.all([firstValueFrom(alice.price$(ethTopic)), alice.depth(weth)()])
    const reason = expect.stringMatching(/Permissions Violation .*_INBOX/) as string
    expect(price).toMatchObject({ left: { reason } })
    expect(depth).toMatchObject({ left: { cause: { message: reason } } })
  })

  it('reject an unknown key', async () => {
    const { servers } = await startServerWithKeys()
    const authenticator = nkeyAuthenticator(nkeys.createUser().getSeed())
    const stranger = createConsumer({ servers, authenticator })
    const reason = expect.stringMatching(/authorization/i) as string
    expect(await firstValueFrom(stranger.price$(ethTopic))).toMatchObject({ left: { reason } })
  })
})

describeNats('a server that requires TLS', () => {
  const startServerWithTls = async () => {
    const certificate = createSelfSignedCertificate()
    const { port } = await startNatsServer({ onFinished: onTestFinished, certificate })
    return { port, options: { servers: `tls://localhost:${port}`, tls: { ca: certificate.cert } } }
  }

  it('lets a gateway serve a consumer, both with its CA', async () => {
    const { options } = await startServerWithTls()
    await startGateway(options)
    const consumer = createConsumer(options)
    expect(await firstValueFrom(consumer.price$(ethTopic))).toMatchObject({ _tag: 'Right' })
    expect(await consumer.depth(weth)()).toMatchObject({ _tag: 'Right' })
  })

  it('accepts a consumer whose CA is in a file', async () => {
    const { options } = await startServerWithTls()
    await startGateway(options)
    const folder = mkdtempSync(join(tmpdir(), 'nats-ca-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const caFile = join(folder, 'ca.pem')
    writeFileSync(caFile, options.tls.ca)
    const consumer = createConsumer({ ...options, tls: { caFile } })
    expect(await firstValueFrom(consumer.price$(ethTopic))).toMatchObject({ _tag: 'Right' })
    const { events } = collectEvents(
      createConsumer({ ...options, tls: { caFile: `${caFile}.missing` } }).price$(ethTopic),
    )
    const reason = expect.stringContaining('no such file') as string
    await eventually(() => expect(events[0]).toMatchObject({ left: { _tag: 'Disconnected', reason } }))
  })

  it('accepts a consumer whose handshake comes before the first message of the server', async () => {
    const certificate = createSelfSignedCertificate()
    const nats = await startNatsServer({ onFinished: onTestFinished })
    await startGateway({ servers: nats.url })
    // The server of Debian's package has no `handshake_first`.
    const proxy = createServer(certificate, (client) => {
      const server = createConnection(nats.port, '127.0.0.1')
      server.once('data', (chunk) => {
        client.write(chunk.toString().replace('INFO {', 'INFO {"tls_required":true,'))
        server.pipe(client).pipe(server)
      })
      client.on('error', () => server.destroy()).on('close', () => server.destroy())
      server.on('error', () => client.destroy()).on('close', () => client.destroy())
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    onTestFinished(() => void proxy.close())
    const { port } = proxy.address() as AddressInfo
    const servers = `tls://localhost:${port}`
    const consumer = createConsumer({ servers, tls: { ca: certificate.cert, handshakeFirst: true } })
    expect(await firstValueFrom(consumer.price$(ethTopic))).toMatchObject({ _tag: 'Right' })
    const stranger = collectEvents(
      createConsumer({ servers, tls: { handshakeFirst: true } }).price$(ethTopic),
    )
    const reason = expect.stringMatching(/self[- ]signed certificate/) as string
    await eventually(() =>
      expect(stranger.events[0]).toMatchObject({ left: { _tag: 'Disconnected', reason } }),
    )
  })

  it.each(['tls', 'nats'])('gives a consumer without its CA (%s://) the failure alone', async (scheme) => {
    const { port, options } = await startServerWithTls()
    await startGateway(options)
    const consumer = createConsumer({ servers: `${scheme}://localhost:${port}` })
    const { events } = collectEvents(consumer.price$(ethTopic))
    const reason = expect.stringMatching(/self[- ]signed certificate/) as string
    expect(await consumer.depth(weth)()).toMatchObject({ left: { cause: { message: reason } } })
    await eventually(() => expect(events).not.toEqual([]))
    for (const event of events) expect(event).toMatchObject({ left: { _tag: 'Disconnected', reason } })
  })
})
