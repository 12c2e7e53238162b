import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { isLeft } from 'svc-streams'
import { describe, expect, it, onTestFinished } from 'vitest'
import { collectEvents } from '../support/collect-events.js'
import { manualMarket } from '../support/manual-market.js'
import { depthPath, signedHeaders } from '../support/network/signed-request.js'
import { authKey } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic, weth } from '../support/tokens.js'
import { certificate, startBehind, type Balancer } from './support/load-balancer.js'

// Two gateways behind HAProxy and nginx, with the files of examples/deploy.

/** With the shortest timeout of nginx. */
const cutIdle = (text: string): string =>
  text.replace(/(timeout (?:client|server)|proxy_\w+_timeout) 1h/g, '$1 1s')

describe.each<Balancer>(['haproxy', 'nginx'])('behind %s', (name) => {
  it('a consumer with one address receives no Left when its gateway drains', async () => {
    const { gateways, connect } = await startBehind(name)
    const client = connect()
    const { events, values } = collectEvents(client.price$(ethTopic))
    await eventually(() => values().length > 5)
    const of = ({ gateway }: (typeof gateways)[number]) => gateway.inspect().connections
    const [first, second] = of(gateways[0]) === 1 ? gateways : ([gateways[1], gateways[0]] as const)
    await first.drain(20_000)
    const { length } = values()
    await eventually(() => values().length > length + 5)
    expect([of(first), of(second)]).toEqual([0, 1])
    expect(events.filter(isLeft)).toEqual([])
  })

  it('a consumer whose gateway is closed at once has one Disconnected, and then the current price', async () => {
    const { gateways, connect } = await startBehind(name)
    const { tags, values } = collectEvents(connect().price$(ethTopic))
    await eventually(() => values().length > 5)
    const [used] = gateways.filter(({ gateway }) => gateway.inspect().connections === 1)
    await used?.gateway.close()
    const { length } = values()
    await eventually(() => values().length > length + 5)
    expect(tags().filter((tag) => tag !== 'Right')).toEqual(['Disconnected'])
  })

  it('depth and prices over HTTP arrive, and X-Forwarded-For gives no consumer another address', async () => {
    const { connect, open } = await startBehind(name, { options: { maxConnectionsPerAddress: 1 } })
    const client = connect()
    expect((await client.depth(weth)())._tag).toBe('Right')
    expect((await client.price(ethTopic)())._tag).toBe('Right')
    const statuses: (number | undefined)[] = []
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
      const socket = open({ 'X-Forwarded-For': address })
      socket.on('unexpected-response', (_, response) => statuses.push(response.statusCode))
      await Promise.race([once(socket, 'open'), once(socket, 'unexpected-response')])
    }
    // One connection of each gateway.
    expect(statuses).toEqual([429])
  })

  it('a quiet consumer with pings below the idle timeout stays connected, one without pings does not', async () => {
    const { connect, open } = await startBehind(name, { change: cutIdle, market: manualMarket() })
    const client = connect({ pingInterval: 200 })
    const { events, values } = collectEvents(client.price$(ethTopic))
    await eventually(() => values().length === 1)
    await once(open(), 'close')
    expect(events).toHaveLength(1)
    const { epoch } = values()[0]!
    expect(client.inspect().status).toMatchObject({ _tag: 'Open', epoch })
  })

  it('a quiet consumer with pings above the idle timeout returns with the current price after a cut', async () => {
    const { connect } = await startBehind(name, { change: cutIdle, market: manualMarket() })
    const { tags } = collectEvents(connect({ pingInterval: 60_000, maxLag: 30_000 }).price$(ethTopic))
    await eventually(() => tags().length > 2)
    expect(tags().slice(0, 3)).toEqual(['Right', 'Disconnected', 'Right'])
  })
})

it.each(['GET', 'HEAD', 'OPTIONS'])(
  'HAProxy that asks for the health by %s leaves a closing gateway',
  async (method) => {
    const change = (text: string) =>
      text.replace('meth GET', `meth ${method}`).replace(/ +(?:option redispatch|retry-on).*\n/g, '')
    const { gateways, addresses } = await startBehind('haproxy', { change })
    await gateways[0].drain(1)
    const statuses = () =>
      Promise.all(
        Array.from({ length: 8 }, async () => (await fetch(`${addresses.baseUrl}/health/ready`)).status),
      )
    await eventually(async () => expect(new Set(await statuses())).toEqual(new Set([200])))
  },
)

it('a signed depth request over the HTTP/2 of nginx is answered', async () => {
  const { addresses } = await startBehind('nginx', { options: { keys: { desk: authKey } } })
  const session = connectHttp2(addresses.baseUrl, { ca: certificate.cert })
  onTestFinished(() => session.destroy())
  const path = depthPath(weth)
  const statusOf = async (headers: Readonly<Record<string, string>>): Promise<unknown> => {
    const stream = session.request({ ':path': path, ...headers }).resume()
    const [response] = (await once(stream, 'response')) as [{ readonly ':status': number }]
    return response[':status']
  }
  expect(await Promise.all([statusOf(signedHeaders(authKey, path)), statusOf({})])).toEqual([200, 401])
})
