import { expect, test } from 'vitest'
import { manualMarket } from '../../support/manual-market.js'
import { findUnusedPort, startTcpServer } from '../../support/network/servers.js'
import { authKey, startTestSimulator } from '../../support/simulator.js'
import { environmentOf } from '../support/environment-of.js'
import { runInProcess } from '../support/in-process.js'

type Variables = Readonly<Record<string, string>>

const doctor = async (variables: Variables, ...flags: readonly string[]) => {
  const { code, stdout, stderr } = await runInProcess(['doctor', ...flags], variables)
  const lines = stdout.trim().split('\n')
  const results = new Map(lines.map((line) => [line.slice(0, 15).trim(), line.slice(17)]))
  return { code, lines, results, stderr, output: stdout + stderr }
}

const names = ['price over HTTP', 'first event', 'depth', 'clock', 'signature']

/** The variables of a simulator with these faults. */
const simulated = async (options: Parameters<typeof startTestSimulator>[0] = {}): Promise<Variables> =>
  environmentOf(await startTestSimulator({ market: manualMarket(), ...options }))

test('passes each check of a correct service, with one line each', async () => {
  const { code, lines, results, stderr } = await doctor(await simulated())
  expect([code, stderr]).toEqual([0, ''])
  expect([...results.keys()]).toEqual(names)
  expect(lines.join('\n').replace(/\d+ ms/g, 'N ms')).toMatchInlineSnapshot(`
    "price over HTTP  ok       ETH 2500.0000 USD, N ms
    first event      ok       ETH 2500.0000 USD, N ms
    depth            ok       depth of ETH, N ms
    clock            ok       within 1 s of the clock of the service
    signature        ok       accepted"
  `)
})

test('--simulate needs no configuration; --json prints one object per line', async () => {
  const { code, lines, stderr } = await doctor({}, '--simulate', '--json')
  expect([code, stderr]).toEqual([0, ''])
  const results = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  expect(results.map(({ check }) => check)).toEqual(names)
  expect(results[0]).toEqual({
    check: 'price over HTTP',
    result: 'ok',
    measured: expect.any(String) as string,
  })
})

test('is a usage error without a service, and with an invalid key, which it does not print', async () => {
  const missing = await doctor({})
  expect([missing.code, missing.stderr]).toEqual([
    2,
    expect.stringContaining('error: the service is not configured.'),
  ])
  const invalid = await doctor({ ...(await simulated()), SVC_AUTH_KEY: '$ecret$ecret' })
  expect([invalid.code, invalid.stderr]).toEqual([
    2,
    expect.stringContaining('error: --auth-key (SVC_AUTH_KEY): '),
  ])
  expect(invalid.output).not.toContain('ecret')
})

test('fails the signature for a wrong key, without printing the key', async () => {
  const { code, results, output } = await doctor({ ...(await simulated()), SVC_AUTH_KEY: authKey })
  expect(code).toBe(1)
  expect(results.get('depth')).toMatch(/^ok {7}answers, \d+ ms$/)
  expect(results.get('signature')).toMatch(
    /^failed {3}the service rejected the signature .*; check the auth key\. Check that --auth-key \(SVC_AUTH_KEY\) is the key of the service/,
  )
  expect(output).not.toContain(authKey.slice(0, 16))
})

test('skips depth and signature without an address, without a key, and on testnet', async () => {
  const variables = await simulated()
  for (const other of [{ SVC_AUTH_KEY: '' }, { SVC_BASE_URL: '' }, { SVC_ENVIRONMENT: 'testnet' }]) {
    const { code, results } = await doctor({ ...variables, ...other })
    const skipped = 'skipped  needs --base-url (SVC_BASE_URL) and --auth-key (SVC_AUTH_KEY), on mainnet'
    expect([code, results.get('depth'), results.get('signature')]).toEqual([0, skipped, skipped])
  }
})

