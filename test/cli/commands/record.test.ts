import { existsSync, readFileSync } from 'node:fs'
import { isRight } from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { decodeHeader, decodeRow } from '../../../src/backtest/recording/codec/row-codec.js'
import { startTestGateway } from '../../gateway/support/start-test-gateway.js'
import { startTcpServer } from '../../support/network/servers.js'
import { eventually } from '../../support/time/eventually.js'
import { wbtc, weth } from '../../support/tokens.js'
import { manualMarket } from '../../support/manual-market.js'
import { authKey, createClientFor, fastMarket, startTestSimulator } from '../../support/simulator.js'
import { newFile } from '../support/new-file.js'
import { commandLine, startCommand } from '../support/command.js'
import { environmentOf } from '../support/environment-of.js'
import { runInProcess, startInProcess } from '../support/in-process.js'

/** The complete lines of a file; none before the file exists. */
const linesOf = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []

test('--out writes a header and rows to a new file until SIGINT, then prints their number', async () => {
  const file = newFile('market.ndjson')
  const command = startCommand(commandLine('record', '--simulate', '--interval', '100', '--out', file))
  await eventually(() => linesOf(file).filter((line) => line.startsWith('{"_tag":"Depth"')).length >= 6)
  command.process.kill('SIGINT')
  expect([await command.waitForExit(), command.stdout]).toEqual([0, ''])
  const [header, ...rows] = linesOf(file)
  expect(decodeHeader(header!)).toMatchObject({
    right: { topics: [`svc-${weth}`, `svc-${wbtc}`], mints: [weth, wbtc], interval: 100 },
  })
  expect(rows.map(decodeRow).filter((row) => !isRight(row))).toEqual([])
  expect(command.stderr).toBe(`${rows.length} rows in ${file}\n`)
})

test('--out loses no written line when the process is killed', async () => {
  const file = newFile('market.ndjson')
  const command = startCommand(commandLine('record', '--simulate', '--interval', '10', '--out', file))
  await eventually(() => linesOf(file).length > 100)
  command.process.kill('SIGKILL')
  await command.waitForExit()
  expect(readFileSync(file, 'utf8').endsWith('\n')).toBe(true)
  expect(
    linesOf(file)
      .slice(1)
      .map(decodeRow)
      .filter((row) => !isRight(row)),
  ).toEqual([])
})

test('--out does not overwrite an existing file', async () => {
  const file = newFile('market.ndjson', 'precious')
  expect(await runInProcess(['record', '--simulate', '--out', file])).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: --out: ${file} already exists; choose another name, or move it\nTry: npx svc-streams record --help\n`,
  })
  expect(readFileSync(file, 'utf8')).toBe('precious')
})

test('--out names the folder that does not exist', async () => {
  const file = newFile('missing/market.ndjson')
  expect(await runInProcess(['record', '--simulate', '--out', file])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`the folder of ${file} does not exist; create it`) as string,
  })
})

test('records prices only into a pipe, for --duration', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const variables = environmentOf(simulator)
  const { code, stdout, stderr } = await runInProcess(
    ['record', weth, '--no-depth', '--duration', '1s'],
    variables,
  )
  expect([code, stderr]).toEqual([0, ''])
  const lines = stdout.split('\n').slice(0, -1)
  expect(decodeHeader(lines[0]!)).toMatchObject({ right: { topics: [`svc-${weth}`], mints: [] } })
  expect(lines.some((line) => line.includes('"price":2500'))).toBe(true)
})

test('exits with 0 when stdout is closed', async () => {
  const command = startCommand(commandLine('record', '--simulate'))
  await eventually(() => command.stdout !== '')
  command.process.stdout?.destroy()
  expect([await command.waitForExit(), command.stderr]).toEqual([0, ''])
})

test('exits with 1 when the recording has no price after --duration', async () => {
  const file = newFile('market.ndjson')
  const port = await startTcpServer(() => undefined)
  const { code, stderr } = await runInProcess([
    ...['record', weth, '--duration', '1', '--out', file],
    ...['--price-base-url', `http://127.0.0.1:${port}`, '--price-ws-url', `ws://127.0.0.1:${port}`],
  ])
  expect(code).toBe(1)
  expect(stderr).toContain(
    `error: no price arrived from 127.0.0.1:${port} in 1 s\nThe connection did not open.\n`,
  )
  expect(linesOf(file)).not.toEqual([])
})

