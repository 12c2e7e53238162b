import { left, right } from 'fp-ts/lib/Either.js'
import { depth } from 'svc-streams/testing'
import { expect, test } from 'vitest'
import { stale } from '../../../src/base/errors/constructors.js'
import type { RecordingHeader, Row } from '../../../src/backtest/recording/codec/row.js'
import { recordingText } from '../../backtest/recording/support/recordings.js'
import { manualMarket } from '../../support/manual-market.js'
import { createSelfSignedCertificate } from '../../support/network/certificate.js'
import { findUnusedPort } from '../../support/network/servers.js'
import { authKey, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { weth } from '../../support/tokens.js'
import { newFile } from '../support/new-file.js'
import { at, header, priced, topic } from '../support/recording.js'
import { commandLine, runCommand, startCommand } from '../support/command.js'
import { environmentOf } from '../support/environment-of.js'
import { startGatewayCommand } from '../support/gateway-command.js'
import { startGatewayInProcess } from '../support/gateway-in-process.js'
import { runInProcess, startInProcess } from '../support/in-process.js'

/** A simulator, and `svc-streams gateway` in front of it. */
const startService = async (...args: readonly string[]) => {
  const market = manualMarket()
  const simulator = await startTestSimulator({ market })
  const gateway = await startGatewayInProcess(args, environmentOf(simulator))
  return { market, simulator, ...gateway }
}

const watch = (url: string, ...args: readonly string[]) =>
  startInProcess(['watch', weth, '--gateway', url, ...args])

test('serves prices and depth, prints how to use it, and exits with 0 on SIGINT with its port free', async () => {
  const market = manualMarket()
  const simulator = await startTestSimulator({ market })
  const { command, url } = await startGatewayCommand([], environmentOf(simulator))
  const port = new URL(url).port
  const host = new URL(simulator.priceWsUrl).host
  expect(command.stdout.replaceAll(port, 'PORT').replace(host, 'SERVICE')).toMatchInlineSnapshot(`
    "# A gateway to the service at SERVICE is running. Paste these lines into another terminal, and start your program there.
    export SVC_GATEWAY=http://127.0.0.1:PORT
    # To watch through it: npx svc-streams watch --gateway http://127.0.0.1:PORT <token>
    # It serves live prices, prices over HTTP, depth without a signature, and its own state at http://127.0.0.1:PORT/health.
    # Press Ctrl-C to stop it, and again to stop it immediately.
    "
  `)
  const commands = [watch(url), watch(url, '--json')] as const
  await eventually(() => commands.every(({ stdout }) => stdout.includes('2500')))
  await eventually(() => commands[0].stdout.includes(' ETH depth 2500.0000 USD, buy 7500.00 USD 3 ETH'))
  market.update({ price: 2600 })
  await eventually(() => commands.every(({ stdout }) => stdout.includes('2600')))
  expect(simulator.connections).toHaveLength(1)
  expect(await runCommand(['price', weth, '--gateway', url])).toMatchObject({ stdout: '2600.0000\n' })
  command.process.kill('SIGINT')
  expect([await command.waitForExit(), command.stderr]).toEqual([0, ''])
  const again = await startGatewayCommand(['--port', port], environmentOf(simulator))
  expect(again.url).toBe(url)
  market.update({ price: 2700 })
  await eventually(() => commands.every(({ stdout }) => stdout.includes('2700')))
})

test('--simulate needs no configuration, and prints the tokens for other commands', async () => {
  const { command, url } = await startGatewayInProcess(['--simulate'])
  const [, tokens] = /^export SVC_TOKENS=(\S+)$/m.exec(command.stdout) ?? []
  const variables = { SVC_GATEWAY: url, SVC_TOKENS: tokens }
  const watching = startInProcess(['watch'], variables)
  await eventually(() => watching.stdout.includes(' ETH price ') && watching.stdout.includes(' BTC price '))
  await eventually(() => watching.stdout.includes(' BTC depth '))
  expect(await runInProcess(['doctor'], variables)).toMatchObject({ code: 0, stderr: '' })
})

test('prints one line when the service is lost, and one when it returns; consumers recover', async () => {
  const { market, simulator, command, url } = await startService()
  const watching = watch(url, '--no-depth')
  await eventually(() => watching.stdout.includes(' ETH price 2500.0000 USD'))
  simulator.inject({ refuseUpgrades: 503 })
  simulator.dropConnections(1012)
  await eventually(() => watching.stdout.includes(' ETH price error: connection down '))
  await eventually(async () => expect((await fetch(`${url}/health`)).status).toBe(503))
  simulator.inject({})
  market.update({ price: 2600 })
  await eventually(() => watching.stdout.includes(' ETH price 2600.0000 USD'))
  const lines = command.stderr.trimEnd().split('\n')
  expect(lines).toEqual([
    expect.stringMatching(
      /^\S+Z No connection to the service: .*\. The gateway refuses consumers until it returns\.$/,
    ),
    expect.stringMatching(/^\S+Z The service has returned\.$/),
  ])
})

test('prints one line when depth requests fail, and one when they succeed again', async () => {
  const { simulator, command, url } = await startService()
  const requestDepth = async () => (await fetch(`${url}/v0/order_book/depth/${weth}`)).status
  simulator.inject({ httpStatus: 401 })
  expect(await requestDepth()).toBe(502)
  expect(command.stderr).toBe('')
  for (let request = 0; request < 2; request++) expect(await requestDepth()).toBe(502)
  simulator.inject({})
  expect(await requestDepth()).toBe(200)
  expect(command.stderr.trimEnd().split('\n')).toEqual([
    expect.stringMatching(
      /Z Depth requests fail: status 401\. Check --auth-key \(SVC_AUTH_KEY\)\. Consumers receive an error\.$/,
    ),
    expect.stringMatching(/Z Depth requests succeed again\.$/),
  ])
})

test('a gateway serves a gateway', async () => {
  const { market, simulator, url } = await startService()
  const second = await startGatewayInProcess(['--gateway', url])
  expect(second.command.stdout).toContain(`# A gateway to the gateway at ${new URL(url).host} is running.`)
  const watching = watch(second.url)
  await eventually(() => watching.stdout.includes(' ETH price 2500.0000 USD'))
  await eventually(() => watching.stdout.includes(' ETH depth 2500.0000 USD'))
  market.update({ price: 2600 })
  await eventually(() => watching.stdout.includes(' ETH price 2600.0000 USD'))
  expect(simulator.connections).toHaveLength(1)
})

const keys = { desk: 'A'.repeat(24), 'night shift': 'B'.repeat(24) }

test('--keys requires depth requests to be signed with one of the keys', async () => {
  const file = newFile('keys.json', JSON.stringify(keys))
  const { command, url } = await startService('--keys', file)
  expect(command.stdout).toContain('depth to requests that are signed with a key of desk or night shift')
  const requestDepth = (key: string) => runInProcess(['depth', weth, '--gateway', url, '--auth-key', key])
  expect(await requestDepth(keys.desk)).toMatchObject({ code: 0, stderr: '' })
  expect(await requestDepth(authKey)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'Set --auth-key (SVC_AUTH_KEY) to one of the keys of the gateway',
    ) as string,
  })
  expect(command.output).not.toMatch(/AAAA|BBBB/)
})

