import { expect, test } from 'vitest'
import type { GatewayOptions } from 'svc-streams/gateway'
import { startTestGateway } from '../../gateway/support/start-test-gateway.js'
import { manualMarket } from '../../support/manual-market.js'
import { findUnusedPort } from '../../support/network/servers.js'
import { authKey, createClientFor, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { weth } from '../../support/tokens.js'
import { environmentOf } from '../support/environment-of.js'
import { startGatewayInProcess } from '../support/gateway-in-process.js'
import { runInProcess, startInProcess } from '../support/in-process.js'

/** A gateway of a simulator. */
const startService = async (options: GatewayOptions = {}) => {
  const market = manualMarket()
  const simulator = await startTestSimulator({ market })
  const gateway = await startTestGateway(createClientFor(simulator), options)
  return { market, simulator, gateway, url: gateway.baseUrl }
}

const keys = { desk: 'AAAA' }

test('watch shows prices and depth of the gateway, over one connection to the service', async () => {
  const { market, simulator, url } = await startService()
  const commands = [1, 2].map(() => startInProcess(['watch', weth, '--gateway', url]))
  for (const command of commands) {
    await eventually(() => command.stdout.includes(' ETH price 2500.0000 USD'))
    await eventually(() => command.stdout.includes(' ETH depth 2500.0000 USD, buy 7500.00 USD 3 ETH'))
  }
  market.update({ price: 2600 })
  for (const command of commands) await eventually(() => command.stdout.includes(' ETH price 2600.0000 USD'))
  expect(simulator.connections).toHaveLength(1)
  for (const command of commands) {
    command.process.kill('SIGINT')
    expect([await command.waitForExit(), command.stderr]).toEqual([0, ''])
  }
})

test('watch --json prints a price that the gateway already had with the time at which it had it', async () => {
  const { market, gateway, url } = await startService()
  const first = startInProcess(['watch', weth, '--json', '--no-depth', '--gateway', url])
  await eventually(() => first.stdout.includes('"price":2500'))
  market.update({ price: 2600 })
  await eventually(() => first.stdout.includes('"price":2600'))
  const seenAt = Date.now()
  await eventually(() => Date.now() - seenAt >= 50)
  const second = startInProcess(['watch', weth, '--json', '--no-depth', '--gateway', url])
  await eventually(() => second.stdout.includes('"price":2600'))
  const [, at, receivedAt] = /"at":(\d+),.*"price":2600,"receivedAt":(\d+)/.exec(second.stdout) ?? []
  expect(Number(at) - Number(receivedAt)).toBeGreaterThanOrEqual(50)
  expect(gateway.inspect().connections).toBe(2)
})

test('price and depth request from the gateway, whatever the variables of the service', async () => {
  const { url } = await startService()
  const port = await findUnusedPort()
  const other = `http://127.0.0.1:${port}`
  const variables = environmentOf({ baseUrl: other, priceBaseUrl: other, priceWsUrl: other, authKey })
  expect(await runInProcess(['price', weth, '--gateway', url], variables)).toEqual({
    code: 0,
    stdout: '2500.0000\n',
    stderr: '',
  })
  const { code, stdout } = await runInProcess(['depth', weth], { ...variables, SVC_GATEWAY: url })
  expect([code, stdout]).toEqual([0, expect.stringContaining('ETH at 2500.0000 USD')])
})

test('record writes what the gateway sends', async () => {
  const { url } = await startService()
  const command = startInProcess(['record', weth, '--gateway', url, '--interval', '50'])
  await eventually(() => command.stdout.includes('"Price"') && command.stdout.includes('"totalQuantity"'))
  command.process.kill('SIGINT')
  expect([await command.waitForExit(), command.stderr]).toEqual([0, ''])
})

test('signs depth requests with the key of --auth-key or its variable', async () => {
  const { url } = await startService({ keys })
  const succeeded = { code: 0, stderr: '' }
  const variables = { SVC_GATEWAY: url, SVC_AUTH_KEY: keys.desk }
  expect(await runInProcess(['depth', weth], variables)).toMatchObject(succeeded)
  const flags = ['--auth-key', keys.desk]
  expect(await runInProcess(['depth', weth, ...flags], { SVC_GATEWAY: url })).toMatchObject(succeeded)
})

test.each([
  ['a wrong key', [authKey]],
  ['no key', []],
])('names the flag of the key after a depth request with %s', async (_, [key]) => {
  const { url } = await startService({ keys })
  const args = [weth, '--gateway', url]
  const variables = { SVC_AUTH_KEY: key }
  const advice =
    'Set --auth-key (SVC_AUTH_KEY) to one of the keys of the gateway at --gateway (SVC_GATEWAY), with ?access_token=… if it needs one.\n'
  expect(await runInProcess(['depth', ...args], variables)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^error: the service rejected the signature /) as string,
  })
  expect((await runInProcess(['depth', ...args], variables)).stderr).toContain(advice)
  const command = startInProcess(['record', ...args, '--interval', '50'], variables)
  await eventually(() => command.stdout.includes('"_tag":"Unauthorized"'))
  command.process.kill('SIGINT')
  expect([await command.waitForExit(), command.stderr]).toEqual([
    1,
    expect.stringContaining(`error: the gateway rejected every depth request\n${advice}`),
  ])
})

