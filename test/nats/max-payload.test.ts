import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { filter, firstValueFrom } from 'rxjs'
import { createClient, type Client, type Topic } from 'svc-streams'
import { startNatsGateway } from 'svc-streams/nats'
import { startSimulator } from 'svc-streams/simulator'
import { expect, it, onTestFinished } from 'vitest'
import { closeAfterTest } from '../support/close-after-test.js'
import { collectEvents } from '../support/collect-events.js'
import { describeNats } from '../support/nats/describe-nats.js'
import { startNatsServer, type NatsServer } from '../support/nats/nats-server.js'
import { startScriptedService } from '../support/network/scripted-service.js'
import { startHttpServer } from '../support/network/servers.js'
import { fastMarket } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { btcTopic, ethTopic, weth } from '../support/tokens.js'
import { createNatsClient, startGatewayInProcess } from './support/start-in-process.js'

const startServer = (maxPayload: number): Promise<NatsServer> =>
  startNatsServer({ onFinished: onTestFinished, config: `max_payload: ${maxPayload}` })

/** A limit above any body of these tests. */
const maxBodyBytes = 2 ** 22

const nextPrice = (client: Client, topic: Topic) => firstValueFrom(client.price$(topic).pipe(filter(isRight)))

/** A body of a depth response with this number of bytes. Gateways pass on all digits, and no unknown fields. */
const depthBody = (bytes: number): string => {
  const side = (quantity: string) => `{"total_quantity":${quantity},"total_quantity_usd":1}`
  const body = (digits: number) =>
    `{"price":1,"timestamp":1,"buy":${side('9'.repeat(digits))},"sell":${side('1')}}`
  return body(bytes - body(0).length)
}

/** Starts two gateways whose depth responses have this status and body. */
const startGatewaysWithDepth = async (server: NatsServer, status: number, body: string) => {
  const simulator = closeAfterTest(await startSimulator(fastMarket))
  const baseUrl = await startHttpServer((_request, response) => response.writeHead(status).end(body))
  const start = async () => {
    const client = createClient({ environment: 'mainnet', ...simulator, baseUrl, maxBodyBytes })
    return closeAfterTest(await startNatsGateway(closeAfterTest(client), { servers: server.url }))
  }
  return Promise.all([start(), start()])
}

describeNats('a message that exceeds `max_payload`', () => {
  it.each([
    ['a depth of 65 530 bytes', 2 ** 16, depthBody(65_530), 200, 502],
    ['a depth of 5000 bytes', 4_096, depthBody(5_000), 200, 502],
    ['an error text of 1800 control characters', 4_096, '\u0001'.repeat(1_800), 429, 429],
  ])(
    'is an `HttpError` for the consumer that requested it: %s',
    async (_title, maxPayload, body, sent, status) => {
      const server = await startServer(maxPayload)
      const gateways = await startGatewaysWithDepth(server, sent, body)
      const other = collectEvents(createNatsClient({ servers: server.url }).price$(ethTopic))
      await eventually(() => expect(other.tags()).toContain('Right'))
      const client = createNatsClient({ servers: server.url, maxBodyBytes })
      // The consumer requests it again, of the other gateway too.
      for (let request = 0; request < 4; request++) {
        const result = await client.depth(weth)()
        expect(result).toMatchObject({ left: { _tag: 'HttpError', status } })
      }
      await nextPrice(client, btcTopic)
      const count = other.events.length
      await eventually(() => expect(other.events.length).toBeGreaterThan(count + 20))
      expect(other.events.filter(isLeft)).toEqual([])
      for (const gateway of gateways) expect(gateway.inspect().isConnected).toBe(true)
    },
  )

  it('is shortened if it is an error text of the service, and rejects its topic alone', async () => {
    const server = await startServer(4_096)
    const service = await startScriptedService({
      onSubscribe: (connection, topic) => {
        if (topic === ethTopic) return connection.send(`Invalid: ${topic} ${'"'.repeat(3_000)}`)
        connection.sendConfirmation(topic)
        connection.sendPrice(topic, 1)
      },
    })
    const upstream = closeAfterTest(
      createClient({ environment: 'testnet', priceBaseUrl: 'http://127.0.0.1:1', priceWsUrl: service.url }),
    )
    closeAfterTest(await startNatsGateway(upstream, { servers: server.url }))
    const client = createNatsClient({ servers: server.url })
    const rejected = collectEvents(client.price$(ethTopic))
    const other = collectEvents(client.price$(btcTopic))
    await eventually(() => expect(rejected.tags()).toEqual(['SubscriptionRejected']))
    await eventually(() => expect(other.tags()).toEqual(['Right']))
    expect(rejected.isComplete()).toBe(true)
  })
})

describeNats('a consumer that subscribes to a topic of 5000 characters', () => {
  it('gets a rejection, and keeps the prices of its other topics', async () => {
    const server = await startServer(4_096)
    await startGatewayInProcess({ servers: server.url })
    const client = createNatsClient({ servers: server.url })
    const other = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(other.tags()).toContain('Right'))
    const long = collectEvents(client.price$(`svc-0x${'a'.repeat(5_000)}`))
    await eventually(() => expect(long.tags()).toEqual(['SubscriptionRejected']))
    const count = other.events.length
    await eventually(() => expect(other.events.length).toBeGreaterThan(count + 20))
    expect(other.events.filter(isLeft)).toEqual([])
  })
})

describeNats('a server whose `max_payload` is lower than a price', () => {
  it('passes prices on again once it is raised, to connections from before too', async () => {
    const server = await startServer(64)
    await startGatewayInProcess({ servers: server.url })
    const { events, tags } = collectEvents(createNatsClient({ servers: server.url }).price$(ethTopic))
    await eventually(() => expect(tags()).toContain('Disconnected'))
    expect(tags()).not.toContain('Right')
    server.reload('max_payload: 1048576')
    await eventually(() => expect(events.some(isRight)).toBe(true))
  })
})
