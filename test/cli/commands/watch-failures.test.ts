import { expect, test } from 'vitest'
import { manualMarket } from '../../support/manual-market.js'
import { startScriptedService } from '../../support/network/scripted-service.js'
import { startTcpServer } from '../../support/network/servers.js'
import { authKey, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { weth } from '../../support/tokens.js'
import { startOnTerminal } from '../support/terminal.js'
import { environmentOf } from '../support/environment-of.js'
import { runInProcess, startInProcess } from '../support/in-process.js'

test('exits with 1 when the service has rejected every token', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const { code, stdout, stderr } = await runInProcess(['watch', '0xdead', '0xbeef'], environmentOf(simulator))
  expect({ code, stderr }).toMatchInlineSnapshot(`
    {
      "code": 1,
      "stderr": "error: no token left to watch: the service rejected every token
    Check the tokens and --environment: a token has another address in each environment.
    ",
    }
  `)
  expect(stdout).toMatch(
    / 0xdead price error: .* rejected by the service: [^]* 0xbeef price error: .* rejected by the service: /,
  )
})

test('exits with 1 when no price has arrived after --duration, and prints the host and the last error', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  await simulator.close()
  const { host } = new URL(simulator.priceWsUrl)
  const { code, stderr } = await runInProcess(
    ['watch', weth, '--no-depth', '--duration', '1'],
    environmentOf(simulator),
  )
  expect(code).toBe(1)
  expect(stderr.replaceAll(host, 'HOST').replace(/attempt \d+ in \d+/, 'attempt N in N'))
    .toMatchInlineSnapshot(`
      "error: no price arrived from HOST in 1 s
      Last error: connection down (1006: connect ECONNREFUSED HOST); attempt N in N ms; see https://github.com/svc-streams/svc-streams/blob/main/docs/reference/errors.md#disconnected
      Check --price-base-url (SVC_PRICE_BASE_URL) and --price-ws-url (SVC_PRICE_WS_URL), or run npx svc-streams doctor.
      "
    `)
})

test('exits with 1 when the service accepts the connection and never answers', async () => {
  const port = await startTcpServer(() => undefined)
  const { code, stderr } = await runInProcess([
    ...['watch', weth, '--duration', '1'],
    ...['--price-base-url', `http://127.0.0.1:${port}`, '--price-ws-url', `ws://127.0.0.1:${port}`],
  ])
  expect(code).toBe(1)
  expect(stderr.replaceAll(String(port), 'PORT')).toMatchInlineSnapshot(`
    "error: no price arrived from 127.0.0.1:PORT in 1 s
    The connection did not open.
    Check --price-base-url (SVC_PRICE_BASE_URL) and --price-ws-url (SVC_PRICE_WS_URL), or run npx svc-streams doctor.
    "
  `)
})

test('exits with 1 when the service confirms the topic and sends no price for --duration', async () => {
  const { url } = await startScriptedService({
    onSubscribe: (connection, topic) => connection.sendConfirmation(topic),
  })
  const { code, stderr } = await runInProcess([
    ...['watch', weth, '--no-depth', '--duration', '2'],
    ...['--price-base-url', 'http://127.0.0.1', '--price-ws-url', url],
  ])
  expect(code).toBe(1)
  expect(stderr).toContain('The connection is open, but the service sent no price of these tokens.')
})

test.each([
  ['on SIGINT', [], 'SIGINT'],
  ['after --duration', ['--duration', '3'], undefined],
] as const)('exits with 1 %s when the service has rejected every signature', async (_, flags, signal) => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const command = startInProcess(['watch', weth, '--interval', '50', ...flags], {
    ...environmentOf(simulator),
    SVC_AUTH_KEY: authKey,
  })
  await eventually(() => command.stdout.includes(' ETH depth error: the service rejected the signature '))
  await eventually(() => command.stdout.includes(' ETH price 2500.0000 USD'))
  if (signal !== undefined) command.process.kill(signal)
  expect(await command.waitForExit()).toBe(1)
  expect(command.stderr).toBe(`\
error: the service rejected the signature of every depth request
Check that --auth-key (SVC_AUTH_KEY) is the key of the service at --base-url (SVC_BASE_URL), in the right environment. \
The client has already corrected the clock offset.
`)
  expect(command.output).not.toContain(authKey.slice(0, 16))
})

test('shows on a terminal that the service rejects the key, and exits with 1 on Ctrl-C', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const variables = { ...environmentOf(simulator), SVC_AUTH_KEY: authKey }
  const command = startOnTerminal(['watch', weth], variables, { columns: 80, rows: 24 })
  await eventually(() => command.stdout.includes('check --auth-key (SVC_AUTH_KEY).'))
  await eventually(() => command.stdout.includes('2,500.0000'))
  command.process.stdin?.write('\u0003')
  expect(await command.waitForExit()).toBe(1)
  expect(command.stdout).toContain('error: the service rejected the signature of every depth request')
})
