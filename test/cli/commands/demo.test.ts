import { expect, test } from 'vitest'
import { eventually } from '../../support/time/eventually.js'
import type { EnvironmentVariables } from '../../support/process/environment.js'
import { programCommand } from '../../support/process/node-process.js'
import { manualMarket } from '../../support/manual-market.js'
import { startTestSimulator } from '../../support/simulator.js'
import { weth } from '../../support/tokens.js'
import { commandLine, startCommand } from '../support/command.js'
import { environmentOf } from '../support/environment-of.js'
import { shellWords, startShell, type Screen, type TerminalProcess } from '../support/terminal.js'

const escapes = /\u001b\[[\d;?]*[A-Za-z]/g
const colours = /\u001b\[[\d;]*m/
const ctrlC = '\u0003'

/** Starts the demonstration in a shell whose prompt is in the last row. The shell prints the exit code. */
const startAtBottom = (columns: number, environment: EnvironmentVariables = {}): TerminalProcess => {
  const demo = shellWords(commandLine('watch', '--demo'))
  const script = `seq -f 'earlier output %g' 30; echo '$ demo'; ${demo}; echo "exit code $?"`
  return startShell(script, environment, { columns, rows: 24 })
}

const earlierRows = [...Array.from({ length: 30 }, (_, index) => `earlier output ${index + 1}`), '$ demo']

const allRows = ({ scrolledOut, visible }: Screen): readonly string[] => [...scrolledOut, ...visible]

const count = (rows: readonly string[], start: string): number =>
  rows.filter((row) => row.startsWith(start)).length

/** Waits until the row of a token contains a state. */
const waitForState = async (terminal: TerminalProcess, symbol: string, state: string): Promise<void> => {
  await eventually(async () => {
    const { visible } = await terminal.screen()
    expect(visible.find((row) => row.startsWith(symbol))).toContain(state)
  })
}

test('draws each row once, with fixed digits, and leaves the last view below the earlier output on Ctrl-C', async () => {
  const terminal = startAtBottom(80)
  await waitForState(terminal, 'PEPE', 'live')
  await waitForState(terminal, 'ETH', 'live')
  await waitForState(terminal, 'ETH', 'down')
  await waitForState(terminal, 'ETH', 'live')
  const rows = allRows(await terminal.screen())
  const [title, next, blank, titles] = rows
  expect(title).toMatch(
    /^A simulator plays a recorded market\. ARB, GMX, LINK and PEPE have random prices\.$/,
  )
  expect(next).toMatch(/^Next: it refuses requests for depth in \d+ s\.$/)
  expect([blank, titles]).toEqual(['', expect.stringMatching(/^TOKEN /)])
  for (const start of ['A simulator', 'Next: ', 'TOKEN ', 'ETH ', 'Press Ctrl-C to stop.']) {
    expect(count(rows, start)).toBe(1)
  }

  const frames = terminal.stdout.replace(escapes, '').split('\n')
  for (const symbol of ['ETH', 'BTC', 'ARB', 'GMX', 'LINK']) {
    const shown = frames.filter((row) => new RegExp(`^${symbol} .*(live|down)`).test(row))
    expect(shown.length).toBeGreaterThan(20)
    expect(new Set(shown.map((row) => row.indexOf('.'))).size).toBe(1)
  }

  terminal.type(ctrlC)
  expect(await terminal.waitForExit()).toBe(0)
  const { visible, scrolledOut, cursor } = await terminal.screen()
  const last = allRows({ visible, scrolledOut, cursor, isWrapped: false })
  expect(last.slice(0, earlierRows.length)).toEqual(earlierRows)
  expect(count(last, 'TOKEN ')).toBe(1)
  expect(visible.slice(cursor.row - 2)).toEqual(['Press Ctrl-C to stop.', 'exit code 0', ''])
  expect(cursor.column).toBe(0)
  expect(terminal.stdout.lastIndexOf('\u001b[?25h')).toBeGreaterThan(
    terminal.stdout.lastIndexOf('\u001b[?25l'),
  )
})

test('fits into 40 columns, and leaves no row twice after a change of the size', async () => {
  const terminal = startAtBottom(40)
  await waitForState(terminal, 'ETH', 'live')
  const narrow = await terminal.screen()
  expect(narrow.isWrapped).toBe(false)
  expect(narrow.visible.slice(0, 2)).toEqual([
    'A simulator plays a recorded market.',
    expect.stringMatching(/^Next: it .*\.$/),
  ])
  expect(narrow.visible).toContain('Press Ctrl-C to stop.')
  for (const [columns, rows, titles] of [
    [100, 24, /^TOKEN .* SELL, USD/],
    [40, 30, /^TOKEN .* STATE$/],
    [60, 14, /^TOKEN .* STATE$/],
  ] as const) {
    terminal.resize({ columns, rows })
    await eventually(async () => {
      const { visible, isWrapped } = await terminal.screen()
      expect(visible.find((row) => row.startsWith('TOKEN '))).toMatch(titles)
      expect([isWrapped, count(visible, 'TOKEN '), count(visible, 'ETH ')]).toEqual([false, 1, 1])
      expect(visible).toContain('Press Ctrl-C to stop.')
    })
  }
  terminal.type(ctrlC)
  expect(await terminal.waitForExit()).toBe(0)
})

test('redraws without colours with NO_COLOR', async () => {
  const terminal = startAtBottom(80, { NO_COLOR: '1' })
  await waitForState(terminal, 'ETH', 'live')
  expect(terminal.stdout).not.toMatch(colours)
  expect(count(allRows(await terminal.screen()), 'TOKEN ')).toBe(1)
})

const expectLines = async (stdout: () => string): Promise<void> => {
  await eventually(() => {
    expect(stdout()).toMatch(/Z ETH price [\d,.]+ USD$/m)
    expect(stdout()).toMatch(/Z PEPE price [\d.]+ USD$/m)
  })
  expect(stdout()).toMatch(/Z A simulator plays a recorded market\. .* Press Ctrl-C to stop\.$/m)
  expect(stdout()).not.toContain('\u001b')
}

test('prints lines without escape sequences on a dumb terminal', async () => {
  const terminal = startAtBottom(80, { TERM: 'dumb' })
  await expectLines(() => terminal.stdout.replaceAll('\r', ''))
  terminal.type(ctrlC)
  expect(await terminal.waitForExit()).toBe(0)
})

test('npm start prints lines without escape sequences into a pipe, and exits with 0 on SIGINT', async () => {
  const command = startCommand(programCommand('scripts/start.ts'))
  await expectLines(() => command.stdout)
  await eventually(() =>
    expect(command.stdout).toMatch(
      /Z The simulator drops its connection\.\n[^]* ETH price error: connection down /,
    ),
  )
  command.process.kill('SIGINT')
  expect([await command.waitForExit(), command.stderr]).toEqual([0, ''])
})

test('shows refused connections as one line, and the next attempt, on a terminal of 80 columns', async () => {
  const simulator = await startTestSimulator({ market: manualMarket(), faults: { refuseUpgrades: 503 } })
  const args = commandLine('watch', weth, '--no-depth')
  const terminal = startShell(shellWords(args), environmentOf(simulator), { columns: 80, rows: 24 })
  await eventually(async () => {
    const { visible } = await terminal.screen()
    const lines = visible.filter((row) => row.includes('No connection'))
    expect(lines).toEqual([expect.stringMatching(/ No connection to the service: .*503\.$/)])
    expect(visible).toContainEqual(expect.stringMatching(/^● down \(.*503\), next attempt in \d+ ms/))
  })
  terminal.type(ctrlC)
  expect(await terminal.waitForExit()).toBe(0)
})

test('npm start shows the deployment that the environment configures', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const tokens = { SVC_TOKENS: `ETHER=${weth}` }
  const command = startCommand(programCommand('scripts/start.ts'), {
    ...environmentOf(simulator),
    ...tokens,
  })
  await eventually(() => expect(command.stdout).toMatch(/Z ETHER price 2500.0000 USD$/m))
  command.process.kill('SIGINT')
  expect([await command.waitForExit(), command.stderr]).toEqual([0, ''])
  expect(command.stdout).not.toContain('A simulator')

  const incomplete = startCommand(programCommand('scripts/start.ts'), tokens)
  expect(await incomplete.waitForExit()).toBe(2)
  expect(incomplete.stderr).toContain('SVC_PRICE_BASE_URL')
})
