import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { manualMarket } from '../../support/manual-market.js'
import { skipIf } from '../../support/run/skip.js'
import { startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { weth } from '../../support/tokens.js'
import { commandLine, startCommand, type CliProcess } from '../support/command.js'
import { environmentOf } from '../support/environment-of.js'
import { newFile } from '../support/new-file.js'

/** `script` of util-linux runs a command on a pseudo-terminal. The `script` of other systems takes other arguments. */
const withTerminal = skipIf(
  !String(spawnSync('script', ['--version']).stdout).includes('util-linux'),
  'no command script of util-linux',
)

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const onTerminal = (
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  [columns, rows] = [110, 30],
): CliProcess => {
  const command = `stty cols ${columns} rows ${rows}; exec ${commandLine(...args)
    .map(quoted)
    .join(' ')}`
  return startCommand(['script', '-qfec', command, '/dev/null'], { TERM: 'xterm', ...variables })
}

const escape = '\u001b'
const [hidden, shown] = [`${escape}[?25l`, `${escape}[?25h`]

test('redraws a table in place, and shows the cursor again after Ctrl-C', withTerminal, async () => {
  const terminal = onTerminal(['watch', '--simulate'])
  await eventually(
    () => /ETH.*live.*BTC.*live/s.test(terminal.stdout) && terminal.stdout.includes(escape + '[32m'),
  )
  await eventually(() => terminal.stdout.split('BTC').length > 3)
  terminal.process.stdin?.write('\u0003')
  expect(await terminal.waitForExit()).toBe(0)
  expect(terminal.stdout).toContain('TOKEN')
  expect(terminal.stdout).toContain(`${escape}[32mlive`)
  expect(terminal.stdout.lastIndexOf(shown)).toBeGreaterThan(terminal.stdout.lastIndexOf(hidden))
  expect(terminal.stdout.lastIndexOf(hidden)).toBeGreaterThanOrEqual(0)
})

test('redraws the table without colours if NO_COLOR is set', withTerminal, async () => {
  const terminal = onTerminal(['watch', '--simulate'], { NO_COLOR: '1' })
  await eventually(() => /ETH.*live.*BTC.*live/s.test(terminal.stdout))
  terminal.process.stdin?.write('\u0003')
  expect(await terminal.waitForExit()).toBe(0)
  expect(terminal.stdout).not.toContain(`${escape}[32m`)
})

test.each<[string, Readonly<Record<string, string>>, [number, number]]>([
  ['cannot redraw', { TERM: 'dumb' }, [110, 30]],
  ['reports no size', {}, [0, 0]],
])('prints plain lines on a terminal that %s', withTerminal, async (_what, variables, size) => {
  const terminal = onTerminal(['watch', '--simulate'], variables, size)
  await eventually(() => terminal.stdout.includes(' ETH price '))
  terminal.process.stdin?.write('\u0003')
  expect(await terminal.waitForExit()).toBe(0)
  expect(terminal.stdout).not.toContain(escape)
})

test('shows symbols of a file, and quantities with its decimals, in the table', withTerminal, async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const file = newFile('tokens.json', JSON.stringify({ MYTOKEN: { address: weth, decimals: 15 } }))
  const variables = { ...environmentOf(simulator), NO_COLOR: '1' }
  const terminal = onTerminal(['watch', 'mytoken', '--tokens', file], variables, [140, 30])
  await eventually(() =>
    /MYTOKEN +2,500\.0000 .*live +7,500\.00 +3,000\S* +2,500\.00 +1,000/.test(terminal.stdout),
  )
  terminal.process.stdin?.write('\u0003')
  expect(await terminal.waitForExit()).toBe(0)
})
