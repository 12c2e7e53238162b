import { isLeft } from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { decodeRow } from '../../../src/backtest/recording/codec/row-codec.js'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import { eventually } from '../../support/time/eventually.js'
import { wbtc, weth } from '../../support/tokens.js'
import { manualMarket } from '../../support/manual-market.js'
import { startTestSimulator } from '../../support/simulator.js'
import { newFile } from '../support/new-file.js'
import { type CliProcess, commandLine, startCommand } from '../support/command.js'
import { environmentOf } from '../support/environment-of.js'
import type { RunningCommand } from '../support/running-command.js'
import type { EnvironmentVariables } from '../../support/process/environment.js'
import { runInProcess, startInProcess } from '../support/in-process.js'

const watch = (args: readonly string[], variables: EnvironmentVariables = {}): RunningCommand =>
  startInProcess(['watch', ...args], variables)

const watchInOwnProcess = (args: readonly string[], variables: EnvironmentVariables = {}): CliProcess =>
  startCommand(commandLine('watch', ...args), variables)

/** The complete lines so far. */
const linesOf = ({ stdout }: RunningCommand): readonly string[] => stdout.split('\n').slice(0, -1)

const rowsOf = (command: RunningCommand): readonly Row[] =>
  linesOf(command).map((line) => {
    const row = decodeRow(line)
    if (isLeft(row)) throw new Error(`${row.left.message}: ${line}`)
    return row.right
  })

test('--simulate --json prints rows of both tokens, and exits with 0 on SIGINT', async () => {
  const command = watchInOwnProcess(['--simulate', '--json'])
  await eventually(() => rowsOf(command).filter(({ _tag }) => _tag === 'Depth').length >= 3)
  await eventually(() => rowsOf(command).filter(({ _tag }) => _tag === 'Price').length >= 3)
  command.process.kill('SIGINT')
  expect([await command.waitForExit(), command.stderr]).toEqual([0, ''])
  const rows = rowsOf(command)
  expect(rows).toContainEqual(expect.objectContaining({ _tag: 'Status', status: { _tag: 'Idle' } }))
  for (const row of rows) if ('event' in row) expect(row.event._tag).toBe('Right')
  const named = rows.flatMap((row) =>
    row._tag === 'Price' ? [row.topic] : row._tag === 'Depth' ? [row.mint] : [],
  )
  expect(new Set(named)).toEqual(new Set([weth, wbtc, `svc-${weth}`, `svc-${wbtc}`]))
})

test('prints plain lines into a pipe, and exits with 0 on SIGTERM', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const command = watchInOwnProcess([`svc-${weth}`, '0xdead'], { ...environmentOf(simulator), CI: 'true' })
  await eventually(() => command.stdout.includes(' ETH price ') && command.stdout.includes(' 0xdead price '))
  await eventually(() => command.stdout.includes(' ETH depth '))
  simulator.dropConnections(1012)
  await eventually(() => command.stdout.includes(' ETH price error: connection down '))
  command.process.kill('SIGTERM')
  expect([await command.waitForExit(), command.stderr]).toEqual([0, ''])
  const lines = linesOf(command)
  expect(lines.filter((line) => !/^\d{4}-\d\d-\d\dT[\d:.]+Z \S+ [ -~]+$/.test(line))).toEqual([])
  const tails = lines.map((line) => line.slice(line.indexOf(' ') + 1))
  expect(tails).toContain('ETH price 2500.0000 USD')
  expect(tails).toContain('ETH depth 2500.0000 USD, buy 7500.00 USD 3 ETH, sell 2500.00 USD 1 ETH')
  expect(tails).toContain('status connected')
})

test('prints prices in plain decimal notation into a pipe, and exactly with --json', async () => {
  const market = manualMarket()
  const simulator = await startTestSimulator({ market })
  const variables = environmentOf(simulator)
  const [text, json] = [
    watch(['--no-depth', weth], variables),
    watch(['--json', '--no-depth', weth], variables),
  ]
  await eventually(() => text.stdout.includes(' price ') && json.stdout.includes('"Price"'))
  const prices = [0.1 + 0.2, 0.00000123, 1e-7, 1e21, 61685.995]
  for (const price of prices) market.update({ price })
  await eventually(() => text.stdout.includes('61685.9950') && json.stdout.includes('61685.995'))
  expect(linesOf(text).flatMap((line) => /price (\S+) USD$/.exec(line)?.[1] ?? [])).toEqual([
    '2500.0000',
    '0.300000',
    '0.00000123000',
    '0.000000100000',
    '1000000000000000000000.0000',
    '61685.9950',
  ])
  const exact = rowsOf(json).flatMap((row) =>
    row._tag === 'Price' && !isLeft(row.event) ? [row.event.right.price] : [],
  )
  expect(exact).toEqual([2500, ...prices])
})

