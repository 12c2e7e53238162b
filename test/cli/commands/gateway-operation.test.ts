import { isLeft } from 'fp-ts/lib/Either.js'
import { request } from 'node:http'
import { connect } from 'node:net'
import { createClient } from 'svc-streams'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { startTcpServer } from '../../support/network/servers.js'
import { startTestSimulator } from '../../support/simulator.js'
import { getRaw } from '../../gateway/support/raw-request.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic, weth } from '../../support/tokens.js'
import { exportedVariables } from '../../opentelemetry/support/command-line.js'
import { commandLine, startCommand } from '../support/command.js'
import { environmentOf } from '../support/environment-of.js'
import { startGatewayCommand } from '../support/gateway-command.js'
import { startGatewayInProcess } from '../support/gateway-in-process.js'
import { runInProcess } from '../support/in-process.js'

const soon = { initialDelay: 20, maxDelay: 100 }

const consumerOf = (url: string) =>
  closeAfterTest(
    createClient({
      environment: 'mainnet',
      baseUrl: url,
      priceBaseUrl: url,
      priceWsUrl: url.replace('http', 'ws'),
      unsigned: true,
      reconnect: soon,
    }),
  )

/** The status of an upgrade request. */
const upgradeStatus = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    }
    request(url, { headers })
      .on('response', ({ statusCode = 0 }) => resolve(statusCode))
      .on('upgrade', (_, socket) => {
        socket.destroy()
        resolve(101)
      })
      .on('error', reject)
      .end()
  })

/** Passes each connection to the port that `target` returns at that time. */
const startBalancer = async (target: () => number): Promise<string> => {
  const port = await startTcpServer((socket) => {
    const server = connect(target(), '127.0.0.1')
    socket.pipe(server).pipe(socket)
    server.on('error', () => socket.destroy())
    server.on('close', () => socket.destroy())
    socket.on('close', () => server.destroy())
  })
  return `http://127.0.0.1:${port}`
}

test('SIGTERM refuses new consumers, moves the connected ones, and ends with exit code 0', async () => {
  const simulator = await startTestSimulator()
  const variables = environmentOf(simulator)
  const first = await startGatewayCommand(['--drain', '2s'], variables)
  const second = await startGatewayCommand([], variables)
  let isReady = true
  const url = await startBalancer(() => Number(new URL(isReady ? first.url : second.url).port))
  const consumers = [consumerOf(url), consumerOf(url), consumerOf(url)]
  const streams = consumers.map((consumer) => collectEvents(consumer.price$(ethTopic)))
  const epochs = () => streams.map(({ values }) => values().at(-1)?.epoch)
  await eventually(() => expect(epochs()).toEqual([1, 1, 1]))

  first.command.process.kill('SIGTERM')
  await eventually(async () => expect((await fetch(`${first.url}/health/ready`)).status).toBe(503))
  expect(await (await fetch(`${first.url}/health/ready`)).json()).toEqual({
    status: 'not ready',
    reason: 'closing',
  })
  expect(await upgradeStatus(first.url)).toBe(503)
  expect((await fetch(`${first.url}/health`)).status).toBe(200)
  // The consumers still get prices of the first gateway.
  expect(epochs()).toEqual([1, 1, 1])
  isReady = false

  expect(await first.command.waitForExit()).toBe(0)
  expect(first.command.stderr).toContain('Its 3 consumers are disconnected within 2 s.')
  await eventually(() => expect(epochs()).toEqual([2, 2, 2]))
  for (const { events } of streams) {
    expect(events.filter(isLeft)).toMatchObject([{ left: { _tag: 'Disconnected', code: 1001 } }])
  }
})

test('a second SIGTERM ends a gateway that is closing', async () => {
  const simulator = await startTestSimulator()
  const { command, url } = await startGatewayCommand(['--drain', '1h'], environmentOf(simulator))
  const { values } = collectEvents(consumerOf(url).price$(ethTopic))
  await eventually(() => values().length > 0)
  command.process.kill('SIGTERM')
  await eventually(() => command.stderr.includes('The gateway is closing.'))
  command.process.kill('SIGTERM')
  expect(await command.waitForExit()).toBe('SIGTERM')
})

