import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createProgram } from '../../src/cli/program.js'
import { run as runProgram } from '../../src/cli/run.js'

beforeEach(() => {
  const variables = Object.keys(process.env).filter((name) => name.startsWith('SVC_'))
  for (const name of variables) vi.stubEnv(name, undefined)
})
afterEach(() => void vi.unstubAllEnvs())

/** What the command would print, and its exit code. None of these starts anything. */
const run = async (...args: readonly string[]) => {
  const printed = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      printed[stream] += text.toString()
      return true
    }),
  )
  const code = await runProgram(createProgram(), args).finally(() =>
    spies.forEach((spy) => spy.mockRestore()),
  )
  return { code, ...printed }
}

test('help teaches', async () => {
  expect(await run('simulate', '--help')).toMatchSnapshot()
  expect(await run('--help')).toMatchSnapshot()
})

test.each(['watch', 'price', 'depth', 'record', 'replay'])(
  'help of %s teaches, and tells no key',
  async (command) => {
    vi.stubEnv('SVC_AUTH_KEY', 'c2VjcmV0')
    expect(await run(command, '--help')).toMatchSnapshot()
  },
)

test('version', async () => {
  expect(await run('--version')).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/) as string,
    stderr: '',
  })
})

test.each([
  ['nothing to do', []],
  ['an unknown command', ['simulat']],
  ['an unknown option', ['simulate', '--port', '1']],
  ['a port that is none', ['simulate', '--http-port', '65536']],
  ['a tick that is none', ['simulate', '--tick', '0']],
  ['a seed that is none', ['simulate', '--seed', 'luck']],
  ['a speed that is none', ['simulate', '--speed', '-1']],
  ['a market that is none', ['simulate', '--market', 'flea']],
  ['a token that is none', ['simulate', '--token', 'ETH']],
  ['a token twice', ['simulate', '--token', '0xab', '--token', '0xAB']],
  ['a key that is none', ['simulate', '--auth-key', '$ecret']],
  ['a contradiction', ['simulate', '--market', 'recorded', '--tick', '10']],
  ['an argument', ['simulate', 'now']],
  ['a price of nothing', ['price']],
  ['a price of what is no token', ['price', 'ETH']],
  ['two prices at once', ['price', '0xab', '0xcd']],
  ['a depth without a service', ['depth', '0xab']],
  ['a watch without a service', ['watch', '0xab']],
  ['an interval that is none', ['watch', '--interval', '0']],
  ['a duration that is none', ['watch', '--duration', 'long']],
  ['an environment that is none', ['watch', '--environment', 'moon']],
  ['a recording of nothing', ['record', '--out', 'market.ndjson']],
  ['a replay of nothing', ['replay']],
  ['a replay at no speed', ['replay', 'market.ndjson', '--speed', '0']],
  ['a replay at a word', ['replay', 'market.ndjson', '--speed', 'fast']],
  ['a simulator at an address', ['watch', '--simulate', '--base-url', 'https://a.example']],
  ['a depth of testnet', ['depth', '0xab', '--simulate', '--environment', 'testnet']],
  ['a watch of nothing', ['watch', '--price-base-url', 'https://a.example']],
  ['a bad address', ['price', '0xab', '--price-base-url', 'a.example']],
  ['a bad key', ['depth', '0xab', '--base-url', 'https://a.example', '--auth-key', '$ecret']],
  ['a misspelled key', ['depth', '0xab', '--auth-ky=$ecret']],
])('%s is a misuse', async (_, args) => {
  expect(await run(...args)).toMatchSnapshot()
})
