import { NEVER } from 'rxjs'
import type { ClientOptions, PriceClient } from 'svc-streams'
import { createTestClient } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { startTestGateway } from '../gateway/support/start-test-gateway.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { startDistantLink } from '../support/network/distant-link.js'
import { createPriceClient } from '../support/network/scripted-service.js'
import { isBehind, measureAges, startTimedService } from '../support/network/timed-prices.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic } from '../support/tokens.js'

// Behind any number of gateways, a price is delivered only if the service sent it at most `maxLag` ms before. Each price is the
// time at which it was sent.

const maxLag = 1_000

/** Time from the decision to the handler, in ms. */
const tolerance = 100

/** A client of a URL over a link that delays by `ms` in each direction. */
const clientOver = async (
  url: string,
  ms: number,
  options: Partial<ClientOptions> = {},
): Promise<PriceClient> =>
  createPriceClient(ms === 0 ? url : await startDistantLink(url, ms), { maxLag, ...options })

/** Gateways one behind the other, and a client of the last. `delays`: of the links, that of the service first, in ms. */
const clientBehindGateways = async (
  serviceUrl: string,
  delays: readonly number[],
  options: Partial<ClientOptions> = {},
): Promise<PriceClient> => {
  const [delay = 0, ...others] = delays
  const client = await clientOver(serviceUrl, delay, options)
  if (others.length === 0) return client
  return clientBehindGateways((await startTestGateway(client)).priceWsUrl, others, options)
}

const isTooOld = isBehind(maxLag)

describe('behind gateways', () => {
  // The answers reach the last gateway in time, so that it passes prices on, and its client too late.
  it.each([
    ['one gateway', maxLag, [380, 380]],
    ['two gateways', 2 * maxLag, [400, 400, 400]],
  ] as const)(
    'no price older than maxLag is delivered: %s, of which no link is too long',
    async (_, longest, delays) => {
      const service = await startTimedService()
      const ages = measureAges(await clientBehindGateways(service.url, delays, { maxLag: longest }))
      await eventually(() => ages.errors.some(isBehind(longest)) || ages.oldest > 2 * longest)
      expect(ages.oldest).toBeLessThan(longest + tolerance)
    },
  )

  it.each([
    ['one gateway', [640, 640]],
    ['two gateways', [400, 400, 400]],
    ['three gateways', [0, 0, 0, 0]],
  ] as const)('a round trip below maxLag causes no Left: %s', async (_, delays) => {
    const service = await startTimedService()
    // So long that a busy machine does not exceed it.
    const ages = measureAges(await clientBehindGateways(service.url, delays, { maxLag: 4 * maxLag }))
    await eventually(() => expect(ages.prices).toBeGreaterThan(400))
    expect(ages.errors).toEqual([])
  })

  it('a late consumer of a distant service gets no price that is older than maxLag', async () => {
    const service = await startTimedService()
    const upstream = await clientOver(service.url, 400)
    const gateway = await startTestGateway(upstream)
    const first = measureAges(await clientOver(gateway.priceWsUrl, 0))
    await eventually(() => expect(first.prices).toBeGreaterThan(0))
    const late = measureAges(await clientOver(gateway.priceWsUrl, 400))
    await eventually(() => late.errors.some(isTooOld) || late.oldest > 2 * maxLag)
    expect(late.oldest).toBeLessThan(maxLag + tolerance)
  })

  it('a gateway does not take another gateway, which waits for a distant service, for one that answers no ping', async () => {
    const service = await startTimedService()
    const first = await startTestGateway(await clientOver(service.url, 600, { maxLag: 10 * maxLag }))
    const early = measureAges(createPriceClient(first.priceWsUrl, { maxLag: 10 * maxLag }))
    await eventually(() => expect(early.prices).toBeGreaterThan(0))
    const second = await startTestGateway(createPriceClient(first.priceWsUrl, { maxLag: 10 * maxLag }))
    const late = measureAges(createPriceClient(second.priceWsUrl, { maxLag: 400 }))
    await eventually(() => late.errors.some(isBehind(400)) || late.prices > 0)
    expect(late.prices).toBe(0)
  })
})

describe('the probes of a gateway', () => {
  it('are as many with sixteen consumers as with one', async () => {
    const service = await startTimedService()
    const gateway = await startTestGateway(await clientOver(service.url, 0))
    const probesWith = async (): Promise<number> => {
      const before = service.connections[0]!.pingCount()
      const prices = first.prices
      await eventually(() => expect(first.prices).toBeGreaterThan(prices + 250))
      return (service.connections[0]!.pingCount() - before) / (first.prices - prices)
    }
    const first = measureAges(await clientOver(gateway.priceWsUrl, 0))
    await eventually(() => expect(first.prices).toBeGreaterThan(0))
    const alone = await probesWith()
    const others = await Promise.all(Array.from({ length: 15 }, () => clientOver(gateway.priceWsUrl, 0)))
    const ages = others.map(measureAges)
    await eventually(() => expect(ages.every(({ prices }) => prices > 0)).toBe(true))
    const together = await probesWith()
    // Not sixteen times as many. On a busy machine, prices are late and probes are not, so that the share varies.
    expect(together).toBeLessThan(3 * alone)
    expect([first, ...ages].flatMap(({ errors }) => errors)).toEqual([])
  })
})

const healthOf = async (priceWsUrl: string): Promise<unknown> =>
  (await fetch(`${priceWsUrl.replace('ws:', 'http:')}/health`)).json()

describe('a gateway whose age is not bounded', () => {
  it('answers at once if its service never answers a probe, and says so', async () => {
    const service = await startTimedService(false)
    const gateway = await startTestGateway(await clientOver(service.url, 0))
    const ages = measureAges(await clientOver(gateway.priceWsUrl, 0))
    await eventually(() => expect(ages.prices).toBeGreaterThan(500))
    expect(ages.errors).toEqual([])
    expect([await healthOf(gateway.priceWsUrl), gateway.inspect()]).toMatchObject([
      { ageBounded: false },
      { ageBounded: false },
    ])
  })

  it('says so of a test client', async () => {
    const gateway = await startTestGateway(closeAfterTest(createTestClient()))
    expect(await healthOf(gateway.priceWsUrl)).toMatchObject({ ageBounded: false })
  })

  it('says so if its service is a gateway of a test client', async () => {
    const first = await startTestGateway(closeAfterTest(createTestClient({ prices: { [ethTopic]: NEVER } })))
    const second = await startTestGateway(await clientOver(first.priceWsUrl, 0))
    measureAges(await clientOver(second.priceWsUrl, 0))
    await eventually(async () =>
      expect(await healthOf(second.priceWsUrl)).toMatchObject({ ageBounded: false }),
    )
  })

  it('says that it is bounded once the service answers', async () => {
    const service = await startTimedService()
    const gateway = await startTestGateway(await clientOver(service.url, 0, { maxLag: Infinity }))
    const ages = measureAges(await clientOver(gateway.priceWsUrl, 0))
    await eventually(() => expect(service.connections[0]?.pingCount()).toBeGreaterThan(3))
    expect(ages.errors).toEqual([])
    expect(await healthOf(gateway.priceWsUrl)).toMatchObject({ ageBounded: true })
  })
})
