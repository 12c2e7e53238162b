import { NEVER, of } from 'rxjs'
import { createClient } from 'svc-streams'
import { startGateway, type GatewayOptions } from 'svc-streams/gateway'
import { createTestClient, depth, price } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { runGateway } from '../../../src/gateway/run-gateway.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { createSelfSignedCertificate } from '../../support/network/certificate.js'
import { depthPath, signedHeaders } from '../../support/network/signed-request.js'
import { authKey } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic, weth } from '../../support/tokens.js'
import { connect } from '../support/raw-consumer.js'

const client = createTestClient({
  prices: { [ethTopic]: of(price(ethTopic, 1.5)) },
  depths: { [weth]: of(depth(weth)) },
})

const secret = 'desk-secret'
const access = { tokens: { desk: secret, other: 'other-secret' } }

const start = async (options: GatewayOptions = {}) => {
  const streams$ = (path: string) => (path === '/events' ? NEVER : undefined)
  const running = await runGateway(client, { access, ...options }, { streams$ })
  closeAfterTest(running.gateway)
  return { ...running, ...running.gateway }
}

const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })

describe('a gateway with access tokens', () => {
  it('serves nothing without one, or with a wrong one', async () => {
    const { baseUrl, priceWsUrl } = await start()
    for (const path of ['/', '/tokens', `/price/${ethTopic}`, depthPath(weth), '/history', '/nothing']) {
      const plain = await fetch(baseUrl + path)
      expect([plain.status, await plain.text()]).toEqual([401, 'Unauthorized'])
      expect((await fetch(baseUrl + path, bearer('desk-secreT'))).status).toBe(401)
      expect((await fetch(`${baseUrl}${path}?access_token=desk`)).status).toBe(401)
      expect((await fetch(baseUrl + path, { method: 'OPTIONS' })).status).toBe(401)
    }
    await expect(connect({ priceWsUrl })).rejects.toThrow('401')
    await expect(connect({ priceWsUrl: `${priceWsUrl}/?access_token=x` })).rejects.toThrow('401')
  })

  it('serves everything with one, in the header or in the query', async () => {
    const { baseUrl, priceWsUrl } = await start()
    for (const path of ['/tokens', `/price/${ethTopic}`, depthPath(weth)]) {
      expect((await fetch(baseUrl + path, bearer(secret))).status).toBe(200)
      expect((await fetch(`${baseUrl}${path}?access_token=other-secret`)).status).toBe(200)
    }
    const query = '?access_token=desk-secret'
    const consumer = closeAfterTest(
      createClient({
        environment: 'mainnet',
        baseUrl: baseUrl + query,
        priceBaseUrl: baseUrl + query,
        priceWsUrl: priceWsUrl + query,
        unsigned: true,
      }),
    )
    const events = collectEvents(consumer.price$(ethTopic))
    await eventually(() => expect(events.values().map(({ price: usd }) => usd)).toEqual([1.5]))
    expect(await consumer.price(ethTopic)()).toMatchObject({ right: { price: 1.5 } })
    expect(await consumer.depth(weth)()).toMatchObject({ right: { mint: weth } })
  })

  it('takes a token of base64 in the query, percent-encoded or as it is', async () => {
    const { baseUrl } = await start({ access: { tokens: { desk: 'a+b/c==' } } })
    for (const token of ['a+b/c==', 'a%2Bb%2Fc%3D%3D'])
      expect((await fetch(`${baseUrl}/tokens?access_token=${token}`)).status).toBe(200)
  })

  it('compares few of many in a query, so that a request takes no longer than others', async () => {
    const { baseUrl } = await start()
    const statusOf = async (wrong: number): Promise<number> =>
      (await fetch(`${baseUrl}/tokens?${'access_token=x&'.repeat(wrong)}access_token=${secret}`)).status
    expect(await statusOf(1)).toBe(200)
    expect(await statusOf(900)).toBe(401)
  })

  it('shows its health to programs of this machine', async () => {
    const { baseUrl } = await start()
    for (const path of ['/health', '/health/ready', '/health/live']) {
      expect((await fetch(baseUrl + path)).status).toBe(200)
    }
  })

  it('ends the connections whose token is removed with 1008, and no other', async () => {
    const { priceWsUrl, replace } = await start()
    const urlOf = (token: string, path = '/') => ({
      priceWsUrl: `${priceWsUrl}${path}?access_token=${token}`,
    })
    const [kept, removed] = [await connect(urlOf(secret)), await connect(urlOf('other-secret'))]
    const page = await connect(urlOf('other-secret', '/events'))
    replace({ access: { tokens: { renamed: secret, new: 'new-secret' } } })
    await eventually(() => expect([removed.closed()?.code, page.closed()?.code]).toEqual([1008, 1008]))
    await expect(connect(urlOf('other-secret'))).rejects.toThrow('401')
    await connect(urlOf('new-secret'))
    kept.subscribe(ethTopic)
    await eventually(() => expect(kept.frames.length).toBeGreaterThan(0))
    expect(kept.closed()).toBeUndefined()
  })

  it('never repeats a secret in an error', async () => {
    const tokens = { desk: 'with space and secret' }
    await expect(startGateway(client, { access: { tokens } })).rejects.toThrow(/^access\.tokens: /)
    await expect(startGateway(client, { access: { tokens } })).rejects.not.toThrow('secret and')
    await expect(startGateway(client, { access: { tokens: {} } })).rejects.toThrow('access.tokens')
  })
})

it('replaces keys and certificates while it runs, and keeps what it has if they are invalid', async () => {
  const key = 'c29tZSBvdGhlciBrZXkgb2YgYSBjb25zdW1lcg=='
  const { baseUrl, replace } = await start({ access: { tokens: { desk: secret } }, keys: { one: authKey } })
  const statusOf = async (of: string): Promise<number> => {
    const path = `${depthPath(weth)}?access_token=${secret}`
    return (await fetch(baseUrl + path, { headers: signedHeaders(of, path) })).status
  }
  expect([await statusOf(authKey), await statusOf(key)]).toEqual([200, 401])
  expect(() => replace({ keys: { one: '!' } })).toThrow('keys.one')
  expect(await statusOf(authKey)).toBe(200)
  replace({ keys: { two: key } })
  expect([await statusOf(authKey), await statusOf(key)]).toEqual([401, 200])

  const [first, second] = [createSelfSignedCertificate(), createSelfSignedCertificate()]
  const secure = await start({ tls: first })
  expect(() => secure.replace({ tls: { key: first.key, cert: second.cert } })).toThrow('tls')
  secure.replace({ tls: second })
  const consumer = closeAfterTest(
    createClient({
      environment: 'testnet',
      priceBaseUrl: `${secure.priceBaseUrl}?access_token=${secret}`,
      priceWsUrl: `${secure.priceWsUrl}?access_token=${secret}`,
      ca: second.cert,
    }),
  )
  expect(await consumer.price(ethTopic)()).toMatchObject({ right: { price: 1.5 } })
})
