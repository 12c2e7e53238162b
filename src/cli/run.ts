import { CommanderError, type Command } from 'commander'
import { escapeUnsafe, messageOf } from '../base/errors/text.js'
import { fileProblem } from './render/file-problem.js'
import type { Io } from './io.js'
import { missingPackage } from './manifest.js'

/** `failure`: the command failed, such as on a network error. `usage`: invalid arguments. */
export const exitCodes = { ok: 0, failure: 1, usage: 2 } as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Runs the program and resolves to the exit code. Never calls `process.exit`. */
export const run = async (
  program: Command,
  args: readonly string[],
  { stderr }: Pick<Io, 'stderr'>,
): Promise<ExitCode> => {
  const given = usualArgs(program, args)
  overrideExit(program, given)
  try {
    await program.parseAsync(given, { from: 'user' })
    return exitCodes.ok
  } catch (error) {
    // Commander has already printed the message; help and version are errors with exit code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    stderr.write(escapeUnsafe(`error: ${failureText(error)}\n`))
    return exitCodes.failure
  }
}

const failureText = (error: unknown): string => {
  const { path, syscall } = Object(error) as NodeJS.ErrnoException
  if (path !== undefined && syscall !== undefined) return `${path} ${fileProblem(error)}`
  return missingPackage(error) ?? messageOf(error)
}

/** Commander prints the general help for `help` with an unknown command. Users of Node know `-v` for the version. */
const usualArgs = ({ commands }: Command, args: readonly string[]): readonly string[] => {
  const [first, name] = args
  if (first === '-v') return ['--version']
  const isUnknown = first === 'help' && name !== undefined && commands.every((each) => each.name() !== name)
  return isUnknown ? [name] : args
}

/** Makes commander throw instead of exiting, in all subcommands. */
const overrideExit = (command: Command, args: readonly string[]): void => {
  command
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(escapeUnsafe(withoutValues(text, args))) })
  for (const each of command.commands) overrideExit(each, args)
}

/** The error message, which quotes an argument, without a value that may be an auth key after a misspelt `--auth-key`. */
const withoutValues = (text: string, args: readonly string[]): string =>
  args.reduce((shown, arg) => shown.replaceAll(`'${arg}'`, () => `'${withoutValue(arg)}'`), text)

/** `--auth-ky` of `--auth-ky=…`, `–auth-key` of `–auth-key=…`, and `-k` of `-k…`. */
const withoutValue = (arg: string): string =>
  /^-[a-z]/i.test(arg) ? arg.slice(0, 2) : arg.slice(0, `${arg}=`.indexOf('='))
