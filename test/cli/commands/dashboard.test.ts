import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { journalLines } from '../../../src/backtest/account/journal/journal.js'
import { startHttpServer } from '../../support/network/servers.js'
import { eventually } from '../../support/time/eventually.js'
import { wbtc, weth } from '../../support/tokens.js'
import { filled, savedState } from '../../dashboard/support/journal.js'
import { configOf } from '../../dashboard/support/config-of.js'
import { servedEvents } from '../../dashboard/support/served-events.js'
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
  const html = await page.text()
  expect(html).toContain('<html lang="en">')
  expect((await fetch(`${address}main.js`)).status).toBe(200)
  expect(configOf(html)).toMatchObject({
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
  const { allOf } = servedEvents(address)
  await eventually(() => allOf('Past').length === 6)
  const samples = allOf('Past').map(({ prices: [recent] }) => recent)
  for (const { times, values: usd } of samples) {
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(290_000)
    expect(usd).not.toContain(null)
  }
  expect(samples.filter(({ values: usd }) => Number(usd[0]) < 0.01)).toHaveLength(1)
})

test('shows the tokens of the arguments, by symbol or address', async () => {
  const tokens = newFile('tokens.json', JSON.stringify({ ABC: { address: '0xabc', decimals: 3 } }))
  const address = await addressOf(dashboard('--simulate', '--tokens', tokens, 'ABC', '0xdead', 'BTC'))
  expect(configOf(await (await fetch(address)).text())).toMatchObject({
    tokens: [
      { address: '0xabc', symbol: 'ABC', decimals: 3 },
      { address: '0xdead', symbol: '0xdead', decimals: null },
      { address: wbtc, symbol: 'BTC', decimals: 8 },
    ],
  })
})

test('serves the fills of a journal, also of one that another process creates later', async () => {
  const journal = newFile('desk.ndjson')
  const command = dashboard('--simulate', '--journal', journal)
  const address = await addressOf(command)
  expect(command.stderr).toMatch(/^.*desk\.ndjson does not exist yet; its fills will be shown\n/)
  await eventually(() =>
    expect(command.stderr).toContain(`paper strategy.js --gateway ${address} --journal `),
  )
  appendFileSync(journal, journalLines([filled('ETH', 'buy', 10n ** 18n, 2500)], savedState))
  const { allOf } = servedEvents(address)
  await eventually(() =>
    expect(
      allOf('Fills')
        .at(-1)
        ?.fills.map(({ text }) => text),
    ).toEqual(['buy 1.0000 at 2,500.0000 USD, position 1.0000']),
  )
})

test('fails if the journal is none', async () => {
  const journal = newFile('desk.ndjson', '{"price":1}\n')
  const { code, stderr } = await runInProcess(['dashboard', '--simulate', '--journal', journal])
  expect([code, stderr]).toEqual([1, expect.stringContaining('expected a line of a journal') as string])
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
