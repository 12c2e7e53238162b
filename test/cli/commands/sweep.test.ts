import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { moduleFolder } from '../../backtest/sweep/support/run-sweep.js'
import { recordingText } from '../../backtest/recording/support/recordings.js'
import { eventually } from '../../support/time/eventually.js'
import { header, priced } from '../support/recording.js'
import { commandLine, runCommand, startCommand } from '../support/command.js'
import { newFile } from '../support/new-file.js'
import { runInProcess } from '../support/in-process.js'
import { startOnTerminal } from '../support/terminal.js'

const strategy = `
import { map, take, timer } from 'rxjs'
import { rights } from 'svc-streams/operators'
export default (client, { count = 9, wait = 0, fail = false }) => {
  if (fail) throw new Error('fail is \\u202e true')
  for (const end = performance.now() + wait; performance.now() < end;);
  return client.price$('svc-0xab').pipe(rights(), map(({ price }) => ({ price, exact: 2n ** 64n })), take(count))
}
`

/** A folder with a recording, a strategy and parameters. Returns their paths. */
const files = (parameters: unknown, module = strategy): readonly [string, string, string, string] => {
  const folder = moduleFolder()
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  return [
    write('market.ndjson', recordingText(header, priced(10, 1.5), priced(20, 2.5), priced(60_000, 3.5))),
    write('strategy.mjs', module),
    '--parameters',
    write('parameters.json', typeof parameters === 'string' ? parameters : JSON.stringify(parameters)),
  ]
}

test('prints one line per parameter', async () => {
  const args = files([{ count: 1 }, {}, { count: 0 }])
  expect(await runCommand(['sweep', ...args])).toEqual({
    code: 0,
    stdout: `\
{"count":1}  1 value  1 row  last {"price":1.5,"exact":"18446744073709551616"}
{}  3 values  3 rows  last {"price":3.5,"exact":"18446744073709551616"}
{"count":0}  0 values  0 rows
`,
    stderr: '',
  })
})

test('puts the highest number first, and writes the numbers and the failures as CSV', async () => {
  const args = files([{ count: 1 }, { fail: true }, { count: 3 }])
  const csv = newFile('sweep.csv', '')
  const { code, stdout } = await runCommand(['sweep', ...args, '--sort', 'price', '--csv', csv])
  expect(code).toBe(1)
  expect(stdout.split('\n').map((line) => line.split('  ')[0])).toEqual([
    '{"count":3}',
    '{"count":1}',
    '{"fail":true}',
    '',
  ])
  const [titles, ...lines] = readFileSync(csv, 'utf8').split('\r\n')
  expect(titles).toBe('parameter,price,exact,error')
  expect(lines[0]).toBe('"{""count"":3}",3.5,18446744073709551616,')
  expect(lines[2]).toMatch(/^"{""fail"":true}",,,failed: /)
})

test('puts values that are NaN last, as those without a number, and leaves them out of the files', async () => {
  const module = `import { of } from 'rxjs'\nexport default (client, sharpe) => of({ sharpe: sharpe ?? NaN })`
  const [csv, report] = [newFile('sweep.csv', ''), newFile('sweep.html', '')]
  const flags = ['--sort', 'sharpe', '--csv', csv, '--report', report]
  const { code, stdout } = await runCommand(['sweep', ...files([1, null, 3, 2, null, 5], module), ...flags])
  const parameters = stdout.split('\n').map((line) => line.split('  ')[0])
  expect([code, parameters]).toEqual([0, ['5', '3', '2', '1', 'null', 'null', '']])
  expect(readFileSync(csv, 'utf8').split('\r\n').slice(4)).toEqual(['1,1,', 'null,,', 'null,,', ''])
  expect(readFileSync(report, 'utf8')).not.toContain('NaN')
})

test('sorts by, and writes as CSV, a last value that is a number itself', async () => {
  const module = `import { of } from 'rxjs'\nexport default (client, count) => of(0, count)`
  const csv = newFile('sweep.csv', '')
  const flags = ['--sort', 'last value', '--csv', csv]
  const { code, stdout } = await runCommand(['sweep', ...files([7, 9], module), ...flags])
  expect([code, stdout.split('\n').map((line) => line.split('  ')[0])]).toEqual([0, ['9', '7', '']])
  expect(readFileSync(csv, 'utf8').split('\r\n')).toEqual(['parameter,last value,error', '9,9,', '7,7,', ''])
})