test('watch reports a gateway that goes away, and recovers when it returns', async () => {
  const { simulator, gateway, url } = await startService()
  const command = startInProcess(['watch', weth, '--no-depth', '--gateway', url])
  await eventually(() => command.stdout.includes(' ETH price 2500.0000 USD'))
  await gateway.close()
  await eventually(() => command.stdout.includes(' ETH price error: connection down '))
  const pricesBefore = command.stdout.split('price 2500.0000 USD').length
  await startTestGateway(createClientFor(simulator), { port: Number(new URL(url).port) })
  await eventually(() => command.stdout.split('price 2500.0000 USD').length > pricesBefore)
})

test('names --gateway if nothing answers there', async () => {
  const url = `http://127.0.0.1:${await findUnusedPort()}`
  expect(await runInProcess(['price', weth, '--gateway', url])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'Check that the gateway runs, and that --gateway (SVC_GATEWAY) is its address, with ?access_token=… if it needs one.\n',
    ) as string,
  })
  const watched = await runInProcess(['watch', weth, '--duration', '1', '--gateway', url])
  expect(watched.code).toBe(1)
  expect(watched.stderr).toContain('Check --gateway (SVC_GATEWAY), or run npx svc-streams doctor.\n')
})

test('doctor checks the gateway', async () => {
  const { url } = await startService()
  const { code, stdout } = await runInProcess(['doctor', '--gateway', url])
  const lines = stdout.replace(/:\d+/g, ':PORT').replace(/\d+ ms/g, 'N ms')
  expect([code, lines]).toMatchInlineSnapshot(`
    [
      0,
      "price over HTTP  ok       ETH 2500.0000 USD, N ms
    first event      ok       ETH 2500.0000 USD, N ms
    depth            ok       depth of ETH, N ms
    clock            ok       within 1 s of the clock of the gateway
    signature        skipped  --auth-key (SVC_AUTH_KEY) is not set
    ",
    ]
  `)
})

test('doctor accepts the key of a gateway, and names --gateway if it is down', async () => {
  const { url, gateway } = await startService({ keys })
  const good = await runInProcess(['doctor', '--gateway', url, '--auth-key', keys.desk])
  expect([good.code, good.stdout]).toEqual([0, expect.stringContaining('signature        ok       accepted')])
  await gateway.close()
  const { code, stdout } = await runInProcess(['doctor', '--gateway', url])
  expect(code).toBe(1)
  expect(stdout).toMatch(/^price over HTTP {2}failed .* the gateway runs, .* --gateway \(SVC_GATEWAY\)/m)
  expect(stdout).toMatch(/^first event {6}failed .* the gateway runs, .* --gateway \(SVC_GATEWAY\)/m)
})

