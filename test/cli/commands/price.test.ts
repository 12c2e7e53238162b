import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { weth } from '../../support/tokens.js'
import { manualMarket } from '../../support/manual-market.js'
import { startTestSimulator } from '../../support/simulator.js'
import { runCommand, environmentOf } from '../support/command.js'

/** A port without a listener. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('prints only the number, by address and topic, from variables and flags', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  expect(await runCommand(['price', weth], environmentOf(simulator))).toEqual({
    code: 0,
    stdout: '2500\n',
    stderr: '',
  })
  expect(await runCommand(['price', `svc-${weth}`, '--price-base-url', simulator.priceBaseUrl])).toEqual({
    code: 0,
    stdout: '2500\n',
    stderr: '',
  })
})

test('--json prints all fields of the price', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const { code, stdout } = await runCommand(['price', weth, '--json'], environmentOf(simulator))
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    { topic: `svc-${weth}`, price: 2500, receivedAt: expect.any(Number) as number, epoch: 0 },
  ])
})

test('ignores variables that a price does not need', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const variables = { SVC_PRICE_BASE_URL: simulator.priceBaseUrl, SVC_AUTH_KEY: '$', SVC_BASE_URL: 'no' }
  expect(await runCommand(['price', weth], variables)).toMatchObject({ code: 0, stdout: '2500\n' })
})

test('exits with 1 and a hint for an unsupported token', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  expect(await runCommand(['price', '0xdead'], environmentOf(simulator))).toMatchInlineSnapshot(`
    {
      "code": 1,
      "stderr": "error: UnsupportedPair: the service does not support the pair 0xdead / 0xaf88d065e77c8cc2239327c5edb3a432268e5831
    Check the token and --environment: a token has another address in each environment.
    ",
      "stdout": "",
    }
  `)
})

test('exits with 1 and a hint for a refused connection', async () => {
  const port = await freePort()
  const { code, stdout, stderr } = await runCommand([
    'price',
    '0xab',
    '--price-base-url',
    `http://127.0.0.1:${port}`,
  ])
  expect({ code, stdout, stderr: stderr.replaceAll(String(port), 'PORT') }).toMatchInlineSnapshot(`
    {
      "code": 1,
      "stderr": "error: NetworkError: no response: connect ECONNREFUSED 127.0.0.1:PORT
    Check that the service runs, and that --price-base-url (SVC_PRICE_BASE_URL) is its address.
    ",
      "stdout": "",
    }
  `)
})

test('--simulate needs no configuration', async () => {
  const { code, stdout, stderr } = await runCommand(['price', weth, '--simulate'])
  expect([code, stderr]).toEqual([0, ''])
  expect(Number(stdout)).toBeGreaterThan(0)
})
