import { createClient, isLeft } from 'svc-streams'
import { expect, onTestFinished, test } from 'vitest'
import { environmentOf } from '../cli/support/environment-of.js'
import { startGatewayCommand } from '../cli/support/gateway-command.js'
import { collectEvents } from '../support/collect-events.js'
import { startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic } from '../support/tokens.js'

/** Starts two gateways, and a client with this number of lines to both. */
const start = async (lines: number) => {
  const simulator = await startTestSimulator({ tick: 20 })
  const startOne = (port = '0') =>
    startGatewayCommand(['--port', port, '--drain', '5s'], environmentOf(simulator))
  const gateways = await Promise.all([startOne(), startOne()])
  const client = createClient({
    environment: 'testnet',
    priceBaseUrl: gateways[0].url,
    priceWsUrl: gateways.map(({ url }) => url.replace('http', 'ws')),
    lines,
    reconnect: { initialDelay: 20, maxDelay: 100 },
  })
  onTestFinished(() => client.close())
  const { events, values } = collectEvents(client.price$(ethTopic))
  const restart = async (index: 0 | 1): Promise<void> => {
    gateways[index] = await startOne(new URL(gateways[index].url).port)
  }
  /** Waits until each line is open, over a gateway of its own. */
  const untilReady = () =>
    eventually(() => {
      const open = client.inspect().lines.filter(({ state, lagMs }) => state === 'open' && lagMs !== null)
      expect(new Set(open.map(({ url }) => url)).size).toBe(lines)
      expect(open).toHaveLength(lines)
    })
  const untilPrices = async (): Promise<void> => {
    const { length } = values()
    await eventually(() => expect(values().length).toBeGreaterThan(length + 5))
  }
  await untilReady()
  await untilPrices()
  return { client, gateways, restart, untilReady, untilPrices, failures: () => events.filter(isLeft) }
}

test('a consumer with two lines receives no Left when each gateway is killed in turn', async () => {
  const { gateways, restart, untilReady, untilPrices, failures } = await start(2)
  for (const index of [0, 1, 0] as const) {
    gateways[index].command.process.kill('SIGKILL')
    await gateways[index].command.waitForExit()
    await untilPrices()
    await restart(index)
    await untilReady()
  }
  expect(failures()).toEqual([])
})

test.each([
  ['one line', 1],
  ['two lines', 2],
] as const)(
  'a consumer with %s receives no Left when each gateway ends in turn, after its announcement',
  async (_, lines) => {
    const { client, gateways, restart, untilReady, untilPrices, failures } = await start(lines)
    for (const index of [0, 1, 0] as const) {
      gateways[index].command.process.kill('SIGTERM')
      expect(await gateways[index].command.waitForExit()).toBe(0)
      await untilPrices()
      await restart(index)
      await untilReady()
    }
    expect(failures()).toEqual([])
    const { status } = client.inspect()
    expect(status._tag === 'Open' && status.switches).toBeGreaterThan(1)
  },
)
