import { Argument, Command, CommanderError, InvalidArgumentError } from 'commander'
import { afterEach, expect, test, vi } from 'vitest'
import { exitCodes, run as runWith } from '../../src/cli/run.js'

const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
afterEach(() => void written.mockClear())

const run = (tool: Command, args: readonly string[]) => runWith(tool, args, process)

const program = (action: () => void) =>
  new Command('tool')
    .configureOutput({ writeErr: () => undefined })
    .addCommand(new Command('work').action(action))

test('exits with 0 on success', async () => {
  expect(
    await run(
      program(() => undefined),
      ['work'],
    ),
  ).toBe(exitCodes.ok)
})

test('exits with 2 for every commander error', async () => {
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
  const usageError = () => {
    throw new CommanderError(1, 'any', 'printed already')
  }
  expect(await run(program(usageError), ['work'])).toBe(exitCodes.usage)
  // Commander prints the message, once.
  expect(written.mock.calls).toEqual([["error: unknown option '--hard'\n"]])
})

test('exits with 1 on a failure, and prints it on one line', async () => {
  const failure = () => {
    throw new Error('the disk is full')
  }
  expect(await run(program(failure), ['work'])).toBe(exitCodes.failure)
  expect(written.mock.calls).toEqual([['error: the disk is full\n']])
})

test('does not print the value of an unknown flag, which may be a key', async () => {
  const printed: string[] = []
  const tool = new Command('tool').configureOutput({ writeErr: (text) => void printed.push(text) })
  const work = new Command('work').configureOutput({ writeErr: (text) => void printed.push(text) })
  tool.addCommand(work.action(() => undefined))
  expect(await run(tool, ['work', "--auth-ky=$ecret' or\ntwo"])).toBe(exitCodes.usage)
  expect(await run(tool, ['work', '--hard'])).toBe(exitCodes.usage)
  expect(await run(tool, ['work', '-ksecret=='])).toBe(exitCodes.usage)
  expect(printed.pop()).toBe("error: unknown option '-k'\n")
  expect(printed).toEqual(["error: unknown option '--auth-ky'\n", "error: unknown option '--hard'\n"])
})

test('does not print the value of a flag with a dash that is no ASCII hyphen', async () => {
  const printed: string[] = []
  const invalid = () => {
    throw new InvalidArgumentError('Give an address.')
  }
  const work = new Command('work').configureOutput({ writeErr: (text) => void printed.push(text) })
  work.addArgument(new Argument('<token>').argParser(invalid)).action(() => undefined)
  for (const argument of ['–auth-key=secret', 'auth-key=secret']) {
    expect(await run(new Command('tool').addCommand(work), ['work', argument])).toBe(exitCodes.usage)
    expect(printed.pop()).toBe(
      `error: command-argument value '${argument.slice(0, -7)}' is invalid for argument 'token'. Give an address.\n`,
    )
  }
})

test('prints the invalid value of a flag, which is no key', async () => {
  const invalid = () => {
    throw new InvalidArgumentError('Give a port.')
  }
  const printed: string[] = []
  const work = new Command('work').configureOutput({ writeErr: (text) => void printed.push(text) })
  work.option('--port <port>', 'a port', invalid).action(() => undefined)
  expect(await run(new Command('tool').addCommand(work), ['work', '--port', '-50'])).toBe(exitCodes.usage)
  expect(printed).toEqual(["error: option '--port <port>' argument '-50' is invalid. Give a port.\n"])
})
