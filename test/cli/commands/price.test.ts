import { expect, test } from 'vitest'
import { weth } from '../../support/tokens.js'
import { manualMarket } from '../../support/manual-market.js'
import { findUnusedPort } from '../../support/network/servers.js'
import { startTestSimulator } from '../../support/simulator.js'
import { newFile } from '../support/new-file.js'
import { environmentOf } from '../support/environment-of.js'
import { runInProcess } from '../support/in-process.js'

test('prints only the number, in plain decimal notation, by address and topic, from variables and flags', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  expect(await runInProcess(['price', weth], environmentOf(simulator))).toEqual({
    code: 0,
    stdout: '2500.0000\n',
    stderr: '',
  })
  expect(await runInProcess(['price', `svc-${weth}`, '--price-base-url', simulator.priceBaseUrl])).toEqual({
    code: 0,
    stdout: '2500.0000\n',
    stderr: '',
  })
})

test('--json prints all fields of the price, and the symbol', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const { code, stdout } = await runInProcess(['price', weth, '--json'], environmentOf(simulator))
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    {
      topic: `svc-${weth}`,
      symbol: 'ETH',
      price: 2500,
      receivedAt: expect.any(Number) as number,
      epoch: 0,
    },
  ])
})

test('ignores variables that a price does not need', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const variables = { SVC_PRICE_BASE_URL: simulator.priceBaseUrl, SVC_AUTH_KEY: '$', SVC_BASE_URL: 'no' }
  expect(await runInProcess(['price', weth], variables)).toMatchObject({ code: 0, stdout: '2500.0000\n' })
})

test('exits with 1 and a hint for an unsupported token', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  expect(await runInProcess(['price', '0xdead'], environmentOf(simulator))).toMatchInlineSnapshot(`
    {
      "code": 1,
      "stderr": "error: the service does not support the pair 0xdead / 0xaf88d065e77c8cc2239327c5edb3a432268e5831; see https://github.com/svc-streams/svc-streams/blob/main/docs/reference/errors.md#unsupportedpair
    Check the token and --environment: a token has another address in each environment.
    ",
      "stdout": "",
    }
  `)
})

test('exits with 1 and a hint for a refused connection', async () => {
  const port = await findUnusedPort()
  const { code, stdout, stderr } = await runInProcess([
    'price',
    '0xab',
    '--price-base-url',
    `http://127.0.0.1:${port}`,
  ])
  expect({ code, stdout, stderr: stderr.replaceAll(String(port), 'PORT') }).toMatchInlineSnapshot(`
    {
      "code": 1,
      "stderr": "error: no response: connect ECONNREFUSED 127.0.0.1:PORT; see https://github.com/svc-streams/svc-streams/blob/main/docs/reference/errors.md#networkerror
    Check that the service runs, and that --price-base-url (SVC_PRICE_BASE_URL) is its address.
    ",
      "stdout": "",
    }
  `)
})

test('--simulate needs no configuration', async () => {
  const { code, stdout, stderr } = await runInProcess(['price', weth, '--simulate'])
  expect([code, stderr]).toEqual([0, ''])
  expect(Number(stdout)).toBeGreaterThan(0)
})

test('takes a symbol of the simulator in any case, or of a file', async () => {
  const { code, stdout, stderr } = await runInProcess(['price', '--simulate', 'eth', '--json'])
  expect([code, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toMatchObject({ topic: `svc-${weth}`, symbol: 'ETH' })
  const simulator = await startTestSimulator({ market: manualMarket() })
  const file = newFile('tokens.json', JSON.stringify({ WETH: { address: weth, decimals: 18 } }))
  const ofFile = await runInProcess(['price', 'WETH', '--tokens', file, '--json'], environmentOf(simulator))
  expect(ofFile).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(ofFile.stdout)).toMatchObject({ topic: `svc-${weth}`, symbol: 'WETH', price: 2500 })
})

test('takes a symbol of SVC_TOKENS, as the command simulate prints it', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const variables = { ...environmentOf(simulator), SVC_TOKENS: `ETH=${weth}` }
  expect(await runInProcess(['price', 'ETH'], variables)).toMatchObject({ code: 0, stderr: '' })
  expect(await runInProcess(['price', 'BTC'], variables)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('unknown token "BTC"\nKnown symbols: ETH.') as string,
  })
})

test('exits with 2 for a file that is invalid, and says where', async () => {
  const file = newFile('tokens.json', '{ "WETH": { "address": "82af", "decimals": 18 } }')
  expect(await runInProcess(['price', 'WETH', '--simulate', '--tokens', file])).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: --tokens: ${file}: WETH.address: expected 0x and hex digits, got "82af"\nTry: npx svc-streams price --help\n`,
  })
})

test.each(['WETH:0x82af', 'WETH=0x82zz'])('exits with 2 for the entry %s of SVC_TOKENS', async (entry) => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const variables = { ...environmentOf(simulator), SVC_TOKENS: entry }
  for (const args of [
    ['price', 'WETH'],
    ['depth', weth],
    ['watch', 'WETH'],
    ['record', '--simulate'],
    ['replay', '-'],
  ]) {
    expect(await runInProcess(args, variables)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(
        `error: SVC_TOKENS: invalid entry "${entry}": expected SYMBOL=0x…`,
      ) as string,
    })
  }
})

test('takes a symbol of SVC_TOKENS with --simulate', async () => {
  const variables = { SVC_TOKENS: `WETH=${weth}` }
  const { code, stdout, stderr } = await runInProcess(['price', 'WETH', '--simulate', '--json'], variables)
  expect([code, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toMatchObject({ topic: `svc-${weth}`, symbol: 'WETH' })
})