test('exits with 0 when stdout is closed', async () => {
  const command = watchInOwnProcess(['--simulate'])
  await eventually(() => linesOf(command).length > 0)
  command.process.stdout?.destroy()
  expect([await command.waitForExit(), command.stderr]).toEqual([0, ''])
})

test('exits with 0 in a pipe to head -1', async () => {
  const [node, ...args] = commandLine('watch', '--simulate')
  const pipeline = startCommand(['sh', '-c', '"$@" | head -1', 'sh', node, ...args])
  expect(await pipeline.waitForExit()).toBe(0)
  expect([linesOf(pipeline).length, pipeline.stderr]).toEqual([1, ''])
})

test('exits with 0 after --duration', async () => {
  const { code, stdout, stderr } = await runInProcess(['watch', '--simulate', '--duration', '3'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('connecting')
})

test('requests no depth without a key or with --no-depth; takes the tokens of SVC_TOKENS', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const keyless = { ...environmentOf(simulator), SVC_AUTH_KEY: '' }
  const commands = [
    watch(['--json'], { ...keyless, SVC_TOKENS: `ETH=${weth},${wbtc}` }),
    watch(['--json', '--no-depth', weth, wbtc], environmentOf(simulator)),
  ]
  for (const command of commands) {
    await eventually(() => rowsOf(command).filter(({ _tag }) => _tag === 'Price').length >= 2)
    command.process.kill('SIGINT')
    expect(await command.waitForExit()).toBe(0)
  }
  expect(simulator.requests).toEqual([])
})

test('polls every --interval', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const command = watch(['--json', '--interval', '5', weth], environmentOf(simulator))
  await eventually(() => simulator.requests.length >= 20)
  command.process.kill('SIGINT')
  expect(await command.waitForExit()).toBe(0)
})

test('reports a refused connection and keeps retrying', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  await simulator.close()
  const command = watch([weth], environmentOf(simulator))
  await eventually(() => (command.stdout.match(/ ETH price error: .*ECONNREFUSED/g) ?? []).length >= 2)
  await eventually(() => / ETH depth error: no response: .*ECONNREFUSED/.test(command.stdout))
  command.process.kill('SIGINT')
  expect([await command.waitForExit(), command.stderr]).toEqual([0, ''])
})

test('takes symbols, and prints topic and symbol with --json, which replay can read after a header', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const tokens = { WETH: { address: weth, decimals: 18 }, WBTC: { address: wbtc, decimals: 8 } }
  const file = newFile('tokens.json', JSON.stringify(tokens))
  const command = watch(['WETH', 'wbtc', '--tokens', file, '--json'], environmentOf(simulator))
  const topics = [`svc-${weth}`, `svc-${wbtc}`]
  const jsonOf = () => linesOf(command).map((line) => JSON.parse(line) as Record<string, unknown>)
  await eventually(() => jsonOf().filter(({ _tag }) => _tag === 'Price').length >= 2)
  await eventually(() => jsonOf().filter(({ _tag }) => _tag === 'Depth').length >= 2)
  command.process.kill('SIGINT')
  expect([await command.waitForExit(), command.stderr]).toEqual([0, ''])
  for (const row of jsonOf()) {
    const symbol = { [`svc-${weth}`]: 'WETH', [`svc-${wbtc}`]: 'WBTC' }[String(row['topic'])]
    expect(row['symbol']).toBe(symbol)
    expect(symbol === undefined).toBe(row['_tag'] === 'Status')
  }
  const header = { _tag: 'Recording', version: 1, at: 0, topics, mints: [weth, wbtc], interval: 1000 }
  const recording = newFile('watch.ndjson', `${JSON.stringify(header)}\n${command.stdout}`)
  const replayed = await runInProcess(['replay', recording, '--speed', 'max', '--tokens', file, '--json'])
  expect([replayed.code, replayed.stderr]).toEqual([0, ''])
  // The status of a replay is Idle from its start on, and its prices have no positions.
  const emitted = linesOf(command)
    .filter((line) => !line.includes('"Idle"'))
    .map((line) => line.replace(/"position":\{[^}]*\},/, ''))
  expect(replayed.stdout.split('\n')).toEqual(expect.arrayContaining(emitted))
})

test('watches all tokens of --tokens without arguments', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const file = newFile('tokens.json', JSON.stringify({ WETH: { address: weth, decimals: 15 } }))
  const command = watch(['--tokens', file], environmentOf(simulator))
  await eventually(() => command.stdout.includes(' WETH price '))
  await eventually(() => command.stdout.includes(' WETH depth '))
  command.process.kill('SIGINT')
  expect(await command.waitForExit()).toBe(0)
  expect(command.stdout).toMatch(/ WETH depth .* buy 7500\S* USD 3000 WETH, sell 2500\S* USD 1000 WETH$/m)
})
