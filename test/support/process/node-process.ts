import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { inject, onTestFinished } from 'vitest'
import { eventually } from '../eventually.js'

// Node processes that run the compiled copy of the sources: starting one is twice as fast as through a TypeScript loader.

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The compiled copy of a file, such as `src/cli/main.ts`. */
export const compiled = (source: string): string =>
  join(inject('compiledCopy'), source.replace(/\.ts$/, '.js'))

/** As a specifier for `import`. */
export const compiledUrl = (source: string): string => pathToFileURL(compiled(source)).href

export type Variables = Readonly<Record<string, string | undefined>>

export interface NodeProcess {
  readonly process: ChildProcess
  readonly stdout: string
  readonly stderr: string
  /** Both, in the order of arrival. */
  readonly output: string
  /** Resolves to the exit code, or to the name of the signal that ended the process. */
  readonly ended: () => Promise<number | NodeJS.Signals>
}

/** The environment of the test runner without what decides the behaviour of the project or of another test runner. */
const environment = (variables: Variables): NodeJS.ProcessEnv => {
  const decisive = /^(?:SVC_.*|CI|NO_COLOR|FORCE_COLOR|COLUMNS|NODE_(?!EXTRA_CA_CERTS).*|VITEST.*|TEST.*)$/
  const own = Object.entries(process.env).filter(([name]) => !decisive.test(name))
  return { ...Object.fromEntries(own), ...variables }
}

export interface SpawnOptions {
  readonly variables?: Variables
  /** Default: the repository. */
  readonly cwd?: string
  /** Registers the end of the process. Default: the end of the test, which concurrent tests have to register themselves. */
  readonly onFinished?: (kill: () => void) => void
}

/** Starts any command; the process ends with the test at the latest. */
export const spawnCommand = (
  [file, ...args]: readonly [string, ...string[]],
  { variables = {}, cwd = root, onFinished = onTestFinished }: SpawnOptions = {},
): NodeProcess => {
  const child = spawn(file, args, { cwd, env: environment(variables) })
  let [stdout, stderr, output] = ['', '', '']
  let end: number | NodeJS.Signals | undefined
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
    output += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
    output += chunk.toString()
  })
  child.on('close', (code, signal) => (end = code ?? signal ?? 'SIGKILL'))
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
    ended: async () => {
      await eventually(() => end !== undefined)
      return end!
    },
  }
}

/** Starts Node. */
export const spawnNode = (args: readonly string[], options?: SpawnOptions): NodeProcess =>
  spawnCommand([process.execPath, ...args], options)

/** Runs a program to its end, and returns what it prints. Throws if it fails. */
export const runProgram = async (
  source: string,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<string> => {
  const child = spawnNode([...flags, compiled(source), ...args])
  const end = await child.ended()
  if (end !== 0) throw new Error(`${source} ended with ${end}\n${child.output}`)
  return child.stdout
}