test('serves prices alone from a service without a key', async () => {
  const { priceBaseUrl, priceWsUrl } = await startTestSimulator({ market: manualMarket() })
  const { command, url } = await startGatewayInProcess([
    ...['--price-base-url', priceBaseUrl, '--price-ws-url', priceWsUrl],
  ])
  expect(command.stdout).toContain('It serves live prices, prices over HTTP, and its own state')
  expect(await runInProcess(['price', weth, '--gateway', url])).toMatchObject({ stdout: '2500.0000\n' })
  expect(await runInProcess(['depth', weth, '--gateway', url])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the client of this gateway has no depth') as string,
  })
})

test('serves https: and wss: with --tls-key and --tls-cert', async () => {
  const { key, cert } = createSelfSignedCertificate()
  const certFile = newFile('cert.pem', cert)
  const { url } = await startService('--tls-key', newFile('key.pem', key), '--tls-cert', certFile)
  expect(url).toMatch(/^https:/)
  const watching = startCommand(
    commandLine('watch', weth, '--gateway', url.replace('127.0.0.1', 'localhost')),
    { NODE_EXTRA_CA_CERTS: certFile },
  )
  await eventually(() => watching.stdout.includes(' ETH price 2500.0000 USD'))
  await eventually(() => watching.stdout.includes(' ETH depth 2500.0000 USD'))
})

test('--origin gives the pages of a site access', async () => {
  const { url } = await startService('--origin', 'https://app.example')
  const get = (origin: string) => fetch(`${url}/health`, { headers: { origin } })
  expect((await get('https://app.example')).headers.get('access-control-allow-origin')).toBe(
    'https://app.example',
  )
  expect((await get('https://other.example')).status).toBe(403)
})

const headerWithDepth: RecordingHeader = { ...header, mints: ['0xab'] }

const deep: Row = { _tag: 'Depth', at, mint: '0xab', event: right(depth('0xab', { price: 7 })) }
const silent: Row = { _tag: 'Price', at: at + 20, topic, event: left(stale(topic, 30_000, undefined)) }

const recordingOf = (...rows: readonly Row[]): string =>
  newFile('market.ndjson', recordingText(headerWithDepth, ...rows))

