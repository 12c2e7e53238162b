import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { until } from './dial.js'

export const sourceUrl = (path: string): URL => new URL(`../../../src/${path}`, import.meta.url)

/** A process of its own. */
export interface Spawned {
  readonly process: ChildProcess
  readonly stdout: string
  readonly stderr: string
  /** Resolves when it has ended: to its exit code, or the name of the signal that ended it. */
  readonly ended: () => Promise<number | NodeJS.Signals>
}

/** A Node process, which runs TypeScript. */
export const spawnNode = (...args: readonly string[]): Spawned =>
  spawned([process.execPath, '--import', 'tsx', ...args], { ...process.env, NO_COLOR: '1', COLUMNS: '80' })

/** Any process, which does not outlive its test. */
export const spawned = ([file, ...args]: readonly [string, ...string[]], env: NodeJS.ProcessEnv): Spawned => {
  const child = spawn(file, args, { cwd: fileURLToPath(new URL('../../..', import.meta.url)), env })
  let [stdout, stderr] = ['', '']
  let end: number | NodeJS.Signals | undefined
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.on('close', (code, signal) => (end = code ?? signal ?? 'SIGKILL'))
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    process: child,
    get stdout() {
      return stdout
    },
    get stderr() {
      return stderr
    },
    ended: async () => {
      await until(() => end !== undefined)
      return end!
    },
  }
}
