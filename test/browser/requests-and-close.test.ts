import { describe, expect, it } from 'vitest'
import { manualMarket } from '../support/manual-market.js'
import { startHttpServer } from '../support/network/servers.js'
import { startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic, weth } from '../support/tokens.js'
import { shortEvent } from './support/events.js'
import { usePlatforms, type Drive } from './support/platforms.js'

const shortEvents = async (drive: Drive, name: string): Promise<readonly unknown[]> =>
  (await drive('events', name)).map(shortEvent)

describe.each(usePlatforms())('depth$ %s', (_platform, startClient) => {
  it.each([{}, { quantitiesAsText: true }])('has exact quantities of any size (%j)', async (faults) => {
    const market = manualMarket()
    const simulator = await startTestSimulator({ market, cors: true, faults })
    const drive = await startClient(simulator)
    // The market runs while there is a subscriber.
    await drive('subscribe', 'price', 'price$', ethTopic)
    await eventually(async () => expect(await shortEvents(drive, 'price')).toEqual([2500]))
    market.update({ buy: 10n ** 40n + 7n, sell: 2n ** 53n + 1n })
    expect(await drive('depth', weth)).toMatchObject({
      right: {
        buy: { totalQuantity: String(10n ** 40n + 7n) },
        sell: { totalQuantity: String(2n ** 53n + 1n) },
      },
    })
  })

  it('shares one poll, whose result a late subscriber receives at once', async () => {
    const simulator = await startTestSimulator({ market: manualMarket(), cors: true })
    const drive = await startClient(simulator)
    await drive('subscribe', 'a', 'depth$', weth, 60_000)
    await eventually(async () => expect(await shortEvents(drive, 'a')).toEqual([2500]))
    const upper = `0x${weth.slice(2).toUpperCase()}`
    expect(await drive('subscribe', 'b', 'depth$', upper, 60_000)).toMatchObject([{ right: { mint: upper } }])
    expect(simulator.requests.filter(({ method }) => method === 'GET')).toHaveLength(1)
  })

  it('sends one request at a time, and aborts it when the last subscriber has left for `linger`', async () => {
    let requests = 0
    let aborted = 0
    const baseUrl = await startHttpServer((request, response) => {
      response.setHeader('Access-Control-Allow-Origin', '*').setHeader('Access-Control-Allow-Headers', '*')
      if (request.method === 'OPTIONS') return void response.end()
      requests++
      response.on('close', () => aborted++)
    })
    const drive = await startClient({ baseUrl })
    await drive('subscribe', 'a', 'depth$', weth, 1)
    await drive('subscribe', 'b', 'depth$', weth, 1)
    await eventually(() => expect(requests).toBe(1))
    await drive('unsubscribe', 'a')
    await drive('run', [['turn'], ['turn']])
    expect({ requests, aborted }).toEqual({ requests: 1, aborted: 0 })
    await drive('unsubscribe', 'b')
    await eventually(() => expect(aborted).toBe(1))
    expect(requests).toBe(1)
  })

  it('continues after a failure', async () => {
    const simulator = await startTestSimulator({
      market: manualMarket(),
      cors: true,
      faults: { httpStatus: 429 },
    })
    const drive = await startClient(simulator)
    await drive('subscribe', 'a', 'depth$', weth, 1)
    await eventually(async () => expect(await shortEvents(drive, 'a')).toContain('HttpError'))
    simulator.inject({})
    await eventually(async () => expect((await shortEvents(drive, 'a')).at(-1)).toBe(2500))
  })

  it.each([
    ['InvalidMint', 'weth', 1000],
    ['InvalidInterval', weth, 0],
  ])('emits %s and completes', async (tag, mint, interval) => {
    const drive = await startClient({})
    expect((await drive('subscribe', 'a', 'depth$', mint, interval)).map(shortEvent)).toEqual([
      tag,
      'complete',
    ])
  })
})

describe.each(usePlatforms())('close() %s', (_platform, startClient) => {
  it('completes all streams, ends requests in flight and later ones with ClientClosed', async () => {
    const simulator = await startTestSimulator({ market: manualMarket(), cors: true })
    const drive = await startClient(simulator)
    for (const call of [['status$'], ['errors$'], ['price$', ethTopic], ['depth$', weth, 60_000]] as const)
      await drive('subscribe', call[0], ...call)
    await eventually(async () => {
      expect(await shortEvents(drive, 'price$')).toEqual([2500])
      expect(await shortEvents(drive, 'depth$')).toEqual([2500])
    })
    simulator.inject({ stall: true })
    const pending = drive('price', ethTopic)
    await eventually(() => simulator.requests.length > 1)
    await drive('close')
    expect(shortEvent(await pending)).toBe('ClientClosed')
    expect(await shortEvents(drive, 'price$')).toEqual([2500, 'complete'])
    expect(await shortEvents(drive, 'depth$')).toEqual([2500, 'complete'])
    expect(await shortEvents(drive, 'status$')).toEqual(['Idle', 'Connecting', 'Open', 'Closed', 'complete'])
    expect(await shortEvents(drive, 'errors$')).toEqual(['complete'])
    expect((await drive('subscribe', 'late', 'price$', ethTopic)).map(shortEvent)).toEqual([
      'ClientClosed',
      'complete',
    ])
    expect(shortEvent(await drive('depth', weth))).toBe('ClientClosed')
  })
})
