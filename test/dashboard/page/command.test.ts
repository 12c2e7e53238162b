import { once } from 'node:events'
import { startSimulator } from 'svc-streams/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { commandLine, startCommand, type CliProcess } from '../../cli/support/command.js'
import { environmentOf } from '../../cli/support/environment-of.js'
import { startGatewayInProcess } from '../../cli/support/gateway-in-process.js'
import { newHistoryFolder } from '../../cli/support/history-folder.js'
import { newFile } from '../../cli/support/new-file.js'
import { manualMarket } from '../../support/manual-market.js'
import { authKey, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic, wbtc, weth } from '../../support/tokens.js'
import { connectionOf, logOf, openDashboard, valueOf } from '../support/open-dashboard.js'

// The command in its own process, and its page in Chromium.

const startDashboardCommand = async (
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<CliProcess & { readonly url: string }> => {
  const command = startCommand(commandLine('dashboard', ...args), variables)
  await eventually(() => command.stdout.includes('\n'))
  return { ...command, url: command.stdout.trim() }
}

test('shows what the service sends, its loss and its return, without a reload', async () => {
  const market = manualMarket()
  const first = await startSimulator({ market, authKey })
  onTestFinished(() => first.close())
  const command = await startDashboardCommand([weth, wbtc, '0xdead'], environmentOf(first))
  const page = await openDashboard(command)
  await eventually(async () => {
    expect(await valueOf(page, weth, 'price')).toBe('2500.0000')
    expect(await valueOf(page, wbtc, 'price')).toBe('60000.0000')
    expect(await valueOf(page, '0xdead', 'state')).toBe('rejected')
    expect(await valueOf(page, weth, 'buy')).toBe('7500')
    expect(await valueOf(page, weth, 'sell')).toBe('2500')
  })
  for (const price of [2500.1234, 2499.5, 2501]) {
    market.update({ price })
    await eventually(async () => expect(await valueOf(page, weth, 'price')).toBe(price.toFixed(4)))
  }
  await first.close()
  await eventually(async () => expect(await connectionOf(page)).toBe('service lost'))
  await eventually(async () => {
    for (const token of [weth, wbtc, '0xdead']) expect(await valueOf(page, token, 'state')).toBe('down')
  })
  const [httpPort, wsPort] = [first.baseUrl, first.priceWsUrl].map((url) => Number(new URL(url).port))
  await startTestSimulator({ market, authKey, httpPort: httpPort ?? 0, wsPort: wsPort ?? 0 })
  await eventually(async () => {
    expect(await connectionOf(page)).toBe('connected')
    expect(await valueOf(page, weth, 'state')).toBe('live')
    expect(await valueOf(page, wbtc, 'state')).toBe('live')
  })
  expect((await logOf(page)).some((text) => text.startsWith('Connected again after'))).toBe(true)
  // While the page is open.
  command.process.kill('SIGINT')
  expect(await command.waitForExit()).toBe(0)
})

test('shows a gateway, and the end of its own process', async () => {
  const first = await startDashboardCommand(['--simulate'])
  const second = await startDashboardCommand(['--gateway', first.url, weth])
  const page = await openDashboard(second)
  await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('live'))
  second.process.kill('SIGKILL')
  await once(second.process, 'close')
  await eventually(async () => {
    expect(await connectionOf(page)).toBe('dashboard stopped')
    expect(await valueOf(page, weth, 'state')).toBe('down')
  })
})

test('shows the history of a gateway, also after a reload', async () => {
  const at = Date.now() - 120_000
  const folder = newHistoryFolder([
    [at, 2400],
    [at + 1000, 2600],
  ])
  const service = environmentOf(await startTestSimulator({ market: manualMarket(), authKey }))
  const gateway = await startGatewayInProcess(['--history', folder], service)
  const page = await openDashboard(await startDashboardCommand(['--gateway', gateway.url, weth]))
  const chart = page.locator(`[data-token="${weth}"] .chart`)
  for (const open of [async () => undefined, () => page.reload()]) {
    await open()
    await eventually(async () => {
      expect(await valueOf(page, weth, 'price')).toBe('2500.0000')
      expect(await chart.getAttribute('aria-label')).toBe('Chart: lowest 2,400.0000, highest 2,600.0000 USD')
    })
  }
})

test('shows a recording, and its end', async () => {
  const rows = [
    { _tag: 'Recording', version: 1, at: 0, topics: [ethTopic], mints: [], interval: 1000 },
    { _tag: 'Status', at: 1, status: { _tag: 'Open', epoch: 1, since: 0 } },
    ...[2500, 2600, 2700].map((price, index) => ({
      _tag: 'Price',
      at: 2 + index * 1000,
      topic: ethTopic,
      event: { _tag: 'Right', right: { topic: ethTopic, price, receivedAt: 2 + index, epoch: 1 } },
    })),
    { _tag: 'Status', at: 6000, status: { _tag: 'Open', epoch: 1, since: 0 } },
  ]
  const file = newFile('market.ndjson', rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const page = await openDashboard(await startDashboardCommand(['--recording', file]))
  await eventually(async () => expect(await valueOf(page, weth, 'price')).toBe('2700.0000'))
  await eventually(async () => {
    expect(await connectionOf(page)).toBe('service lost')
    expect(await page.locator('[role="status"]').textContent()).toContain('the recording has ended')
    expect(await valueOf(page, weth, 'state')).toBe('down')
  })
  expect(await valueOf(page, weth, 'price')).toBe('2700.0000')
})
