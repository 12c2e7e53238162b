import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { until } from '../../simulator/support/dial.js'
import { commandLine, start, type Command } from '../support/command.js'

/** `script` of util-linux is a terminal for a command; other systems have another, or none. */
const hasTerminal = String(spawnSync('script', ['--version']).stdout).includes('util-linux')

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const onTerminal = (
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  [columns, rows] = [110, 30],
): Command => {
  const command = `stty cols ${columns} rows ${rows}; exec ${commandLine(...args)
    .map(quoted)
    .join(' ')}`
  return start(['script', '-qfec', command, '/dev/null'], { TERM: 'xterm', ...variables })
}

const escape = '\u001b'
const [hidden, shown] = [`${escape}[?25l`, `${escape}[?25h`]

test.skipIf(!hasTerminal)('a table that is redrawn in place; after Ctrl-C the cursor is back', async () => {
  const terminal = onTerminal(['watch', '--simulate'])
  await until(
    () => /ETH.*live.*BTC.*live/s.test(terminal.stdout) && terminal.stdout.includes(escape + '[32m'),
  )
  await until(() => terminal.stdout.split('BTC').length > 3)
  terminal.process.stdin?.write('\u0003')
  expect(await terminal.ended()).toBe(0)
  expect(terminal.stdout).toContain('TOKEN')
  expect(terminal.stdout).toContain(`${escape}[32mlive`)
  expect(terminal.stdout.lastIndexOf(shown)).toBeGreaterThan(terminal.stdout.lastIndexOf(hidden))
  expect(terminal.stdout.lastIndexOf(hidden)).toBeGreaterThanOrEqual(0)
})

test.skipIf(!hasTerminal)('NO_COLOR: the same table without colours', async () => {
  const terminal = onTerminal(['watch', '--simulate'], { NO_COLOR: '1' })
  await until(() => /ETH.*live.*BTC.*live/s.test(terminal.stdout))
  terminal.process.stdin?.write('\u0003')
  expect(await terminal.ended()).toBe(0)
  expect(terminal.stdout).not.toContain(`${escape}[32m`)
})

test.skipIf(!hasTerminal).each<[string, Readonly<Record<string, string>>, [number, number]]>([
  ['cannot redraw', { TERM: 'dumb' }, [110, 30]],
  ['does not know its size', {}, [0, 0]],
])('a terminal that %s has plain lines', async (_what, variables, size) => {
  const terminal = onTerminal(['watch', '--simulate'], variables, size)
  await until(() => terminal.stdout.includes(' ETH price '))
  terminal.process.stdin?.write('\u0003')
  expect(await terminal.ended()).toBe(0)
  expect(terminal.stdout).not.toContain(escape)
})
