import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { until } from './dial.js'

export const sourceUrl = (path: string): URL => new URL(`../../../src/${path}`, import.meta.url)

/** A Node process of its own, which runs TypeScript. */
export interface Spawned {
  readonly process: ChildProcess
  readonly stdout: string
  readonly stderr: string
  /** Resolves when it has ended: to its exit code, or the name of the signal that ended it. */
  readonly ended: () => Promise<number | NodeJS.Signals>
}

export const spawnNode = (...args: readonly string[]): Spawned => {
  const child = spawn(process.execPath, ['--import', 'tsx', ...args], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    env: { ...process.env, NO_COLOR: '1', COLUMNS: '80' },
  })
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
