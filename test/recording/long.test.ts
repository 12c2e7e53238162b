import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { lastValueFrom, NEVER } from 'rxjs'
import { replay } from 'svc-streams/recording'
import { afterEach, describe, expect, it, vi } from 'vitest'

const programOf = (name: string): string => fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url))

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

describe('a process that is killed while it records', () => {
  it('leaves a recording of which the last line at most is lost', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'killed-'))
    cleanups.push(() => rm(folder, { recursive: true }))
    const path = join(folder, 'market.ndjson')
    const child = spawn(process.execPath, ['--import', 'tsx', programOf('record-for-ever'), path], {
      stdio: 'inherit',
    })
    const gone = once(child, 'exit')
    const lines = () => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0)
    await vi.waitFor(() => expect(lines()).toBeGreaterThan(500), { timeout: 25_000 })
    child.kill('SIGKILL')
    await gone

    const client = replay(path, { speed: Infinity })
    await lastValueFrom(
      client.run$(() => NEVER),
      { defaultValue: undefined },
    )
    const result = await client.finished
    if (result._tag === 'Right') expect(result.right.rows).toBe(lines() - 1)
    else expect(result.left.line).toBe(lines() + 1)
  })
})

describe('a long recording', () => {
  it('is replayed in memory that does not grow with it', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--expose-gc',
      '--import',
      'tsx',
      programOf('long-recording'),
    ])
    const { candles, heap, finished } = JSON.parse(stdout) as {
      readonly candles: number
      readonly heap: readonly number[]
      readonly finished: unknown
    }
    expect(candles).toBe(66)
    expect(finished).toEqual({ _tag: 'Right', right: { rows: 200_000 } })
    // The first tenth is that in which code is compiled.
    const [, ...later] = heap
    expect(Math.max(...later) - Math.min(...later)).toBeLessThan(5_000_000)
  })
})
