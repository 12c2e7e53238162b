import { describe, expect, it, test } from 'vitest'
import { runInProcess } from './support/in-process.js'

/** The output and the exit code of a command that starts nothing. */
const run = (...args: readonly string[]) => runInProcess(args)

const { stdout: programHelp } = await run('--help')
const commands = [...programHelp.matchAll(/^ {2}([a-z-]+)(?: \[.*?)? {2,}\S/gm)].map(([, name = '']) => name)

/** The flags of a list of options, each with its short form. */
const listedFlags = (help: string): readonly string[] =>
  [...help.matchAll(/^ {2}(?:(-\w), )?(--[\w-]+)/gm)].flatMap(([, short, long = '']) =>
    short === undefined ? [long] : [short, long],
  )

const namedFlags = (text: string): readonly string[] =>
  [...text.matchAll(/(?<![\w-])--[a-z][\w-]*/g)].map(([flag]) => flag)

test('lists each command once in the help', () => {
  expect(new Set(commands).size).toBe(commands.length)
  expect(commands).toContain('watch')
})

describe.each(commands.filter((name) => name !== 'help'))('the help of %s', (name) => {
  const help = () => runInProcess([name, '--help'], { SVC_AUTH_KEY: 'c2VjcmV0' })

  it('is printed with exit code 0, without the value of a key', async () => {
    const { code, stdout, stderr } = await help()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(new RegExp(`^Usage: svc-streams ${name}`))
    expect(stdout).not.toContain('c2VjcmV0')
  })

  it('names pages of the documentation by their URL', async () => {
    expect((await help()).stdout).not.toMatch(/(?<!\S)(?:docs|README)\b[/.]/)
  })

  it('lists each flag once, with a description, within 80 columns', async () => {
    const [list = ''] = (await help()).stdout.split('\n\nExamples:')
    const flags = listedFlags(list)
    expect(flags).toContain('--help')
    expect(flags.toSorted()).toEqual([...new Set(flags)].toSorted())
    const lines = list.split('\n')
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(lines.filter((line) => line.startsWith('  -') && !/\S {2,}\S/.test(line))).toEqual([])
  })

  it('has examples of the command, and names only flags that exist', async () => {
    const { stdout } = await help()
    const [list = '', rest = ''] = stdout.split('\n\nExamples:')
    expect(rest).toContain(`svc-streams ${name}`)
    const others = await Promise.all(
      commands.filter((each) => stdout.includes(`svc-streams ${each}`)).map((each) => run(each, '--help')),
    )
    const known = [list, ...others.map((other) => other.stdout)].flatMap(listedFlags)
    expect(namedFlags(stdout).filter((flag) => !known.includes(flag))).toEqual([])
  })
})

test('prints the version', async () => {
  expect(await run('--version')).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/) as string,
    stderr: '',
  })
})

const depthService = ['--base-url', 'https://a.example', '--auth-key', 'c2VjcmV0']

test.each([
  ['no command', []],
  ['an unknown command', ['simulat']],
  ['an unknown option', ['simulate', '--port', '1']],
  ['an invalid port', ['simulate', '--http-port', '65536']],
  ['an invalid tick', ['simulate', '--tick', '0']],
  ['an invalid seed', ['simulate', '--seed', 'luck']],
  ['an invalid speed', ['simulate', '--speed', '-1']],
  ['an unknown market', ['simulate', '--market', 'flea']],
  ['an invalid token', ['simulate', '--token', 'ETH']],
  ['a repeated token', ['simulate', '--token', '0xab', '--token', '0xAB']],
  ['an invalid key of a simulator', ['simulate', '--auth-key', '$ecret']],
  ['flags that exclude each other', ['simulate', '--market', 'recorded', '--tick', '10']],
  ['an unexpected argument', ['simulate', 'now']],
  ['a price without a token', ['price']],
  ['a price of an unknown symbol', ['price', 'DOGE', '--simulate']],
  ['a depth of an unknown symbol of a service', ['depth', 'ETH', ...depthService]],
  ['a watch of an unknown symbol', ['watch', 'eth', 'svc-0xab', 'DOGE', '--simulate']],
  ['a recording of an invalid address', ['record', '0xzz', '--simulate']],
  ['a file of tokens that does not exist', ['watch', '--tokens', '/no/such/file', '--simulate']],
  ['two prices', ['price', '0xab', '0xcd']],
  ['a depth without a service', ['depth', '0xab']],
  ['a watch without a service', ['watch', '0xab']],
  ['an invalid interval', ['watch', '--interval', '0']],
  ['an invalid duration', ['watch', '--duration', 'long']],
  ['an unknown environment', ['watch', '--environment', 'moon']],
  ['a recording without a service', ['record', '--out', 'market.ndjson']],
  ['a replay without a file', ['replay']],
  ['a replay at speed 0', ['replay', 'market.ndjson', '--speed', '0']],
  ['a replay at an unknown speed', ['replay', 'market.ndjson', '--speed', 'fast']],
  ['--simulate with an address', ['watch', '--simulate', '--base-url', 'https://a.example']],
  ['a depth on testnet', ['depth', '0xab', '--simulate', '--environment', 'testnet']],
  ['a watch without a token', ['watch', '--price-base-url', 'https://a.example']],
  ['an invalid address', ['price', '0xab', '--price-base-url', 'a.example']],
  ['an invalid key', ['depth', '0xab', '--base-url', 'https://a.example', '--auth-key', '$ecret']],
  ['a misspelt key', ['depth', '0xab', '--auth-ky=$ecret']],
])('exits with 2 for %s', async (_, args) => {
  expect(await run(...args)).toMatchSnapshot()
})

test('prints the version for -v, and suggests a command for help of an unknown one', async () => {
  expect(await runInProcess(['-v'])).toEqual(await runInProcess(['--version']))
  expect(await runInProcess(['help', 'wach'])).toMatchObject({
    code: 2,
    stderr: "error: unknown command 'wach'\n(Did you mean watch?)\n",
  })
  expect(await runInProcess(['help', 'watch'])).toEqual(await runInProcess(['watch', '--help']))
})

test('ends with an error for a folder that cannot be created', async () => {
  const results = await Promise.all(
    [
      ['init', '/proc/x/y'],
      ['gateway', '--simulate', '--history', '/proc/x/y'],
    ].map((args) => runInProcess(args)),
  )
  expect(results).toMatchObject([
    { code: 1, stderr: expect.stringContaining('/proc/x') as string },
    { code: 1, stderr: expect.stringContaining('--history: ') as string },
  ])
})
