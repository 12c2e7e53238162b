import { expect, it, onTestFinished } from 'vitest'
import { createNatsClient, startGatewayInProcess } from '../../nats/support/start-in-process.js'
import { collectEvents } from '../../support/collect-events.js'
import { describeNats } from '../../support/nats/describe-nats.js'
import { startNatsServer } from '../../support/nats/nats-server.js'
import { connectRaw } from '../../support/nats/raw-nats.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic } from '../../support/tokens.js'
import { collectMessages } from './support/collect-messages.js'

const startAll = async (options: { readonly maxConnections?: number } = {}) => {
  const connected = collectMessages('svc-streams:gateway-connected')
  const disconnected = collectMessages('svc-streams:gateway-disconnected')
  const nats = await startNatsServer({ onFinished: onTestFinished })
  const { gateway, service } = await startGatewayInProcess({ servers: nats.url, ...options })
  const subscribe = async () => {
    const client = createNatsClient({ servers: nats.url })
    const { values } = collectEvents(client.price$(ethTopic))
    await eventually(() => values().length > 0)
    return client
  }
  return { connected, disconnected, nats, gateway, service, subscribe, host: new URL(nats.url).host }
}

describeNats('a gateway on NATS', () => {
  it('publishes gateway-connected and gateway-disconnected for a session that its consumer ends', async () => {
    const { connected, disconnected, host, subscribe } = await startAll()
    const client = await subscribe()
    expect(connected).toEqual([{ host }])
    await client.close()
    await eventually(() => expect(disconnected).toHaveLength(1))
    expect(disconnected[0]).toEqual({ host, cause: 'consumer', bytes: expect.any(Number) as number })
    expect(disconnected[0]?.bytes).toBeGreaterThan(100)
  })

  it.each([
    ['service-down', ({ service }) => service.dropConnections()],
    ['nats-lost', ({ nats }) => void nats.kill()],
    ['closing', ({ gateway }) => void gateway.close()],
  ] satisfies [string, (all: Awaited<ReturnType<typeof startAll>>) => void][])(
    'publishes gateway-disconnected with the cause %s',
    async (cause, end) => {
      const all = await startAll()
      await all.subscribe()
      end(all)
      await eventually(() => expect(all.disconnected).toMatchObject([{ host: all.host, cause }]))
    },
  )

  it.each([
    ['no-renewal', []],
    ['message-lost', [{ type: 'renew', session: 'a', number: 1, since: 0, requests: 1 }]],
  ])('publishes gateway-disconnected with the cause %s', async (cause, messages) => {
    const { connected, disconnected, nats } = await startAll()
    const consumer = await connectRaw(onTestFinished, { servers: nats.url })
    const { gateway } = (await consumer.request('svc.gateways')).json<{ gateway: string }>()
    for (const message of [{ type: 'open', session: 'a' }, ...messages]) {
      consumer.publish(`svc.gateway.${gateway}`, JSON.stringify(message), { reply: '_INBOX.a' })
    }
    await eventually(() => expect(disconnected).toMatchObject([{ cause }]))
    expect(connected).toHaveLength(1)
  })

  it('publishes gateway-refused when it has its sessions', async () => {
    const refused = collectMessages('svc-streams:gateway-refused')
    const { host, nats, subscribe } = await startAll({ maxConnections: 1 })
    await subscribe()
    collectEvents(createNatsClient({ servers: nats.url }).price$(ethTopic))
    await eventually(() => expect(refused[0]).toEqual({ host, status: 503 }))
  })
})
