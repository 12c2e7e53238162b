import { CommanderError, type Command } from 'commander'

/** How a command ends: well, with a failure of the world, or because it was not asked as it must be. */
export const exitCodes = { ok: 0, failure: 1, usage: 2 } as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Runs the command, and resolves to the exit code. Nothing in it ends the process by itself. */
export const run = async (program: Command, args: readonly string[]): Promise<ExitCode> => {
  prepare(program)
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCodes.ok
  } catch (error) {
    // Commander has said already what is wrong; help and version come as errors with exit code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`)
    return exitCodes.failure
  }
}

const prepare = (command: Command): void => {
  command.exitOverride().configureOutput({ outputError: (text, write) => write(withoutValue(text)) })
  command.commands.forEach(prepare)
}

/** A flag that is misspelled may have been meant for the auth key: what it was given is not repeated. */
const withoutValue = (text: string): string => text.replace(/(unknown option '[^'=]*)=[^]*?'(?=\n)/, "$1'")
