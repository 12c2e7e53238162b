import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { inject, onTestFinished } from 'vitest'
import { eventually } from '../time/eventually.js'
import { createEnvironment, type EnvironmentVariables } from './environment.js'

// Processes that run the compiled copy of the sources. Without a TypeScript loader they start twice as fast.

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The path of the compiled copy of a source file such as `src/cli/main.ts`. */
export const compiledPath = (source: string): string =>
  join(inject('compiledCopy'), source.replace(/\.ts$/, '.js'))

/** The URL of the compiled copy, for `import`. */
export const compiledUrl = (source: string): string => pathToFileURL(compiledPath(source)).href

export interface NodeProcess {
  readonly process: ChildProcess
  readonly stdout: string
  readonly stderr: string
  /** Both streams, in the order of arrival. */
  readonly output: string
  /** Resolves to the exit code, or to the name of the signal that terminated the process. */
  readonly waitForExit: () => Promise<number | NodeJS.Signals>
}

export interface SpawnOptions {
  readonly environment?: EnvironmentVariables
  /** Default: the root of the repository. */
  readonly cwd?: string
  /** Registers the function that kills the process. Default: `onTestFinished`; concurrent tests must pass their own. */
  readonly onFinished?: (kill: () => void) => void
}

/** Starts a command. The process is killed when the test finishes. */
export const spawnCommand = (
  [file, ...args]: readonly [string, ...string[]],
  { environment = {}, cwd = root, onFinished = onTestFinished }: SpawnOptions = {},
): NodeProcess => {
  const child = spawn(file, args, { cwd, env: createEnvironment(environment) })
  let [stdout, stderr, output] = ['', '', '']
  let exit: number | NodeJS.Signals | undefined
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
    output += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
    output += chunk.toString()
  })
  child.on('close', (code, signal) => (exit = code ?? signal ?? 'SIGKILL'))
  // `kill` of the child itself has a defect on Deno: whatever the exit code, the child then reports the signal.
  const hasExited = (): boolean => exit !== undefined || child.exitCode !== null || child.signalCode !== null
  child.kill = (signal) => !hasExited() && process.kill(child.pid ?? NaN, signal)
  onFinished(() => void child.kill('SIGKILL'))
  return {
    process: child,
    get stdout() {
      return stdout
    },
    get stderr() {
      return stderr
    },
    get output() {
      return output
    },
    waitForExit: async () => {
      await eventually(() => exit !== undefined)
      return exit!
    },
  }
}

/** The command that runs a program in a shell, on the runtime of this process. */
export const programCommand = (
  source: string,
  ...args: readonly string[]
): readonly [string, ...string[]] => {
  const runArguments = 'Deno' in globalThis ? ['run', '--quiet', '--allow-all'] : []
  return [process.execPath, ...runArguments, compiledPath(source), ...args]
}

/** Starts Node, or the runtime of this process, with these arguments. */
export const spawnNode = (args: readonly string[], options?: SpawnOptions): NodeProcess =>
  spawnCommand([process.execPath, ...args], options)

/** Starts a program in JavaScript, an ES module. */
export const spawnScript = (code: string, options?: SpawnOptions): NodeProcess => {
  const folder = mkdtempSync(join(inject('compiledCopy'), 'script-'))
  const file = join(folder, 'script.mjs')
  writeFileSync(file, code)
  return spawnNode([file], options)
}

/** Runs a program until it exits. Returns its stdout. Throws if the exit code is not 0. */
export const runProgram = async (
  source: string,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<string> => {
  const child = spawnNode([...flags, compiledPath(source), ...args])
  const exit = await child.waitForExit()
  if (exit !== 0) throw new Error(`${source} exited with ${exit}\n${child.output}`)
  return child.stdout
}
