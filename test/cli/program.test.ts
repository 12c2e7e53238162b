import { expect, test, vi } from 'vitest'
import { createProgram } from '../../src/cli/program.js'
import { run as runProgram } from '../../src/cli/run.js'

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
])('%s is a misuse', async (_, args) => {
  expect(await run(...args)).toMatchSnapshot()
})
