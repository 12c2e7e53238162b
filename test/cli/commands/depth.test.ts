import { expect, test } from 'vitest'
import { wbtc, weth } from '../../support/tokens.js'
import { manualMarket } from '../../support/manual-market.js'
import { authKey, startTestSimulator } from '../../support/simulator.js'
import { newFile } from '../support/new-file.js'
import { environmentOf } from '../support/environment-of.js'
import { runInProcess } from '../support/in-process.js'

test('prints a plain table into a pipe, in CI too', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const { code, stdout, stderr } = await runInProcess(['depth', weth], {
    ...environmentOf(simulator),
    CI: 'true',
  })
  expect({ code, stdout: stdout.replace(/\d{4}-\S+Z/, 'TIME'), stderr }).toMatchInlineSnapshot(`
    {
      "code": 0,
      "stderr": "",
      "stdout": "ETH at 2500.0000 USD, TIME
              USD  QUANTITY
    buy   7500.00         3
    sell  2500.00         1
    ",
    }
  `)
})

test('FORCE_COLOR enables colours in a pipe, and NO_COLOR disables them', async () => {
  const variables = {
    ...environmentOf(await startTestSimulator({ market: manualMarket() })),
    FORCE_COLOR: '1',
  }
  const coloured = await runInProcess(['depth', weth], variables)
  const plain = await runInProcess(['depth', weth], { ...variables, NO_COLOR: '1' })
  expect(coloured.stdout).toContain('\u001b[')
  expect(plain.stdout).not.toContain('\u001b[')
})

test('--json prints the depth with exact quantities', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const { code, stdout } = await runInProcess(['depth', `svc-${wbtc}`, '--json'], environmentOf(simulator))
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    topic: `svc-${wbtc}`,
    symbol: 'BTC',
    mint: wbtc,
    price: 60_000,
    buy: { totalQuantity: '100000000', totalQuantityUsd: 60_000 },
  })
})

test('requires no address of the price reporter', async () => {
  const { SVC_BASE_URL, SVC_AUTH_KEY } = environmentOf(await startTestSimulator({ market: manualMarket() }))
  expect(await runInProcess(['depth', weth], { SVC_BASE_URL, SVC_AUTH_KEY })).toMatchObject({
    code: 0,
    stderr: '',
  })
})

test('exits with 1 and a hint for a wrong key, without printing the key', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const result = await runInProcess(['depth', weth], { ...environmentOf(simulator), SVC_AUTH_KEY: authKey })
  expect(result).toMatchInlineSnapshot(`
    {
      "code": 1,
      "stderr": "error: the service rejected the signature (401: Unauthorized); check the auth key; see https://github.com/svc-streams/svc-streams/blob/main/docs/reference/errors.md#unauthorized
    Check that --auth-key (SVC_AUTH_KEY) is the key of the service at --base-url (SVC_BASE_URL), in the right environment. The client has already corrected the clock offset.
    ",
      "stdout": "",
    }
  `)
})

test('takes a symbol of a file, and prints quantities with its decimals', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const file = newFile('tokens.json', JSON.stringify({ WETH: { address: weth, decimals: 15 } }))
  const { code, stdout } = await runInProcess(['depth', 'WETH', '--tokens', file], environmentOf(simulator))
  expect(code).toBe(0)
  expect(stdout).toMatch(/^WETH at 2500[^]*\nbuy +7500\.00 +3000\nsell +2500\.00 +1000\n$/)
})
