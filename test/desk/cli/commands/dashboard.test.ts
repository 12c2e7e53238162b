import { expect, test } from 'vitest'
import { isServedPast } from '../../../../src/desk/dashboard/model/served.js'
import { startHttpServer } from '../../../support/network/servers.js'
import { eventually } from '../../../support/time/eventually.js'
import { wbtc, weth } from '../../../support/tokens.js'
import { newFile } from '../support/new-file.js'
import { type CliProcess, commandLine, runCommand, startCommand } from '../support/command.js'
import { runInProcess } from '../support/in-process.js'

const dashboard = (...args: readonly string[]): CliProcess => startCommand(commandLine('dashboard', ...args))

/** The address that the command prints. */
const addressOf = async (command: CliProcess): Promise<string> => {
  await eventually(() => command.stdout.includes('\n'))
  return command.stdout.trim()
}

test('prints the address of the page, serves it, and exits with 0 on SIGINT', async () => {
  const command = dashboard('--simulate')
  const address = await addressOf(command)
  expect(command.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\n$/)
  const page = await fetch(address)
  expect(await page.text()).toContain('<html lang="en">')
  expect((await fetch(`${address}main.js`)).status).toBe(200)
  expect(await (await fetch(`${address}config.json`)).json()).toMatchObject({
    service: 'svc',
    environment: 'mainnet',
    source: 'a simulator of the service',
    tokens: [
      { address: weth, symbol: 'ETH', decimals: 18 },
      { address: wbtc, symbol: 'BTC', decimals: 8 },
      ...['ARB', 'GMX', 'LINK', 'PEPE'].map((symbol) => ({ symbol, decimals: 18 })),
    ],
    label: 'SIMULATED',
    depthInterval: 1000,
    staleAfter: 30_000,
  })
  command.process.kill('SIGINT')
  expect([await command.waitForExit(), command.stderr]).toEqual([
    0,
    'Open this address in a browser on this machine. Press Ctrl-C to stop.\n',
  ])
})

test('has five minutes of past of six simulated tokens, one of them below a cent', async () => {
  const address = await addressOf(dashboard('--simulate'))
  const past: unknown = await (await fetch(`${address}past.json`)).json()
  if (!isServedPast(past)) throw new Error('no past')
  const samples = Object.values(past).map(([recent]) => recent)
  expect(samples).toHaveLength(6)
  for (const { times, prices } of samples) {
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(290_000)
    expect(prices).not.toContain(null)
  }
  expect(samples.filter(({ prices }) => Number(prices[0]) < 0.01)).toHaveLength(1)
})

test('shows the tokens of the arguments, by symbol or address', async () => {
  const tokens = newFile('tokens.json', JSON.stringify({ ABC: { address: '0xabc', decimals: 3 } }))
  const address = await addressOf(dashboard('--simulate', '--tokens', tokens, 'ABC', '0xdead', 'BTC'))
  expect(await (await fetch(`${address}config.json`)).json()).toMatchObject({
    tokens: [
      { address: '0xabc', symbol: 'ABC', decimals: 3 },
      { address: '0xdead', symbol: '0xdead', decimals: null },
      { address: wbtc, symbol: 'BTC', decimals: 8 },
    ],
  })
})

test('fails if the port is in use', async () => {
  const { port } = new URL(await startHttpServer((_request, response) => response.end()))
  const { code, stderr } = await runCommand(['dashboard', '--simulate', '--port', port])
  expect([code, stderr]).toEqual([
    1,
    `error: --port: port ${port} is already in use; choose another one, or 0 for any free port\n`,
  ])
})

test('requires a token of a service', async () => {
  const { code, stderr } = await runInProcess(['dashboard', '--price-base-url', 'http://127.0.0.1:1'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('error: no token: ') as string])
})

test('fails if there is no such recording', async () => {
  const { code, stderr } = await runInProcess(['dashboard', '--recording', 'missing.ndjson'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('missing.ndjson') as string])
})
