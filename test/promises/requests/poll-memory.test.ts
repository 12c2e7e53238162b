import { defer, retry, type Subscription } from 'rxjs'
import { createClient, type Client } from 'svc-streams'
import { orThrow } from 'svc-streams/operators'
import { describe, expect, it } from 'vitest'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { startHttpServer } from '../../support/network/servers.js'
import { eventually } from '../../support/time/eventually.js'
import { collectUnhandledErrors } from '../../support/unhandled-errors.js'
import { wbtc, weth } from '../../support/tokens.js'

/** A relayer that requests a wait of 30 s in each response, and the paths that were requested. */
const startBusyRelayer = async (): Promise<{ client: Client; paths: readonly string[] }> => {
  const paths: string[] = []
  const baseUrl = await startHttpServer(({ url = '' }, response) => {
    paths.push(url)
    response.writeHead(429, { 'retry-after': '30' }).end()
  })
  const client = closeAfterTest(
    createClient({ environment: 'mainnet', baseUrl, priceBaseUrl: baseUrl, authKey: 'AAEC' }),
  )
  return { client, paths }
}

/** Resolves after a request for another mint and its response: a request that was due before has arrived by then. */
const roundTrip = (client: Client): Promise<unknown> => client.depth(wbtc)()

/** Subscribes again after each failure, without a delay. Returns the subscription and the number of retries. */
const retryForever = (client: Client): { subscription: Subscription; retries: () => number } => {
  let subscriptions = 0
  const counted$ = defer(() => {
    subscriptions++
    return client.depth$(weth, 1)
  })
  return { subscription: counted$.pipe(orThrow(), retry()).subscribe(), retries: () => subscriptions - 1 }
}

describe('a mint whose response requests a wait', () => {
  const reported = collectUnhandledErrors()

  it.each([1, 2])(
    'gets one request in the wait from %i subscribers that retry without a delay',
    async (count) => {
      const { client, paths } = await startBusyRelayer()
      const retrying = Array.from({ length: count }, () => retryForever(client))
      await eventually(() => retrying.forEach(({ retries }) => expect(retries()).toBeGreaterThan(20)))
      await roundTrip(client)
      expect(paths.filter((path) => path.endsWith(weth)).length).toBe(1)
      retrying.forEach(({ subscription }) => expect(subscription.closed).toBe(false))
      expect(reported).toEqual([])
    },
  )

  it('gets one request in the wait from a subscriber that retries without a delay while another one stays', async () => {
    const { client, paths } = await startBusyRelayer()
    const other = collectEvents(client.depth$(weth, 1))
    const { subscription, retries } = retryForever(client)
    await eventually(() => expect(retries()).toBeGreaterThan(20))
    await roundTrip(client)
    expect(paths.filter((path) => path.endsWith(weth)).length).toBe(1)
    expect(other.tags()).toEqual(['HttpError'])
    expect(subscription.closed).toBe(false)
    expect(reported).toEqual([])
  })

  it('gets no request when subscribers return, with any interval and spelling, and they receive the failure', async () => {
    const { client, paths } = await startBusyRelayer()
    const first = collectEvents(client.depth$(weth, 1))
    await eventually(() => expect(first.tags()).toEqual(['HttpError']))
    first.subscription.unsubscribe()
    const returning = [
      collectEvents(client.depth$(weth, 1)),
      collectEvents(client.depth$(weth, 7)),
      collectEvents(client.depth$(`0x${weth.slice(2).toUpperCase()}`, 1)),
    ]
    await eventually(() => returning.forEach(({ events }) => expect(events).toEqual(first.events)))
    expect(client.inspect().polls).toMatchObject([
      { interval: 1, subscribers: 2, lastResult: 'HttpError' },
      { interval: 7, subscribers: 1, lastResult: 'HttpError' },
    ])
    await roundTrip(client)
    expect(paths.filter((path) => path.endsWith(weth)).length).toBe(1)
  })

  it('is requested by depth() at once', async () => {
    const { client, paths } = await startBusyRelayer()
    const first = collectEvents(client.depth$(weth, 1))
    await eventually(() => expect(first.tags()).toEqual(['HttpError']))
    expect(await client.depth(weth)()).toMatchObject({ left: { retryAfterMs: 30_000 } })
    expect(paths.length).toBe(2)
  })
})
