import { firstValueFrom } from 'rxjs'
import { createClient } from 'svc-streams'
import { startGateway } from 'svc-streams/gateway'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../support/close-after-test.js'
import { manualMarket } from '../../support/manual-market.js'
import { findUnusedPort, startTcpServer } from '../../support/network/servers.js'
import { confirmAndSendPrice, startScriptedService } from '../../support/network/scripted-service.js'
import { authKey, createClientFor, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic } from '../../support/tokens.js'
import { startOnTerminal } from '../support/terminal.js'
import { environmentOf } from '../support/environment-of.js'
import { runInProcess } from '../support/in-process.js'
import { readOutput } from './support/read-output.js'

type Variables = Readonly<Record<string, string>>

const doctor = async (variables: Variables, ...flags: readonly string[]) =>
  readOutput(await runInProcess(['doctor', ...flags], variables))

const names = [
  'options',
  'DNS',
  'TLS',
  'price over HTTP',
  'price WebSocket',
  'depth over HTTP',
  'clock',
  'signature',
]

/** The variables of a simulator with these faults. */
const simulated = async (options: Parameters<typeof startTestSimulator>[0] = {}): Promise<Variables> =>
  environmentOf(await startTestSimulator({ market: manualMarket(), ...options }))

test('passes each check of a correct service, with one line each', async () => {
  const { code, lines, results, stderr } = await doctor(await simulated())
  expect([code, stderr]).toEqual([0, ''])
  expect([...results.keys()]).toEqual(names)
  expect(
    lines
      .join('\n')
      .replace(/:\d+/g, ':PORT')
      .replace(/\d+ ms/g, 'N ms'),
  ).toMatchInlineSnapshot(`
    "options          ok       prices http://127.0.0.1:PORT and ws://127.0.0.1:PORT, depth http://127.0.0.1:PORT, a key
    DNS              ok       127.0.0.1 is an address
    TLS              skipped  no address uses https: or wss:
    price over HTTP  ok       ETH 2500.0000 USD, N ms
    price WebSocket  ok       opens, ETH 2500.0000 USD, N ms; answers a ping in N ms
    depth over HTTP  ok       answers and requires a signature, N ms
    clock            ok       within 1 s of the clock of the service
    signature        ok       accepted, for the depth of ETH"
  `)
})

test('--simulate needs no configuration; --json prints one object per line', async () => {
  const { code, lines, stderr } = await doctor({}, '--simulate', '--json')
  expect([code, stderr]).toEqual([0, ''])
  const results = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  expect(results.map(({ check }) => check)).toEqual(names)
  expect(results[3]).toEqual({
    check: 'price over HTTP',
    result: 'ok',
    measured: expect.any(String) as string,
  })
  expect(results[2]).toEqual({ check: 'TLS', result: 'skipped', reason: 'no address uses https: or wss:' })
})

test('skips every check after missing options', async () => {
  const { code, lines, results, stderr } = await doctor({})
  expect([code, stderr]).toEqual([1, 'error: 1 of 8 checks failed\n'])
  expect(lines).toHaveLength(8)
  expect(results.get('options')).toBe(
    'failed   the service is not configured. Set --price-base-url (SVC_PRICE_BASE_URL), or --gateway (SVC_GATEWAY), or --nats (SVC_NATS), or add --simulate.',
  )
  expect(results.get('signature')).toBe('skipped  options failed')
})

test('fails the options for an invalid key, without printing it', async () => {
  const { code, results, output } = await doctor({ ...(await simulated()), SVC_AUTH_KEY: '$ecret$ecret' })
  expect([code, results.get('options')]).toEqual([
    1,
    expect.stringMatching(/^failed {3}--auth-key \(SVC_AUTH_KEY\): /),
  ])
  expect(output).not.toContain('ecret')
})

test('fails the options for a malformed SVC_TOKENS, also with --simulate', async () => {
  const variables = { ...(await simulated()), SVC_TOKENS: 'WETH:0x82af' }
  for (const flags of [[], ['--simulate']]) {
    const { code, results } = await doctor(
      flags.length === 0 ? variables : { SVC_TOKENS: 'WETH:0x82af' },
      ...flags,
    )
    expect([code, results.get('options')]).toEqual([
      1,
      expect.stringMatching(/^failed {3}SVC_TOKENS: invalid entry "WETH:0x82af": expected SYMBOL=0x…/),
    ])
  }
})

