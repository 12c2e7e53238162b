import { expect, test } from 'vitest'
import { manualMarket } from '../../support/manual-market.js'
import { startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { wbtc, weth } from '../../support/tokens.js'
import { environmentOf } from '../support/environment-of.js'
import { startGatewayInProcess } from '../support/gateway-in-process.js'
import { newHistoryFolder } from '../support/history-folder.js'
import { runInProcess, startInProcess } from '../support/in-process.js'

/** The flags of a gateway, and the market of its service. */
const serve = async (...flags: readonly string[]) => {
  const market = manualMarket()
  const service = environmentOf(await startTestSimulator({ market }))
  const gateway = await startGatewayInProcess(flags, service)
  return { market, source: ['--no-depth', '--gateway', gateway.url] }
}

const at = Date.now() - 300_000

/** Two prices in the last 10 minutes, and one before. */
const prices = [
  [at - 600_000, 1000],
  [at, 2400],
  [at + 1000, 2600],
] as const

test('watch --since prints the change to the first price since then, and none of a token without one', async () => {
  const { market, source } = await serve('--history', newHistoryFolder(prices))
  const command = startInProcess(['watch', weth, wbtc, '--since', '10m', ...source])
  const since = ` since ${new Date(at).toISOString()}\n`
  // A price may arrive before the history has been read, which it does not wait for.
  await eventually(() => {
    market.update({ price: 2520 })
    market.update({ price: 2300 })
    expect(command.stdout).toContain(` ETH price 2520.0000 USD, +5.00 %${since}`)
    expect(command.stdout).toContain(` ETH price 2300.0000 USD, -4.17 %${since}`)
    expect(command.stdout).toContain(' BTC price 60000.0000 USD\n')
  })
})

test('watch --since --json adds the price of that time, and its time', async () => {
  const { market, source } = await serve('--history', newHistoryFolder(prices))
  const command = startInProcess(['watch', weth, '--since', '10m', '--json', ...source])
  await eventually(() => {
    market.update({ price: 2520 })
    market.update({ price: 2300 })
    return command.stdout.includes(`"since":{"price":2400,"at":${at}}`)
  })
})

test('watch --since fails with a hint if the gateway has no history', async () => {
  const { source } = await serve()
  const { code, stderr } = await runInProcess(['watch', weth, '--since', '10m', ...source])
  const { host } = new URL(source.at(-1) ?? '')
  expect(code).toBe(1)
  expect(stderr.replace(host, 'HOST')).toMatchInlineSnapshot(`
    "error: --since: the gateway at HOST has no history
    Start the gateway with --history FOLDER, or remove --since.
    "
  `)
})

test('watch --since fails with the error if the history cannot be read', async () => {
  const { code, stderr } = await runInProcess([
    ...['watch', weth, '--since', '10m', '--no-depth'],
    ...['--gateway', 'http://127.0.0.1:1'],
  ])
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^error: --since: the history of the gateway at 127.0.0.1:1 cannot be read\nno response: [^\n]+; see https:\S+\/docs\/reference\/errors\.md#networkerror\nTry again, or remove --since.\n$/,
    ),
  ])
})

test('watch --since requires a history, and not that of a simulator', async () => {
  const source = ['--since', '10m', '--no-depth', '--simulate']
  const { code, stderr } = await runInProcess(['watch', weth, ...source])
  expect(code).toBe(2)
  expect(stderr).toContain('error: --since: needs the history of a gateway; set --gateway (SVC_GATEWAY)')
})