test('prints at once that the service is not reachable, and when it is again', async () => {
  const file = newFile('market.ndjson')
  const first = await startTestSimulator()
  await first.close()
  const command = startInProcess(['record', weth, '--interval', '50', '--out', file], environmentOf(first))
  await eventually(() => expect(command.stderr.split('\n').slice(0, -1)).toHaveLength(2))
  expect(command.stderr).toMatch(
    /^\S+Z No connection to the service: .*ECONNREFUSED.*\. The recording has no prices until it returns\.$/m,
  )
  expect(command.stderr).toMatch(
    /^\S+Z Depth requests fail: no connection\. The recording has their errors\.$/m,
  )
  await startTestSimulator({
    ...fastMarket,
    authKey: first.authKey,
    httpPort: Number(new URL(first.baseUrl).port),
    wsPort: Number(new URL(first.priceWsUrl).port),
  })
  await eventually(() => {
    expect(command.stderr).toMatch(/^\S+Z The service has returned\.$/m)
    expect(command.stderr).toMatch(/^\S+Z Depth requests succeed again\.$/m)
  })
  command.process.kill('SIGINT')
  expect(await command.waitForExit()).toBe(0)
  expect(command.stderr.split('\n').slice(4)).toEqual([expect.stringMatching(/^\d+ rows in /), ''])
})

test('prints with --log-format json only lines of JSON on standard error, with time, level and message', async () => {
  const file = newFile('market.ndjson')
  const first = await startTestSimulator()
  await first.close()
  const args = ['record', weth, '--interval', '50', '--log-format', 'json', '--out', file]
  const command = startInProcess(args, environmentOf(first))
  const lines = () =>
    command.stderr
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Readonly<Record<string, string>>)
  await eventually(() => expect(lines()).toHaveLength(2))
  for (const { time, level } of lines()) {
    expect(time).toMatch(/^\d{4}-.*Z$/)
    expect(level).toBe('warn')
  }
  expect(lines().map(({ message }) => message)).toEqual([
    expect.stringMatching(/^No connection to the service: /),
    expect.stringMatching(/^Depth requests fail: /),
  ])
  await startTestSimulator({
    ...fastMarket,
    authKey: first.authKey,
    httpPort: Number(new URL(first.baseUrl).port),
    wsPort: Number(new URL(first.priceWsUrl).port),
  })
  await eventually(() => expect(lines()).toHaveLength(4))
  command.process.kill('SIGINT')
  expect(await command.waitForExit()).toBe(0)
  expect(
    lines()
      .slice(2)
      .map(({ level }) => level),
  ).toEqual(['info', 'info', 'info'])
  expect(lines().at(-1)?.['message']).toMatch(/^\d+ rows in /)
})

test('prints once that the service is down when a gateway has lost it', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const gateway = await startTestGateway(createClientFor(simulator))
  const command = startInProcess(['record', weth, '--no-depth', '--gateway', gateway.baseUrl])
  await eventually(() => expect(command.stdout).toContain('"price":2500'))
  simulator.dropConnections()
  await eventually(() => expect(command.stderr).toMatch(/^\S+Z No connection to the service: .*\n/))
  expect(command.stderr.match(/the service is down/gi)).toHaveLength(1)
})

test('exits with 1 on SIGINT when the service has rejected every signature', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const command = startInProcess(['record', weth, '--interval', '50'], {
    ...environmentOf(simulator),
    SVC_AUTH_KEY: authKey,
  })
  await eventually(() => command.stdout.includes('"_tag":"Unauthorized"'))
  command.process.kill('SIGINT')
  expect(await command.waitForExit()).toBe(1)
  expect(command.stderr).toContain(
    'error: the service rejected the signature of every depth request\nCheck that --auth-key',
  )
})

test('exits with 1 when the service has rejected every token', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  expect(await runInProcess(['record', '0xdead', '--no-depth'], environmentOf(simulator))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'error: no token left to record: the service rejected every token\n',
    ) as string,
  })
})

test('prints the rejection of one token once, and records the others', async () => {
  const simulator = await startTestSimulator(fastMarket)
  const command = startInProcess(['record', weth, '0xdead', '--interval', '50'], environmentOf(simulator))
  await eventually(() => {
    expect(command.stdout.split('"_tag":"UnsupportedPair"').length).toBeGreaterThan(2)
    expect(command.stdout).toMatch(/"_tag":"Price".*"_tag":"Right"/)
  })
  command.process.kill('SIGINT')
  expect(await command.waitForExit()).toBe(0)
  expect(command.stderr.match(/svc-0xdead: rejected by the service: /g)).toHaveLength(1)
  expect(command.stderr.match(/ the service does not support the pair /g)).toHaveLength(1)
})

test('takes symbols, and writes rows without them', async () => {
  const command = startInProcess(['record', 'btc', '--simulate', '--no-depth'])
  await eventually(() => command.stdout.includes('"_tag":"Price"'))
  command.process.kill('SIGINT')
  expect([await command.waitForExit(), command.stderr]).toEqual([0, ''])
  const [header, ...rows] = command.stdout.split('\n').slice(0, -1)
  expect(decodeHeader(header!)).toMatchObject({ right: { topics: [`svc-${wbtc}`], mints: [] } })
  expect(rows.filter((row) => row.includes('symbol'))).toEqual([])
})