test('fails the signature for a wrong key, without printing the key', async () => {
  const { code, results, output } = await doctor({ ...(await simulated()), SVC_AUTH_KEY: authKey })
  expect(code).toBe(1)
  expect(results.get('depth over HTTP')).toMatch(/^ok /)
  expect(results.get('signature')).toMatch(
    /^failed {3}the service rejected the signature .*; check the auth key\. Check that --auth-key \(SVC_AUTH_KEY\) is the key of the service/,
  )
  expect(output).not.toContain(authKey.slice(0, 16))
})

test('skips depth without an address, the signature without a key, and both on testnet', async () => {
  const variables = await simulated()
  const keyless = await doctor({ ...variables, SVC_AUTH_KEY: '' })
  expect([keyless.code, keyless.results.get('signature')]).toEqual([
    0,
    'skipped  --auth-key (SVC_AUTH_KEY) is not set',
  ])
  expect(keyless.results.get('depth over HTTP')).toMatch(/^ok /)
  const priceOnly = await doctor({ ...variables, SVC_BASE_URL: '' })
  expect([priceOnly.code, priceOnly.results.get('depth over HTTP')]).toEqual([
    0,
    'skipped  --base-url (SVC_BASE_URL) is not set',
  ])
  const testnet = await doctor({ ...variables, SVC_ENVIRONMENT: 'testnet' })
  expect([testnet.code, testnet.results.get('signature')]).toEqual([0, 'skipped  testnet has no depth'])
})

test('fails DNS for an unknown host, and skips what needs it', async () => {
  const { code, results } = await doctor({
    ...(await simulated()),
    SVC_PRICE_WS_URL: 'wss://nowhere.invalid:4000',
  })
  expect(code).toBe(1)
  expect(results.get('DNS')).toMatch(
    /^failed {3}nowhere\.invalid: .*Check the host name in --price-ws-url \(SVC_PRICE_WS_URL\)/,
  )
  expect(results.get('TLS')).toBe('skipped  DNS failed')
  expect(results.get('price WebSocket')).toBe('skipped  DNS failed')
  expect(results.get('price over HTTP')).toMatch(/^ok /)
  expect(results.get('signature')).toMatch(/^ok /)
})

test('fails the interfaces of a closed port', async () => {
  const port = await findUnusedPort()
  const { code, results } = await doctor({
    ...(await simulated()),
    SVC_PRICE_WS_URL: `ws://127.0.0.1:${port}`,
    SVC_BASE_URL: `http://127.0.0.1:${port}/secret`,
  })
  expect(code).toBe(1)
  // A path may contain a secret.
  expect(results.get('options')).toContain(`ws://127.0.0.1:${port}, depth http://127.0.0.1:${port}/…, `)
  expect(results.get('price WebSocket')).toMatch(
    /^failed {3}.*ECONNREFUSED.*--price-ws-url \(SVC_PRICE_WS_URL\)/,
  )
  expect(results.get('depth over HTTP')).toMatch(/^failed {3}.*ECONNREFUSED.*--base-url \(SVC_BASE_URL\)/)
  expect(results.get('signature')).toBe('skipped  depth over HTTP failed')
  expect(results.get('clock')).toMatch(/^ok /)
})

