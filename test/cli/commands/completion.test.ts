import { expect, test } from 'vitest'
import { completionScript, installedShells, typeInShell, type Shell } from '../support/shell.js'
import { newFile } from '../support/new-file.js'
import { startCommand } from '../support/command.js'
import { runInProcess } from '../support/in-process.js'

const output = async (command: readonly [string, ...string[]]) => {
  const shell = startCommand(command)
  expect([await shell.waitForExit(), shell.stderr]).toEqual([0, ''])
  return shell.stdout
}

/** What bash suggests for the last word. */
const suggestionsOf = async (...words: readonly string[]): Promise<readonly string[]> => {
  const script = newFile('completion', await completionScript('bash'))
  const program = `source "$1"; shift; COMP_WORDS=(svc-streams "$@"); COMP_CWORD=$#
    $(complete -p svc-streams | sed 's/.*-F \\([^ ]*\\).*/\\1/'); printf '%s\\n' "\${COMPREPLY[@]}"`
  return (await output(['bash', '-c', program, 'bash', script, ...words])).trim().split('\n')
}

test.each<readonly [string, readonly string[], readonly string[]]>([
  ['commands', ['re'], ['record', 'replay']],
  ['global flags', ['--v'], ['--version']],
  ['the flags of a command', ['watch', '--no'], ['--no-depth']],
  ['no flags of another command', ['replay', '--no'], ['']],
  ['the choices of a flag', ['watch', '--environment', ''], ['mainnet', 'testnet']],
  ['the choices of a flag after =', ['watch', '--environment', '=', 't'], ['testnet']],
  ['known tokens', ['watch', '--json', 'E'], ['ETH']],
  ['the commands of help', ['help', 'si'], ['simulate']],
  ['shells', ['completion', 'z'], ['zsh']],
  ['nothing where bash completes the name of a file', ['replay', 'package.j'], ['']],
  ['nothing for the file of a flag', ['gateway', '--keys', 'package.j'], ['']],
])('suggests %s', async (_, words, expected) => {
  expect(await suggestionsOf(...words)).toEqual(expected)
})

/** The commands and the long flags of a help text. */
const namesInHelp = async (...args: readonly string[]): Promise<readonly string[]> => {
  const { stdout } = await runInProcess([...args, '--help'])
  const lists = stdout.split('Examples:')[0]!
  return Array.from(lists.matchAll(/^ {2}(?:-\w, )?(--[\w-]+|[a-z-]+)/gm), ([, name = '']) => name)
}

test('knows every command, and every flag of it', async () => {
  const commands = (await namesInHelp()).filter((name) => !name.startsWith('-'))
  expect(commands).toEqual(await suggestionsOf(''))
  for (const command of commands.filter((name) => name !== 'help')) {
    const flags = (await namesInHelp(command)).filter((name) => name.startsWith('--'))
    expect(flags).not.toEqual([])
    expect(await suggestionsOf(command, '--')).toEqual(flags)
  }
})

test.each(installedShells)('completes what is typed in %s on a terminal', async (shell: Shell) => {
  const typed = await typeInShell(shell, 'svc-streams wa\t --env\ttes\tBT\t\n')
  // zsh writes --environment=testnet.
  expect(typed.flatMap((argument) => argument.split('='))).toEqual([
    'watch',
    '--environment',
    'testnet',
    'BTC',
  ])
})

test.each(installedShells)('completes the name of a file in %s on a terminal', async (shell: Shell) => {
  expect(await typeInShell(shell, 'svc-streams rep\tmy\t\n', ['my market.ndjson'])).toEqual([
    'replay',
    'my market.ndjson',
  ])
})

test.each(installedShells)('%s reads its script without an error', async (shell) => {
  const script = newFile('completion', await completionScript(shell))
  expect(await output([shell, '-n', script])).toBe('')
})

test('exits with 2 for an unknown shell, and lists the known ones', async () => {
  const { code, stderr } = await runInProcess(['completion', 'tcsh'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')])
})
