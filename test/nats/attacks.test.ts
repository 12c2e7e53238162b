import fc from 'fast-check'
import type { Msg, NatsConnection } from '@nats-io/transport-node'
import { isRight } from 'fp-ts/lib/Either.js'
import { filter, firstValueFrom } from 'rxjs'
import { expect, it, onTestFinished } from 'vitest'
import { collectEvents } from '../support/collect-events.js'
import { describeNats } from '../support/nats/describe-nats.js'
import { startNatsServer, type NatsServer } from '../support/nats/nats-server.js'
import { connectRaw, requestRaw, subscribeRaw } from '../support/nats/raw-nats.js'
import { caseCount } from '../support/run/long.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic } from '../support/tokens.js'
import { createNatsClient, startGatewayInProcess } from './support/start-in-process.js'

const startServer = (): Promise<NatsServer> => startNatsServer({ onFinished: onTestFinished })

const connectAttacker = ({ url }: NatsServer): Promise<NatsConnection> =>
  connectRaw(onTestFinished, { servers: url })

/** The subject of the messages for the gateway that answers first. */
const findSubject = async (attacker: NatsConnection): Promise<string> => {
  const { gateway } = (await requestRaw(attacker, 'svc.gateways')).json<{ gateway: string }>()
  return `svc.gateway.${gateway}`
}

/** Fails unless the gateway serves a new consumer. */
const expectService = async ({ url }: NatsServer): Promise<void> => {
  const client = createNatsClient({ servers: url })
  await firstValueFrom(client.price$(ethTopic).pipe(filter(isRight)))
}

const json = (value: object): string => JSON.stringify(value)

const getOf = (path: string) => ({ type: 'get', path, consumer: 'c', timeout: 5_000 })

describeNats('a gateway on NATS, with malicious consumers', () => {
  it('sends no reply to a price subject', async () => {
    const server = await startServer()
    await startGatewayInProcess({ servers: server.url })
    const attacker = await connectAttacker(server)
    const subject = await findSubject(attacker)
    const { messages } = await subscribeRaw(attacker, 'svc.>')
    const reply = `${subject.replace('gateway', 'price')}.0xab`
    attacker.publish('svc.gateways', undefined, { reply })
    attacker.publish(subject, json({ type: 'open', session: 'a' }), { reply })
    attacker.publish(subject, json(getOf('/v0/order_book/0xab')), { reply })
    // Replies are in order.
    await attacker.request(subject, json({ type: 'open', session: 'b' }))
    expect(messages.filter(({ subject: sent }) => /^svc\.price\..*0x/.test(sent))).toEqual([])
  })

  it('continues after any message', { timeout: 120_000 }, async () => {
    const server = await startServer()
    await startGatewayInProcess({ servers: server.url })
    const attacker = await connectAttacker(server)
    const subject = await findSubject(attacker)
    const session = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '>'))
    const field = fc.oneof(
      fc.string(),
      fc.double(),
      fc.constant(null),
      fc.constantFrom('svc-0xab', 'svc-0x', '__proto__'),
    )
    const message = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.json().map((text) => Buffer.from(text)),
      fc
        .record({
          type: fc.constantFrom('open', 'renew', 'subscribe', 'unsubscribe', 'close', 'get'),
          session,
          topic: field,
          number: field,
          requests: field,
          path: field,
        })
        .map((value) => Buffer.from(json(value))),
      fc.constant(Buffer.alloc(900_000, '[')),
    )
    const reply = fc.constantFrom(
      '_INBOX.a',
      '_INBOX.*',
      '_INBOX.>',
      '_INBOX..a',
      '.',
      '$SYS.a',
      'a'.repeat(3_000),
    )
    const anywhere = fc.constantFrom(subject, 'svc.gateways')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(anywhere, message, reply), { maxLength: 10 }), async (messages) => {
        for (const [to, payload, reply] of messages) attacker.publish(to, payload, { reply })
        expect((await requestRaw(attacker, 'svc.gateways')).string()).toContain('ready')
      }),
      { numRuns: caseCount(300) },
    )
    await expectService(server)
  })

  it('has at most `maxConnections` sessions, and frees those whose consumers are gone', async () => {
    const server = await startServer()
    const { gateway } = await startGatewayInProcess({ servers: server.url, maxConnections: 50 })
    const attacker = await connectAttacker(server)
    const subject = await findSubject(attacker)
    for (let session = 0; session < 1_000; session++) {
      attacker.publish(subject, json({ type: 'open', session: String(session) }), { reply: '_INBOX.a' })
    }
    const last = json({ type: 'open', session: 'last' })
    const refused = await attacker.request(subject, last, { timeout: 5_000 })
    expect(refused.json()).toEqual({ type: 'closed', code: 1013, reason: 'the gateway has its 50 sessions' })
    expect(gateway.inspect().sessions).toBe(50)
    await eventually(() => expect(gateway.inspect().sessions).toBe(0))
    await expectService(server)
  })

  it('opens no session with a long identifier or a long inbox, which it would keep', async () => {
    const server = await startServer()
    const { gateway } = await startGatewayInProcess({ servers: server.url })
    const attacker = await connectAttacker(server)
    const subject = await findSubject(attacker)
    const open = (session: string, reply: string) =>
      attacker.publish(subject, json({ type: 'open', session }), { reply })
    open('a'.repeat(64), `_INBOX.${'a'.repeat(505)}`)
    open('b'.repeat(65), '_INBOX.b')
    open('c', `_INBOX.${'c'.repeat(506)}`)
    // Messages are in order.
    await attacker.request(subject, json({ type: 'open', session: 'last' }))
    expect(gateway.inspect().sessions).toBe(2)
  })

  it('takes at most `maxTopicsPerConnection` topics of a session', async () => {
    const server = await startServer()
    const { gateway, service } = await startGatewayInProcess({
      servers: server.url,
      maxTopicsPerConnection: 3,
    })
    const attacker = await connectAttacker(server)
    const subject = await findSubject(attacker)
    const inbox = await subscribeRaw(attacker, '_INBOX.a')
    const send = (message: object) => attacker.publish(subject, json(message), { reply: '_INBOX.a' })
    send({ type: 'open', session: 'a' })
    for (let number = 1; number <= 20; number++) {
      send({ type: 'subscribe', session: 'a', topic: `svc-0x${number}`, number })
    }
    const isRefused = ({ text }: { readonly text: string }) => text.includes('one topic more than the 3')
    await eventually(() => expect(inbox.messages.filter(isRefused)).toHaveLength(17))
    expect(gateway.inspect().topics.length).toBeLessThanOrEqual(3)
    expect(new Set(service.frames.map(({ text }) => text)).size).toBeLessThanOrEqual(3)
  })

  it.each([
    ['no resource', '/'],
    ['a parent folder', '/v0/../admin'],
    ['a URL', 'http://127.0.0.1/v0/order_book/0xab'],
    ['a host', '//127.0.0.1/v0/order_book/0xab'],
    ['a parent folder as its mint', '/v0/order_book/../x'],
    ['a mint and more', '/v0/order_book/0xab/../y'],
    ['4000 characters', `/${'a'.repeat(4_000)}`],
  ])('sends no request for a path with %s', async (_title, path) => {
    const server = await startServer()
    const { service } = await startGatewayInProcess({ servers: server.url })
    const attacker = await connectAttacker(server)
    const subject = await findSubject(attacker)
    const response = await attacker.request(subject, json(getOf(path)))
    expect(response.json()).toMatchObject({ type: 'response', status: 404 })
    expect(service.requests).toEqual([])
  })
})

