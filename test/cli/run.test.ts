import { Command, CommanderError } from 'commander'
import { afterEach, expect, test, vi } from 'vitest'
import { exitCodes, run } from '../../src/cli/run.js'

const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
afterEach(() => void written.mockClear())

const program = (action: () => void) =>
  new Command('tool')
    .configureOutput({ writeErr: () => undefined })
    .addCommand(new Command('work').action(action))

test('what ends well is 0', async () => {
  expect(
    await run(
      program(() => undefined),
      ['work'],
    ),
  ).toBe(exitCodes.ok)
})

test('a misuse is 2, whatever commander calls it', async () => {
  expect(
    await run(
      program(() => undefined),
      ['walk'],
    ),
  ).toBe(exitCodes.usage)
  expect(
    await run(
      program(() => undefined),
      ['work', '--hard'],
    ),
  ).toBe(exitCodes.usage)
  const misuse = () => {
    throw new CommanderError(1, 'any', 'said already')
  }
  expect(await run(program(misuse), ['work'])).toBe(exitCodes.usage)
  // Said once, by commander.
  expect(written.mock.calls).toEqual([["error: unknown option '--hard'\n"]])
})

test('a failure is 1, and said in one line', async () => {
  const failure = () => {
    throw new Error('the disk is full')
  }
  expect(await run(program(failure), ['work'])).toBe(exitCodes.failure)
  expect(written.mock.calls).toEqual([['error: the disk is full\n']])
})

test('what a misspelled flag was given is not repeated: it may be a key', async () => {
  const said: string[] = []
  const tool = new Command('tool').configureOutput({ writeErr: (text) => void said.push(text) })
  const work = new Command('work').configureOutput({ writeErr: (text) => void said.push(text) })
  tool.addCommand(work.action(() => undefined))
  expect(await run(tool, ['work', "--auth-ky=$ecret' or\ntwo"])).toBe(exitCodes.usage)
  expect(await run(tool, ['work', '--hard'])).toBe(exitCodes.usage)
  expect(said).toEqual(["error: unknown option '--auth-ky'\n", "error: unknown option '--hard'\n"])
})