test('sorts by, and shows, a number of a token whose symbol has a dot', async () => {
  const module = `import { of } from 'rxjs'\nexport default (client, gain) => of({ buyAndHold: { 'USDC.e': gain } })`
  const report = newFile('sweep.html', '')
  const flags = ['--sort', 'buyAndHold.USDC.e', '--report', report]
  const { code, stdout } = await runCommand(['sweep', ...files([0.25, 0.5], module), ...flags])
  expect([code, stdout.split('\n').map((line) => line.split('  ')[0])]).toEqual([0, ['0.5', '0.25', '']])
  expect(readFileSync(report, 'utf8')).toMatch(/<td[^>]*>0\.5<\/td><td[^>]*>50\.00 %<\/td>/)
})

test('a field to sort by that no last value has fails with the names of their numbers', async () => {
  const { code, stdout, stderr } = await runCommand(['sweep', ...files([{ count: 1 }]), '--sort', 'profit'])
  expect([code, stdout]).toEqual([1, expect.stringContaining('{"count":1}')])
  expect(stderr).toContain('--sort: no last value has a number profit; its numbers are price, exact')
})

test('prints numbers without commas, which a program reads', async () => {
  const args = files([{ count: 0 }, { count: 2000 }])
  const rows = Array.from({ length: 1200 }, (_, index) => priced(index, 1.5))
  writeFileSync(args[0], recordingText(header, ...rows))
  const { stdout } = await runCommand(['sweep', ...args])
  expect(stdout.split('\n')[1]).toMatch(/^{"count":2000} {2}1200 values {2}1200 rows {2}/)
})

test.each([[[]], [['--walk-forward', '30s/30s', '--metric', 'count']]])(
  'runs a strategy in TypeScript, and leaves no bundle: %j',
  async (flags) => {
    const typed = `
      import { map, range, type Observable } from 'rxjs'
      import type { Client } from 'svc-streams'
      export default (client: Client): Observable<object> => range(1, 2).pipe(map((count) => ({ count })))`
    const [recording, module, ...args] = files([0], typed)
    const folder = dirname(module)
    renameSync(module, join(folder, 'strategy.ts'))
    const before = readdirSync(folder)
    const result = await runCommand(['sweep', recording, join(folder, 'strategy.ts'), ...args, ...flags])
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(result.stdout).toContain('last {"count":2}')
    expect(readdirSync(folder)).toEqual(before)
  },
)

test('--json prints all values, and --from and --to select a part', async () => {
  const args = files([{ count: 2 }])
  const range = ['--from', '2026-11-21T10:00:00.020Z', '--to', '2026-11-21T10:00:01Z']
  const { stdout } = await runCommand(['sweep', ...args, ...range, '--workers', '1', '--json'])
  expect(JSON.parse(stdout)).toEqual({
    _tag: 'Right',
    right: {
      parameter: { count: 2 },
      values: [{ price: 2.5, exact: '18446744073709551616' }],
      summary: { rows: 1 },
    },
  })
})

test('a parameter without a result is a failure, and the others have theirs', async () => {
  const { code, stdout, stderr } = await runCommand(['sweep', ...files([{ fail: true }, { count: 1 }])])
  expect(code).toBe(1)
  expect(stdout.split('\n')).toEqual([
    '{"fail":true}  failed: the strategy failed: fail is \\u202e true',
    expect.stringMatching(/^\{"count":1\} {2}1 value /),
    '',
  ])
  expect(stderr).toBe(
    'error: 1 of 2 parameters has no result; see https://github.com/svc-streams/svc-streams/blob/main/docs/reference/errors.md#sweeperror\n',
  )
})