describeNats('a gateway on NATS, with long messages of a consumer', () => {
  it('refuses them without decoding, and serves others meanwhile', async () => {
    const server = await startServer()
    const { service } = await startGatewayInProcess({ servers: server.url })
    const attacker = await connectAttacker(server)
    const subject = await findSubject(attacker)
    const { tags } = collectEvents(createNatsClient({ servers: server.url }).price$(ethTopic))
    await eventually(() => expect(tags()).toContain('Right'))
    const text = json(getOf(`/v0/order_book/${'a'.repeat(1_000_000)}`))
    for (let message = 0; message < 3; message++) attacker.publish(subject, text, { reply: '_INBOX.a' })
    const response = await attacker.request(subject, text, { timeout: 5_000 })
    expect(response.json()).toMatchObject({ type: 'response', status: 413 })
    expect(service.requests).toEqual([])
    const count = tags().length
    await eventually(() => expect(tags().length).toBeGreaterThan(count + 20))
    expect(tags()).not.toContain('Disconnected')
  })
})

/** A gateway of which a test sends each message for its only topic. `onSubscribe`: how it answers a subscribe message. */
const startScriptedGateway = async (
  server: NatsServer,
  onSubscribe: (confirm: (sequence: number, price: number) => void) => void,
) => {
  const connection = await connectAttacker(server)
  const base = ethTopic.slice('svc-'.length)
  const now = () => performance.now()
  const priceFrame = (price: number) => json({ topic: ethTopic, price })
  const publish = (sequence: number, frame: string): void =>
    connection.publish(`svc.price.g1.${base}`, `${sequence} ${Math.floor(now())} ${frame}`)
  const answer = (message: Msg): void => {
    const { type, number } = message.json<{ type: string; number: number }>()
    const respond = (reply: object): void => void message.respond(json(reply))
    if (type === 'open') respond({ type: 'opened', time: now() })
    if (type === 'renew') respond({ type: 'renewed', number, time: now() })
    if (type !== 'subscribe') return
    onSubscribe((sequence, price) => {
      const common = { topic: ethTopic, base, number }
      respond({ type: 'confirmed', ...common, sequence, price: { frame: priceFrame(price), time: now() } })
    })
  }
  const ready = json({ type: 'ready', gateway: 'g1', version: 1 })
  connection.subscribe('svc.gateways', { callback: (_error, message) => void message.respond(ready) })
  connection.subscribe('svc.gateway.g1', { callback: (_error, message) => answer(message) })
  await connection.flush()
  return {
    update: (sequence: number, price: number): void => publish(sequence, priceFrame(price)),
    heartbeat: (sequence: number): void => publish(sequence, ''),
    /** Publishes that the service has sent all later updates after now. */
    prove: (): void => connection.publish('svc.price.g1.proof', String(Math.floor(now()))),
  }
}

