import { expect, test } from 'vitest'
import type { Io } from '../../../src/cli/io.js'
import { createProgram } from '../../../src/cli/program.js'
import { runInProcess } from '../support/in-process.js'
import { newFile } from '../support/new-file.js'

test('the help of a command is as wide as the terminal', async () => {
  const { stdout } = await runInProcess(['export', '--help'])
  const printed: string[] = []
  const stdoutOf = { isTTY: true, columns: 60, write: (text: string) => printed.push(text) }
  const program = await createProgram({ stdout: stdoutOf } as unknown as Io, 'all')
  program.commands.find((command) => command.name() === 'export')?.outputHelp()
  const lines = printed.join('').split('\n')
  // A URL is one word.
  expect(lines.filter((line) => line.length > 60 && !line.startsWith('https://'))).toEqual([])
  expect(lines.at(-2)).toMatch(/^https:\/\/\S+\/docs\/strategies\/analysis\.md$/)
  expect(lines.join('\n').split(/\s+/)).toEqual(stdout.split(/\s+/))
})

test('the lists of commands, arguments and flags are as wide as a narrow terminal', async () => {
  const stdout = { isTTY: true, columns: 60 }
  const program = await createProgram({ stdout } as Io, 'all')
  const helps = [program, ...program.commands].map((command) => command.helpInformation())
  expect(helps.length).toBeGreaterThan(15)
  const lines = helps.join('\n').split('\n')
  expect(lines.filter((line) => line.length > 60)).toEqual([])
})

test.each([
  [
    'a file of tokens that is a folder',
    ['watch', '--simulate', '--tokens', '.'],
    '--tokens: . is a directory\n',
  ],
  ['a file that does not exist', ['import', 'no.csv', '--out', 'x.ndjson'], 'error: no.csv does not exist\n'],
  [
    'a folder as the output',
    ['record', '--simulate', '--out', '.'],
    '. is a folder; give the name of a file in it\n',
  ],
  [
    'a folder as the output of import',
    ['import', 'no.csv', '--out', '.'],
    '. is a folder; give the name of a file',
  ],
  [
    'a rotated recording whose name is a folder',
    ['record', '--simulate', '--rotate', '1h', '--out', '.'],
    '--out: . is a folder; give the name of a file in it\n',
  ],
  [
    'a report in a missing folder',
    ['backtest', 'no.ndjson', 'no.mjs', '--report', '/no/such/page.html'],
    '--report: the folder of /no/such/page.html does not exist; create it, or choose another name\n',
  ],
  [
    'a journal that is a folder',
    ['paper', 'no.mjs', '--simulate', '--journal', '.'],
    '--journal: . is a folder; give the name of a file in it\n',
  ],
  [
    'a strategy that does not exist',
    ['backtest', 'no.ndjson', 'no.mjs'],
    'no.mjs: the module of the strategy does not exist\n',
  ],
])('%s has an error in words', async (_, args, text) => {
  const { code, stderr } = await runInProcess(args)
  expect(code).toBeGreaterThan(0)
  expect(stderr).toContain(text)
  expect(stderr).not.toMatch(/ENOENT: |EISDIR: |syscall|imported from/)
})

test.each([
  [
    'a part of a recording without a length',
    ['backtest', 'no.ndjson', 'strategy.mjs', '--from', '2026-01-02', '--to', '2026-01-01'],
    '--to: expected a time after --from\n',
  ],
  [
    'an account without a token',
    ['backtest', 'no.ndjson', 'strategy.mjs'],
    'strategy.mjs: options: tokens: expected',
  ],
  [
    'a key that is not base64',
    ['gateway', '--simulate', '--keys', 'keys.json'],
    'keys.json: keys.desk: expected a base64 string',
  ],
])('%s is named with its file', async (_, args, text) => {
  const strategy =
    'export default () => undefined; export const options = { tokens: {}, cash: 1, latency: 0, feeBps: 0, slippageBps: 0 }'
  const files = new Map([
    ['strategy.mjs', newFile('strategy.mjs', strategy)],
    ['keys.json', newFile('keys.json', '{ "desk": "%%" }')],
  ])
  const { code, stderr } = await runInProcess(args.map((arg) => files.get(arg) ?? arg))
  expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining(text)])
})
