import { NEVER, take } from 'rxjs'
import { startNatsGateway } from 'svc-streams/nats'
import { startTcpProxy } from 'svc-streams/simulator'
import { createTestClient } from 'svc-streams/testing'
import { expect, it, onTestFinished } from 'vitest'
import { startTestGateway } from '../gateway/support/start-test-gateway.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { describeNats } from '../support/nats/describe-nats.js'
import { startNatsServer } from '../support/nats/nats-server.js'
import { startDistantLink } from '../support/network/distant-link.js'
import { createPriceClient } from '../support/network/scripted-service.js'
import { isBehind, measureAges, startTimedService } from '../support/network/timed-prices.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic } from '../support/tokens.js'
import { createNatsClient } from './support/start-in-process.js'

// Over NATS too, a price is delivered only if the service sent it at most `maxLag` ms before. Each price is the time at which it
// was sent.

const maxLag = 1_000

/** Time from the decision to the handler, in ms. */
const tolerance = 100

/** A service that sends a price every 5 ms, and a gateway of it on NATS, over a link that delays by `ms` in each direction. */
const start = async (ms: number, limit = maxLag) => {
  const nats = await startNatsServer({ onFinished: onTestFinished })
  const service = await startTimedService()
  const upstream = createPriceClient(ms === 0 ? service.url : await startDistantLink(service.url, ms))
  const gateway = closeAfterTest(await startNatsGateway(upstream, { servers: nats.url }))
  return { service, gateway, consumer: () => createNatsClient({ servers: nats.url, maxLag: limit }) }
}

const isTooOld = isBehind(maxLag)

describeNats('a client over NATS', () => {
  it('delivers no price older than maxLag from the service on, and emits Stale with behindMs', async () => {
    const { consumer } = await start(1_100)
    const ages = measureAges(consumer())
    await eventually(() => ages.errors.some(isTooOld) || ages.oldest > maxLag + tolerance)
    expect(ages.oldest).toBeLessThan(maxLag + tolerance)
  })

  it('emits no Left if the round trip to the service is shorter', async () => {
    // So long that a busy machine does not exceed it.
    const { consumer } = await start(800, 4 * maxLag)
    const ages = measureAges(consumer())
    await eventually(() => expect(ages.prices).toBeGreaterThan(500))
    expect(ages.errors).toEqual([])
  })

  it('knows from its first price on that the gateway answers, so that a link that stops then causes Stale', async () => {
    const nats = await startNatsServer({ onFinished: onTestFinished })
    const service = await startTimedService()
    const link = closeAfterTest(await startTcpProxy({ target: service.url }))
    closeAfterTest(await startNatsGateway(createPriceClient(link.url), { servers: nats.url }))
    const first = measureAges(createNatsClient({ servers: nats.url, maxLag: 10 * maxLag }))
    await eventually(() => expect(first.prices).toBeGreaterThan(0))
    const late = createNatsClient({ servers: nats.url, maxLag })
    late
      .price$(ethTopic)
      .pipe(take(1))
      .subscribe(() => link.freeze())
    const ages = measureAges(late)
    await eventually(() => expect(ages.errors.some(isTooOld)).toBe(true))
    expect(ages.oldest).toBeLessThan(maxLag + tolerance)
  })

  it('delivers no older price to a consumer of a gateway that uses it either', async () => {
    const { consumer } = await start(300)
    const second = await startTestGateway(consumer())
    const link = await startDistantLink(second.priceWsUrl, 300)
    const ages = measureAges(createPriceClient(link, { maxLag }))
    await eventually(() => ages.errors.some(isTooOld) || ages.oldest > 2 * maxLag)
    expect(ages.oldest).toBeLessThan(maxLag + tolerance)
  })

  it('does not limit the age if the gateway does not, and a gateway of it says so', async () => {
    const nats = await startNatsServer({ onFinished: onTestFinished })
    const unbounded = closeAfterTest(createTestClient({ prices: { [ethTopic]: NEVER } }))
    closeAfterTest(await startNatsGateway(unbounded, { servers: nats.url }))
    const gateway = await startTestGateway(createNatsClient({ servers: nats.url, maxLag }))
    measureAges(createPriceClient(gateway.priceWsUrl, { maxLag }))
    await eventually(() => expect(gateway.inspect().ageBounded).toBe(false))
  })

  it('causes no further probes of the service with further clients', async () => {
    const { service, gateway, consumer } = await start(0)
    const first = measureAges(consumer())
    await eventually(() => expect(first.prices).toBeGreaterThan(0))
    const probesWhile = async (): Promise<number> => {
      const [before, prices] = [service.connections[0]!.pingCount(), first.prices]
      await eventually(() => expect(first.prices).toBeGreaterThan(prices + 200))
      return (service.connections[0]!.pingCount() - before) / (first.prices - prices)
    }
    const alone = await probesWhile()
    const others = Array.from({ length: 7 }, () => measureAges(consumer()))
    await eventually(() => expect(others.every(({ prices }) => prices > 0)).toBe(true))
    // On a busy machine, fewer prices arrive between two probes. Probes of each client would be eight times as many.
    expect(await probesWhile()).toBeLessThan(3 * alone)
    expect([first, ...others].flatMap(({ errors }) => errors)).toEqual([])
    expect(gateway.inspect().ageBounded).toBe(true)
  })
})