test('fails the WebSocket when the upgrade is refused, and when there is no WebSocket', async () => {
  const refused = await doctor(await simulated({ faults: { refuseUpgrades: 503 } }))
  expect(refused.results.get('price WebSocket')).toMatch(/^failed {3}.*503/)
  const variables = await simulated()
  const http = await doctor({
    ...variables,
    SVC_PRICE_WS_URL: String(variables['SVC_PRICE_BASE_URL']).replace('http', 'ws'),
  })
  expect(http.results.get('price WebSocket')).toMatch(
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
  expect(results.get('price over HTTP')).toMatch(/does not list ETH$/)
  expect(results.get('price WebSocket')).toMatch(/does not list ETH; answers a ping in \d+ ms$/)
  expect(results.get('signature')).toBe('ok       accepted')
})

test('says of a service that answers no ping, or not with its text, that maxLag has no effect', async () => {
  const variables = await simulated()
  const silent = await startScriptedService({ answersPings: false, onSubscribe: confirmAndSendPrice })
  const wrong = await startScriptedService({
    answersPings: false,
    onOpen: ({ sendPong }) => sendPong(),
    onSubscribe: confirmAndSendPrice,
  })
  for (const { url } of [silent, wrong]) {
    const { code, results } = await doctor({ ...variables, SVC_PRICE_WS_URL: url }, '--timeout', '300')
    expect([code, results.get('price WebSocket')]).toEqual([
      0,
      expect.stringMatching(/^ok {7}opens, ETH .*; the service answers no ping: maxLag has no effect$/),
    ])
  }
})

test('says of a service that closes a second connection that there was no ping', async () => {
  const { url } = await startScriptedService({
    onOpen: ({ id, tcpSocket }) => {
      if (id > 1) tcpSocket.destroy()
    },
    onSubscribe: confirmAndSendPrice,
  })
  const { code, results } = await doctor({ ...(await simulated()), SVC_PRICE_WS_URL: url })
  expect([code, results.get('price WebSocket')]).toEqual([
    0,
    expect.stringMatching(/ ms; no ping, because a second connection closed: /),
  ])
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
  const { code, results } = await doctor(
    {
      SVC_PRICE_BASE_URL: `http://127.0.0.1:${port}`,
      SVC_PRICE_WS_URL: `wss://localhost:${port}`,
      SVC_BASE_URL: `http://127.0.0.1:${port}`,
      SVC_AUTH_KEY: authKey,
    },
    ...['--timeout', '300'],
  )
  expect(code).toBe(1)
  expect(results.get('TLS')).toContain('no answer in 300 ms')
  expect(results.get('price over HTTP')).toMatch(/^failed {3}no complete response /)
  expect(results.get('price WebSocket')).toBe('skipped  TLS failed')
  expect(results.get('depth over HTTP')).toMatch(/^failed {3}no complete response /)
  expect(results.get('clock')).toBe('skipped  depth over HTTP and price over HTTP failed')
})

test('fails TLS on a port without TLS', async () => {
  const variables = await simulated()
  const { results } = await doctor({
    ...variables,
    SVC_BASE_URL: String(variables['SVC_BASE_URL']).replace('http:', 'https:'),
  })
  expect(results.get('TLS')).toMatch(
    /^failed {3}.* Check the port and the scheme in --base-url \(SVC_BASE_URL\)/,
  )
})

test('FORCE_COLOR colours the results, NO_COLOR does not', async () => {
  const variables = await simulated()
  const coloured = await doctor({ ...variables, FORCE_COLOR: '1' })
  const plain = await doctor({ ...variables, FORCE_COLOR: '1', NO_COLOR: '1' })
  expect(coloured.output).toContain('\u001b[32mok')
  expect(plain.output).not.toContain('\u001b')
})

test('colours the results on a terminal', async () => {
  const command = startOnTerminal(['doctor'], await simulated(), { columns: 120, rows: 24 })
  expect(await command.waitForExit()).toBe(0)
  expect(command.stdout).toContain('\u001b[32mok')
})

test('says that the gateway runs, if its service does not', async () => {
  const simulator = await startTestSimulator()
  const client = createClientFor(simulator)
  const gateway = closeAfterTest(await startGateway(client))
  const consumer = closeAfterTest(createClient({ environment: 'mainnet', ...gateway, unsigned: true }))
  await firstValueFrom(consumer.price$(ethTopic))
  await simulator.close()
  await eventually(() => expect(gateway.inspect().upstream._tag).toBe('Waiting'))
  const { code, results } = await doctor({}, '--gateway', gateway.baseUrl)
  expect([code, results.get('price WebSocket')]).toEqual([
    1,
    expect.stringContaining(
      'The gateway runs, but accepts no connection now: its service is down, or it is full.',
    ),
  ])
})