test('--recording serves a recording at --speed, from its first consumer to its end', async () => {
  const files = [
    recordingOf(deep, priced(10, 1.5)),
    recordingOf(priced(60_000, 2.5), priced(400_000, 3.5), silent),
  ] as const
  const { command, url } = await startGatewayInProcess([
    ...['--recording', files[0], '--recording', files[1], '--speed', '100'],
  ])
  expect(command.stdout).toContain(`# A gateway to the recording ${files[0]}, ${files[1]} is running.`)
  expect(command.stdout).toContain('export SVC_TOKENS=0xab\n')
  const watching = startInProcess(['watch', '0xab', '--gateway', url, '--interval', '10'])
  await eventually(() => watching.stdout.includes(' 0xab price 1.500000 USD'))
  await eventually(() => watching.stdout.includes(' 0xab depth 7.000000 USD'))
  // The second recording ends the connections of consumers, which connect again.
  await eventually(() => watching.stdout.includes(' 0xab price 3.500000 USD'))
  await eventually(() => command.stderr.includes('The recording has ended. Press Ctrl-C to stop.\n'))
  expect((await fetch(`${url}/health`)).status).toBe(503)
  command.process.kill('SIGINT')
  expect(await command.waitForExit()).toBe(0)
})

test('exits with 1 for a recording that does not exist, and for a damaged one', async () => {
  const missing = await runInProcess(['gateway', '--recording', '/no/such/file'])
  expect([missing.code, missing.stderr]).toEqual([
    1,
    'error: /no/such/file does not exist (ENOENT); see https://github.com/svc-streams/svc-streams/blob/main/docs/reference/errors.md#recordingerror\n',
  ])
  const file = newFile('damaged.ndjson', `${recordingText(headerWithDepth, priced(10, 1.5))}rubbish\n`)
  const { command, url } = await startGatewayInProcess(['--recording', file])
  startInProcess(['watch', '0xab', '--gateway', url])
  expect(await command.waitForExit()).toBe(1)
  expect(command.stderr).toContain(`error: line 3 of ${file}: expected JSON`)
})

test('exits with 1 for a port in use, and for an address of another machine', async () => {
  const { url } = await startGatewayInProcess(['--simulate'])
  const { port } = new URL(url)
  expect(await runInProcess(['gateway', '--simulate', '--port', port])).toEqual({
    code: 1,
    stdout: '',
    stderr: `error: --port: port ${port} is already in use; choose another one, or 0 for any free port\n`,
  })
  const { code, stderr } = await runInProcess([
    'gateway',
    '--simulate',
    '--host',
    '192.0.2.1',
    '--open-depth',
  ])
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^error: --host: cannot listen on 192\.0\.2\.1 \(\w+\); use an address of this machine/,
    ),
  ])
})

test('--open-depth allows a host that other machines can reach', async () => {
  const { command, url } = await startGatewayInProcess(['--simulate', '--host', '0.0.0.0', '--open-depth'])
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/)
  expect(command.stdout).toContain(
    '# On another machine, write the name or the address of this one in the URL.',
  )
})

test('keeps running while the service is not reachable, and reports it once', async () => {
  const port = await findUnusedPort()
  const { command, url } = await startGatewayInProcess([
    ...['--price-base-url', `http://127.0.0.1:${port}`, '--price-ws-url', `ws://127.0.0.1:${port}`],
  ])
  const watching = watch(url, '--no-depth')
  await eventually(() => (watching.stdout.match(/ price error: .*503/g) ?? []).length >= 3)
  expect(command.stderr).toMatch(/^\S+Z No connection to the service: [^\n]*ECONNREFUSED[^\n]*\n$/)
  command.process.kill('SIGTERM')
  expect(await command.waitForExit()).toBe(0)
})

test.each([
  [
    'a host without keys',
    ['--host', '0.0.0.0'],
    '--host: other machines can reach this address; use a loopback address or set --keys or set --access or set --open-depth',
  ],
  ['a certificate without its key', ['--tls-cert', 'x'], '--tls-cert: requires --tls-key'],
  [
    'a file that is not there',
    ['--tls-key', '/no/x', '--tls-cert', '/no/y'],
    '--tls-key: /no/x does not exist',
  ],
  ['--speed without a recording', ['--speed', '2'], '--speed: applies only to --recording; remove it'],
  ['an origin with a path', ['--origin', 'https://a.example/x'], "option '--origin <url...>' argument"],
  [
    'two sources',
    ['--recording', 'x'],
    '--simulate: cannot be combined with --recording; remove one of them',
  ],
])('exits with 2 for %s', async (_, flags, message) => {
  const { code, stdout, stderr } = await runInProcess(['gateway', '--simulate', ...flags])
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`error: ${message}`)])
})

test('exits with 2 for a certificate that does not match its key', async () => {
  const key = newFile('key.pem', createSelfSignedCertificate().key)
  const cert = newFile('cert.pem', createSelfSignedCertificate().cert)
  const args = ['gateway', '--simulate', '--tls-key', key, '--tls-cert', cert]
  const { code, stderr } = await runInProcess(args)
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(
      'error: --tls-key, --tls-cert: expected a private key and its certificate, in PEM',
    ),
  ])
})