test.each([
  ['an invalid address', ['--gateway', 'gate'], '--gateway (SVC_GATEWAY): expected a URL like https://…'],
  [
    'an address of the service',
    ['--gateway', 'http://127.0.0.1:1', '--price-base-url', 'http://127.0.0.1:2'],
    '--price-base-url: cannot be combined with --gateway; remove one of them',
  ],
])('exits with 2 for %s', async (_, flags, message) => {
  for (const command of ['watch', 'price', 'depth', 'record']) {
    const { code, stderr } = await runInProcess([command, weth, ...flags])
    expect([code, stderr]).toEqual([2, expect.stringContaining(`error: ${message}`)])
  }
})

test('commands take the tokens of the gateway, by symbol or all, in a terminal without variables', async () => {
  const tokens = {
    ABC: { address: weth, decimals: 3 },
    '0xab': { address: weth },
    'A B': { address: weth },
  } as const
  const { url } = await startService({ symbols: tokens })
  expect(await (await fetch(`${url}/tokens`)).json()).toEqual(tokens)
  expect(await runInProcess(['price', 'abc', '--gateway', url])).toMatchObject({ stdout: '2500.0000\n' })
  const watching = startInProcess(['watch', '--gateway', url])
  await eventually(() =>
    watching.stdout.includes(' ABC depth 2500.0000 USD, buy 7500.00 USD 3000000000000000 ABC'),
  )
  const second = await startGatewayInProcess(['--gateway', url], {})
  expect(await runInProcess(['price', 'ABC', '--gateway', second.url])).toMatchObject({
    stdout: '2500.0000\n',
  })
  expect(second.command.stdout).toContain(`npx svc-streams watch --gateway ${second.url}\n`)
  expect((await runInProcess(['price', 'X', '--gateway', url])).stderr).toContain('Known symbols: ABC.')
})

test('watch has no error when the first of two gateways is closed', async () => {
  const { simulator, market, gateway, url } = await startService()
  const second = await startTestGateway(createClientFor(simulator))
  const gateways = `${url},${second.baseUrl}`
  const command = startInProcess(['watch', weth, '--interval', '50', '--gateway', gateways])
  const untilShown = (price: string) =>
    eventually(() => [' ETH price ', ' ETH depth '].every((text) => command.stdout.includes(text + price)))
  await untilShown('2500')
  await eventually(() =>
    expect([gateway, second].map((each) => each.inspect().topics.length)).toEqual([1, 1]),
  )
  market.update({ price: 2600 })
  await untilShown('2600')
  await gateway.close()
  market.update({ price: 2700 })
  await untilShown('2700')
  expect(command.stdout).not.toContain('error')
  expect(command.stdout).toContain('1 switch of the line')
})

test('commands use the second of two gateways while the first does not run', async () => {
  const { url } = await startService({ symbols: { ABC: { address: weth, decimals: 3 } } })
  const gateways = `http://127.0.0.1:${await findUnusedPort()},${url}`
  const run = (...args: readonly string[]) => runInProcess([...args, '--gateway', gateways])
  expect(await run('price', 'ABC')).toMatchObject({ stdout: '2500.0000\n' })
  expect((await run('depth', 'ABC')).stdout).toContain('ABC at 2500.0000 USD')
  const watching = startInProcess(['watch', '--gateway', gateways])
  await eventually(() => watching.stdout.includes(' ABC price 2500.0000 USD'))
  await eventually(() => watching.stdout.includes(' ABC depth 2500.0000 USD'))
  expect(watching.stdout).not.toContain('depth error')
})

test('a symbol that is unknown because the gateway does not answer is a failure with the reason', async () => {
  const url = `http://127.0.0.1:${await findUnusedPort()}`
  const { code, stderr } = await runInProcess(['price', 'ABC', '--gateway', url])
  expect(code).toBe(1)
  const { host } = new URL(url)
  expect(stderr).toMatch(
    new RegExp(
      `^error: cannot read the tokens of the gateway at ${host}: connect ECONNREFUSED.*\\nCheck that the gateway runs, and that --gateway .* is its address, with \\?access_token=… if it needs one\\.\\nunknown token "ABC"\\n`,
    ),
  )
})
