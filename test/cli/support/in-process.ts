import { EventEmitter } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import type { Io } from '../../../src/cli/io.js'
import { createProgram } from '../../../src/cli/program.js'
import { run } from '../../../src/cli/run.js'
import { createEnvironment, type EnvironmentVariables } from '../../support/process/environment.js'
import { eventually } from '../../support/time/eventually.js'
import type { RunningCommand } from './running-command.js'

// The command `svc-streams` in the process of the test, which starts ten times as fast as a process. What the operating
// system contributes is tested in processes, with `command.js`: the exit itself, signals, closed pipes, terminals.

/** Starts the command. It is stopped when the test finishes. */
export const startInProcess = (
  args: readonly string[],
  variables: EnvironmentVariables = {},
): RunningCommand => {
  const { command, stop } = start(args, variables)
  onTestFinished(stop)
  return command
}

/** Runs the command until it ends, in a hook too. Returns its exit code and its output. */
export const runInProcess = async (args: readonly string[], variables: EnvironmentVariables = {}) => {
  const { command } = start(args, variables)
  const code = await command.waitForExit()
  return { code, stdout: command.stdout, stderr: command.stderr }
}

const start = (
  args: readonly string[],
  variables: EnvironmentVariables,
): { readonly command: RunningCommand; readonly stop: () => Promise<void> } => {
  const printed = { stdout: '', stderr: '', output: '' }
  const sink = (name: 'stdout' | 'stderr') =>
    new Writable({
      decodeStrings: false,
      write: (chunk: string | Buffer, _encoding, done) => {
        printed[name] += chunk.toString()
        printed.output += chunk.toString()
        done()
      },
    }) as unknown as NodeJS.WriteStream
  const stdin = new PassThrough()
  const signals = new EventEmitter()
  const env = createEnvironment(variables)
  const io: Io = {
    stdin,
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env,
    on: (signal, listener) => signals.on(signal, listener),
    off: (signal, listener) => signals.off(signal, listener),
  }
  let code: number | undefined
  const exit = createProgram(io, args)
    .then((program) => withVariables(env, () => run(program, args, io)))
    .then((result) => (code = result))
  const stop = async (): Promise<void> => {
    await eventually(() => code !== undefined || signals.listenerCount('SIGTERM') > 0)
    signals.emit('SIGTERM')
    await exit
  }
  const command: RunningCommand = {
    process: {
      stdin,
      kill: (signal) => {
        if (!signals.emit(signal)) throw new Error(`${args.join(' ')} does not handle ${signal} now`)
      },
    },
    get stdout() {
      return printed.stdout
    },
    get stderr() {
      return printed.stderr
    },
    get output() {
      return printed.output
    },
    waitForExit: () => exit,
  }
  return { command, stop }
}

/** Commander reads the variables of `process.env`, before the command does anything that is asynchronous. */
const withVariables = <A>(variables: NodeJS.ProcessEnv, use: () => A): A => {
  const { env } = process
  process.env = variables
  try {
    return use()
  } finally {
    process.env = env
  }
}