describeNats('a consumer on NATS, with other gateways', () => {
  it.each([
    ['an older version', json({ type: 'ready', gateway: 'g1', version: 0 })],
    ['a newer version', json({ type: 'ready', gateway: 'g1', version: 2, added: {} })],
    ['no version', json({ type: 'ready', gateway: 'g1' })],
    ['no identifier', json({ type: 'ready', gateway: '', version: 1 })],
    ['several subjects as its identifier', json({ type: 'ready', gateway: '>', version: 1 })],
    ['spaces in its identifier', json({ type: 'ready', gateway: 'a b\r\nPUB x 0\r\n', version: 1 })],
    ['a message that is no JSON', '{'],
    ['a long message', json({ type: 'ready', gateway: 'g'.repeat(500_000), version: 1 })],
  ])('ignores one with %s', async (_title, answer) => {
    const server = await startServer()
    const other = await connectAttacker(server)
    other.subscribe('svc.gateways', { callback: (_error, message) => void message.respond(answer) })
    await other.flush()
    const client = createNatsClient({ servers: server.url })
    const { tags } = collectEvents(client.price$(ethTopic))
    await startGatewayInProcess({ servers: server.url })
    await eventually(() => expect(tags().filter((tag) => tag === 'Right').length).toBeGreaterThan(3))
  })

  it('delivers no price of a second confirmation, because it has the updates since the first', async () => {
    const server = await startServer()
    const { update } = await startScriptedGateway(server, (confirm) => {
      confirm(1, 1)
      update(2, 2)
      confirm(1, 1)
      update(3, 3)
    })
    const { values } = collectEvents(createNatsClient({ servers: server.url }).price$(ethTopic))
    await eventually(() => expect(values().at(-1)?.price).toBe(3))
    expect(values().map(({ price }) => price)).toEqual([1, 2, 3])
  })

  it('delivers the last price to a late subscriber only once a heartbeat proves that no later one is lost', async () => {
    const server = await startServer()
    const gateway = await startScriptedGateway(server, (confirm) => confirm(1, 1))
    const client = createNatsClient({ servers: server.url })
    const first = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(first.values()).toHaveLength(1))
    const since = performance.now()
    await eventually(() => {
      gateway.prove()
      expect(performance.now() - since).toBeGreaterThan(1_000)
    })
    const late = collectEvents(client.price$(ethTopic))
    expect(late.values()).toEqual([])
    await eventually(() => {
      gateway.prove()
      gateway.heartbeat(1)
      expect(late.values()).toMatchObject([{ price: 1 }])
    })
  })

  it('names the version of a gateway that it cannot follow', async () => {
    const server = await startServer()
    const other = await connectAttacker(server)
    const answer = json({ type: 'ready', gateway: 'g1', version: 2 })
    other.subscribe('svc.gateways', { callback: (_error, message) => void message.respond(answer) })
    await other.flush()
    const { events } = collectEvents(createNatsClient({ servers: server.url }).price$(ethTopic))
    await eventually(() => expect(events[0]).toMatchObject({ left: { _tag: 'Disconnected' } }))
    expect(json(events[0] ?? {})).toContain('version 2')
  })

  it('names a missing permission', async () => {
    const server = await startNatsServer({
      onFinished: onTestFinished,
      config:
        'authorization { users: [{ user: a, password: b, permissions: { publish: ">", subscribe: "_INBOX.>" } }, { user: g, password: g }] }',
    })
    await startGatewayInProcess({ servers: server.url, user: 'g', pass: 'g' })
    const client = createNatsClient({ servers: server.url, user: 'a', pass: 'b' })
    const { events } = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(json(events)).toMatch(/permission/i))
    expect(events.filter(isRight)).toEqual([])
  })
})