test('fails the checks of a closed port, with the flag of its address', async () => {
  const port = await findUnusedPort()
  const { code, results, stderr } = await doctor({
    ...(await simulated()),
    SVC_PRICE_WS_URL: `ws://127.0.0.1:${port}`,
    SVC_BASE_URL: `http://127.0.0.1:${port}`,
  })
  expect([code, stderr]).toEqual([1, 'error: 2 of 5 checks failed\n'])
  expect(results.get('price over HTTP')).toMatch(/^ok /)
  expect(results.get('first event')).toMatch(/^failed {3}.*ECONNREFUSED.*--price-ws-url \(SVC_PRICE_WS_URL\)/)
  expect(results.get('depth')).toMatch(/^failed {3}.*ECONNREFUSED.*--base-url \(SVC_BASE_URL\)/)
  expect(results.get('clock')).toBe('skipped  no answer')
  expect(results.get('signature')).toBe('skipped  depth failed')
})

test('fails the first event when the upgrade is refused, and when there is no WebSocket', async () => {
  const refused = await doctor(await simulated({ faults: { refuseUpgrades: 503 } }))
  expect(refused.results.get('first event')).toMatch(/^failed {3}.*503/)
  const variables = await simulated()
  const http = await doctor({
    ...variables,
    SVC_PRICE_WS_URL: String(variables['SVC_PRICE_BASE_URL']).replace('http', 'ws'),
  })
  expect(http.results.get('first event')).toMatch(
    /^failed {3}connection down .*\. Check that the service runs/,
  )
  expect([refused.code, http.code]).toEqual([1, 1])
})

test('passes a service that does not list the requested token', async () => {
  const [, btc] = manualMarket().tokens
  const { code, results } = await doctor(
    await simulated({ market: { tokens: [btc!], open: () => () => undefined } }),
  )
  expect(code).toBe(0)
  expect(results.get('price over HTTP')).toMatch(/^ok {7}answers; does not list ETH, \d+ ms$/)
  expect(results.get('first event')).toMatch(/^ok {7}answers; does not list ETH, \d+ ms$/)
  expect(results.get('signature')).toBe('ok       accepted')
})

test('fails the clock, but not the signature, when the clocks differ', async () => {
  const { code, results } = await doctor(await simulated({ faults: { clockOffset: 60_000 } }))
  expect([code, results.get('signature')]).toEqual([1, expect.stringMatching(/^ok /)])
  expect(results.get('clock')).toMatch(
    /^failed {3}this machine is (?:59|60)\.\d s behind the service\. Set the clock of this machine/,
  )
})

test.each([
  [3000, 'behind'],
  [-3000, 'ahead of'],
])(
  'passes a service whose clock differs by %d ms, and says that this machine is %s it',
  async (clockOffset, word) => {
    const { results } = await doctor(await simulated({ faults: { clockOffset } }))
    expect(results.get('clock')).toMatch(
      new RegExp(`^ok {7}this machine is [234]\\.\\d s ${word} the service$`),
    )
  },
)

test('ends within its limits when nothing answers', async () => {
  const port = await startTcpServer(() => undefined)
  const url = `127.0.0.1:${port}`
  const { code, results } = await doctor(
    {
      SVC_PRICE_BASE_URL: `http://${url}`,
      SVC_PRICE_WS_URL: `ws://${url}`,
      SVC_BASE_URL: `http://${url}`,
      SVC_AUTH_KEY: authKey,
    },
    ...['--timeout', '300'],
  )
  expect(code).toBe(1)
  for (const name of ['price over HTTP', 'first event', 'depth'])
    expect(results.get(name)).toMatch(/^failed {3}no answer in 300 ms\. Check that the service runs, /)
  expect(results.get('clock')).toBe('skipped  no answer')
})

test('FORCE_COLOR colours the results, NO_COLOR does not', async () => {
  const variables = await simulated()
  const coloured = await doctor({ ...variables, FORCE_COLOR: '1' })
  const plain = await doctor({ ...variables, FORCE_COLOR: '1', NO_COLOR: '1' })
  expect(coloured.output).toContain('\u001b[32mok')
  expect(plain.output).not.toContain('\u001b')
})