test('a gateway over two services goes on, without a Left for its consumers, when either is killed', async () => {
  const startService = async (ports: readonly string[] = []) => {
    const command = startCommand(commandLine('simulate', '--token', weth, '--tick', '10', ...ports))
    await eventually(() => command.stdout.includes('Ctrl-C'))
    return { ...command, variables: exportedVariables(command.stdout) }
  }
  const services = [await startService(), await startService()] as const
  const urls = services.map(({ variables }) => variables['SVC_PRICE_WS_URL'] ?? '')
  const { command, url } = await startGatewayInProcess(
    ['--metrics-port', '0', '--price-ws-url', urls.join()],
    services[0].variables,
  )
  const metricsUrl = `${/at (\S+)\/metrics\./.exec(command.stdout)?.[1]}/metrics`
  const { events, values } = collectEvents(consumerOf(url).price$(ethTopic))
  /** The number of prices of each service so far. */
  const received = async () => {
    const text = await (await fetch(metricsUrl)).text()
    return urls.map((service) => {
      const { port } = new URL(service)
      return Number(
        new RegExp(`^svc_streams_received_prices_total\\{.*"${port}".*\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0,
      )
    })
  }
  /** Waits until each service, and the consumer, has more prices. */
  const untilNew = async (indexes: readonly number[]) => {
    const [before, { length }] = [await received(), values()]
    await eventually(async () => {
      const now = await received()
      for (const index of indexes) expect(now[index]).toBeGreaterThan(before[index] ?? 0)
      expect(values().length).toBeGreaterThan(length)
    })
  }
  await untilNew([0, 1])
  services[0].process.kill('SIGKILL')
  await services[0].waitForExit()
  await untilNew([1])
  await startService(['--ws-port', new URL(urls[0] ?? '').port])
  await untilNew([0, 1])
  services[1].process.kill('SIGKILL')
  await services[1].waitForExit()
  await untilNew([0])
  expect(events.filter(isLeft)).toEqual([])
  expect(command.stderr).toBe('')
  expect((await fetch(`${url}/health`)).status).toBe(200)
})

test('--metrics serves the metrics of the gateway, and nothing else, on a port of its own', async () => {
  const simulator = await startTestSimulator()
  const { command, url } = await startGatewayInProcess(['--metrics-port', '0'], environmentOf(simulator))
  const address = /at (\S+)\/metrics\./.exec(command.stdout)?.[1] ?? ''
  const { values } = collectEvents(consumerOf(url).price$(ethTopic))
  await eventually(() => values().length > 0)
  const response = await fetch(`${address}/metrics`)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const gateway = `{server_address="127.0.0.1",server_port="${new URL(url).port}"}`
  const text = await response.text()
  expect(text).toContain(`\nsvc_streams_gateway_up${gateway} 1\n`)
  expect(text).toContain(`\nsvc_streams_gateway_consumer_count${gateway} 1\n`)
  expect(text).toContain(`\nsvc_streams_gateway_connects_total${gateway} 1\n`)
  expect(
    await Promise.all(['/', '/health'].map(async (path) => (await fetch(address + path)).status)),
  ).toEqual([404, 404])
  expect((await fetch(`${address}/metrics`, { method: 'POST' })).status).toBe(405)
  const head = await fetch(`${address}/metrics`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  const options = await fetch(`${address}/metrics`, { method: 'OPTIONS' })
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
  expect((await getRaw(address, '/metrics', ['Host: evil.example'])).status).toBe(403)
  const port = new URL(address).port
  expect(await runInProcess(['gateway', '--simulate', '--metrics-port', port])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('error: --metrics-port: ') as string,
  })
})

test('--metrics-host alone serves the metrics too', async () => {
  const { code, stderr } = await runInProcess(['gateway', '--simulate', '--metrics-host', '192.0.2.1'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('error: --metrics-host: cannot listen')])
})

test('has a flag for each limit', async () => {
  const simulator = await startTestSimulator()
  const { url } = await startGatewayInProcess(
    [
      '--max-connections',
      '1',
      '--max-topics-per-connection',
      '1',
      '--max-buffered-bytes',
      '1000',
      '--depth-every',
      '1',
    ],
    environmentOf(simulator),
  )
  const consumer = consumerOf(url)
  const { values } = collectEvents(consumer.price$(ethTopic))
  await eventually(() => values().length > 0)
  const { events } = collectEvents(consumer.price$('svc-0xdead'))
  await eventually(() =>
    expect(events).toMatchObject([
      { left: { message: expect.stringContaining('one topic more than the 1 of a connection') as string } },
    ]),
  )
  expect(await upgradeStatus(url)).toBe(503)
})

test.each([
  ['--max-connections', '0', 'Give a whole number of at least 1.'],
  ['--max-topics-per-connection', 'many', 'Give a whole number of at least 1.'],
  ['--max-buffered-bytes', '-1', 'Give a whole number of at least 1.'],
  ['--depth-every', '1.5', 'Give a whole number of ms from 1 to 2147483647.'],
  ['--drain', 'soon', 'Give a number of seconds above 0'],
  ['--metrics-port', '70000', 'Give a port from 0 to 65535.'],
])('names the flag %s for the value %s', async (flag, value, problem) => {
  const { code, stderr } = await runInProcess(['gateway', '--simulate', flag, value])
  expect(code).toBe(2)
  expect(stderr).toContain(`error: option '${flag} <`)
  expect(stderr).toContain(problem)
})
