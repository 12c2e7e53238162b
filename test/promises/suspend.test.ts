import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { collectEvents } from '../support/collect-events.js'
import {
  confirmAndSendPrice,
  createPriceClient,
  startScriptedService,
  type ScriptedService,
} from '../support/network/scripted-service.js'
import { createClientFor, startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { btcTopic, ethTopic, weth } from '../support/tokens.js'

// A suspend of the machine: the wall clock proceeds, the monotonic clock and all timers stand still but for a moment.

const hour = 3_600_000

const suspendMachine = (): void => {
  const now = Date.now.bind(Date)
  const uptime = performance.now.bind(performance)
  vi.spyOn(Date, 'now').mockImplementation(() => now() + hour)
  vi.spyOn(performance, 'now').mockImplementation(() => uptime() + 1)
  onTestFinished(() => void vi.restoreAllMocks())
}

const startService = (answersPings: boolean): Promise<ScriptedService> =>
  startScriptedService({ answersPings, onSubscribe: confirmAndSendPrice })

describe('after a suspend of the machine', () => {
  it('all topics are stale, for present and for new subscribers, until the next price', async () => {
    const service = await startService(true)
    const client = createPriceClient(service.url)
    const topics = [ethTopic, btcTopic]
    const prices = topics.map((topic) => collectEvents(client.price$(topic)))
    await eventually(() => prices.forEach(({ tags }) => expect(tags()).toEqual(['Right'])))
    suspendMachine()
    const late = collectEvents(client.price$(ethTopic))
    expect(client.inspect().topics.map(({ state }) => state)).toEqual(['stale', 'stale'])
    await eventually(() => {
      expect(late.events).toMatchObject([{ left: { _tag: 'Stale', last: { price: 1, epoch: 1 } } }])
    })
    expect(late.events).toMatchObject([{ left: { silentForMs: expect.closeTo(hour, -4) as number } }])
    for (const { tags } of prices) expect(tags()).toEqual(['Right', 'Stale'])
    // The first price may arrive before the pong.
    await eventually(() => {
      service.connections[0]?.sendPrice(ethTopic, 2)
      expect(late.values()).toMatchObject([{ price: 2, epoch: 1 }])
    })
    expect(prices[1]?.tags()).toEqual(['Right', 'Stale'])
    expect(service.connections).toHaveLength(1)
  })

  it('present subscribers receive Stale without a further event', async () => {
    const client = createPriceClient((await startService(true)).url)
    const { tags } = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(tags()).toEqual(['Right']))
    suspendMachine()
    await eventually(() => expect(tags()).toEqual(['Right', 'Stale']))
  })

  it('no price that the service sent before its answer to a ping is delivered', async () => {
    const service = await startService(false)
    const client = createPriceClient(service.url)
    const { tags, values } = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(tags()).toEqual(['Right']))
    const [connection] = service.connections
    connection!.answerPing()
    connection!.sendPrice(ethTopic, 1)
    await eventually(() => expect(values()).toHaveLength(2))
    const pings = connection!.pingCount()
    suspendMachine()
    // From before the suspend: the system held these frames.
    connection!.sendPrice(ethTopic, 2)
    connection!.sendPing()
    connection!.sendConfirmation(ethTopic)
    await eventually(() => expect(connection!.pingCount()).toBeGreaterThan(pings))
    connection!.sendPrice(ethTopic, 3)
    connection!.answerPing()
    connection!.sendPrice(ethTopic, 4)
    await eventually(() => expect(values()).toHaveLength(3))
    expect(values()).toMatchObject([{ price: 1 }, { price: 1 }, { price: 4, epoch: 1 }])
  })

  it('a new subscriber of a poll receives no depth from before', async () => {
    const client = createClientFor(await startTestSimulator())
    const present = collectEvents(client.depth$(weth, 60_000))
    await eventually(() => expect(present.tags()).toEqual(['Right']))
    expect(collectEvents(client.depth$(weth, 60_000)).tags()).toEqual(['Right'])
    suspendMachine()
    expect(collectEvents(client.depth$(weth, 60_000)).tags()).toEqual([])
  })
})
