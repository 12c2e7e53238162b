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

// A suspend of the machine: the wall clock proceeds, the monotonic clock and all timers stand still.

const hour = 3_600_000

const suspendMachine = (): void => {
  const now = Date.now.bind(Date)
  const dateNow = vi.spyOn(Date, 'now').mockImplementation(() => now() + hour)
  onTestFinished(() => dateNow.mockRestore())
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
    expect(late.events).toMatchObject([{ left: { _tag: 'Stale', last: { price: 1, epoch: 1 } } }])
    expect(late.events).toMatchObject([{ left: { silentForMs: expect.closeTo(hour, -4) as number } }])
    for (const { tags } of prices) expect(tags()).toEqual(['Right', 'Stale'])
    expect(client.inspect().topics.map(({ state }) => state)).toEqual(['stale', 'stale'])
    // One when the connection opened, one after the suspend.
    await eventually(() => expect(service.connections[0]?.pingCount()).toBe(2))
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

  it('a price that the service sent before its pong is not delivered', async () => {
    const service = await startService(false)
    const client = createPriceClient(service.url)
    const { events, tags, values } = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(tags()).toEqual(['Right']))
    const [connection] = service.connections
    // Answers the ping that the client sent when the connection opened.
    connection!.sendPong()
    connection!.sendPrice(ethTopic, 1)
    await eventually(() => expect(values()).toHaveLength(2))
    suspendMachine()
    // From before the suspend: the system held these frames.
    connection!.sendPrice(ethTopic, 2)
    connection!.sendPing()
    connection!.sendConfirmation(ethTopic)
    await eventually(() => expect(connection!.pingCount()).toBe(2))
    connection!.sendPrice(ethTopic, 3)
    connection!.sendPong()
    connection!.sendPrice(ethTopic, 4)
    await eventually(() => expect(values()).toHaveLength(3))
    expect(events).toMatchObject([
      { right: { price: 1 } },
      { right: { price: 1 } },
      { left: { _tag: 'Stale' } },
      { right: { price: 4, epoch: 1 } },
    ])
  })

  it('a socket without a pong is replaced, although frames arrive', async () => {
    const service = await startService(false)
    const reconnect = { initialDelay: 1, maxDelay: 1 }
    const client = createPriceClient(service.url, { pingInterval: 30_000, pongTimeout: 200, reconnect })
    const { tags, values } = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(tags()).toEqual(['Right']))
    suspendMachine()
    await eventually(() => {
      service.connections[0]!.sendPrice(ethTopic, 9)
      expect(values()).toHaveLength(2)
    })
    expect(tags()).toEqual(['Right', 'Stale', 'Disconnected', 'Right'])
    expect(values()[1]).toMatchObject({ price: 2, epoch: 2 })
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