test('shows progress on a terminal, and the lines above it', async () => {
  const args = files([{ count: 2, wait: 1000 }, { fail: true }])
  const command = startOnTerminal(['sweep', ...args], {}, { columns: 120, rows: 20 })
  await eventually(async () => /0 of 2 parameters {2}\d s/.test((await command.screen()).visible.join('\n')))
  expect(await command.waitForExit()).toBe(1)
  const { visible } = await command.screen()
  const [first, second, ...error] = visible.filter((line) => line !== '')
  expect([first, second, error.join('')]).toEqual([
    expect.stringMatching(/^\{"count":2,"wait":1000\} {2}2 values {2}2 rows {2}last \{"price":2.5/),
    expect.stringMatching(/^\{"fail":true\} {2}failed: the strategy failed: fail is/),
    'error: 1 of 2 parameters has no result; see https://github.com/svc-streams/svc-streams/blob/main/docs/reference/errors.md#sweeperror',
  ])
})

test('Ctrl-C ends the threads and the command, which has no result', async () => {
  const [recording, module, ...rest] = files(
    [{}],
    `console.log('imported'); export default () => { for (;;); }`,
  )
  const command = startCommand(commandLine('sweep', recording, module, ...rest))
  // The command imports the module too, before its threads.
  await eventually(() => command.stdout.split('imported').length > 2)
  command.process.kill('SIGINT')
  expect(await command.waitForExit()).toBe(1)
  expect(command.stderr).toBe('error: stopped after 0 of 1 parameter\n')
})

test.each<[string, (args: readonly [string, string, string, string]) => readonly string[], number, string]>([
  [
    'without a recording',
    ([, ...args]) => args,
    2,
    'give a recording, and after it the module of the strategy',
  ],
  [
    'without parameters',
    ([recording, module]) => [recording, module],
    2,
    "required option '--parameters <file>'",
  ],
  [
    'for parameters in place of their file',
    ([recording, module, flag]) => [recording, module, flag, '[5, 10]'],
    2,
    '--parameters: [5, 10] does not exist; expected a JSON array, such as',
  ],
  [
    'for standard input',
    ([, ...args]) => ['-', ...args],
    2,
    '-: each worker thread reads the recording; give a file',
  ],
  ['for no threads', (args) => [...args, '--workers', '0'], 2, 'Give a whole number from 1 to 1024.'],
  [
    'for an empty range',
    (args) => [...args, '--from', '200000000000', '--to', '100000000000'],
    2,
    '--to: expected',
  ],
  [
    'for a recording without an event',
    ([, ...args]) => [newFile('market.ndjson', recordingText(header)), ...args],
    1,
    'error: no event after the header of the recording; the recording starts at 2026-11-21T10:00:00.000Z',
  ],
  [
    'for a range without an event',
    (args) => [...args, '--to', '2026-11-21T10:00:00.010Z'],
    1,
    'error: no event between --from and --to; the recording starts at 2026-11-21T10:00:00.000Z',
  ],
  ['for a missing recording', ([, ...args]) => ['no.ndjson', ...args], 1, 'no.ndjson does not exist'],
  [
    'for the strategy before the recording',
    ([recording, module, ...args]) => [module, recording, ...args],
    2,
    'expected the module of the strategy, such as strategy.js; give the recordings first, and the module last',
  ],
  [
    'for a strategy in JSON',
    ([recording, , ...args]) => [recording, 'strategy.json', ...args],
    2,
    'strategy.json: expected the module of the strategy',
  ],
  [
    'for a missing strategy',
    ([recording, , ...args]) => [recording, 'no.js', ...args],
    1,
    'no.js: the module of the strategy does not exist',
  ],
])('fails %s', async (_, change, code, message) => {
  const result = await runInProcess(['sweep', ...change(files([{}]))])
  expect(result.stderr).toContain(message)
  expect(result.code).toBe(code)
})

test('fails once for a module that is no strategy', async () => {
  const args = files([{}, {}], 'export const a = 1')
  const { code, stdout, stderr } = await runCommand(['sweep', ...args])
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(
    /^error: the strategy cannot be loaded: expected a function \(client, parameter\), or \(client, account, parameter\) beside an export options, as the default export of file:.*; see https:\S+\/docs\/reference\/errors\.md#sweeperror\n$/,
  )
})

test.each([
  ['{}', 'expected a JSON array, such as [5, 10, 20] or [{ "window": 5 }]'],
  ['[1', 'expected JSON: Expected '],
  ['[]', 'has no parameter; add one'],
])('fails for the parameters %s', async (text, message) => {
  const { code, stderr } = await runInProcess(['sweep', ...files(text)])
  expect(stderr).toContain(`parameters.json: ${message}`)
  expect(code).toBe(2)
})

test.each([['--min-trades', ['--min-trades', '5']]])('rejects with "%s": %j', async (message, flags) => {
  const { code, stderr } = await runInProcess(['sweep', ...files([1]), ...flags])
  expect(code).toBe(2)
  expect(stderr).toContain(message)
})

test('writes a page of the results with --report, with the command that gives it again', async () => {
  const args = files([{ count: 1 }, { count: 3 }, { count: 2 }])
  const report = newFile('sweep.html', '')
  expect((await runCommand(['sweep', ...args, '--report', report])).code).toBe(0)
  const html = readFileSync(report, 'utf8')
  expect(html).toContain('price by count')
  expect([...html.matchAll(/<tr><td[^>]*>(\d)<\/td>/g)].map(([, count]) => count)).toEqual(['3', '2', '1'])
  expect(html).toContain(`--report ${report}`)
})
