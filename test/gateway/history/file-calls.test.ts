import fs, { writeFileSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import path, { join } from 'node:path'
import type { Topic } from 'svc-streams'
import { createTestClient } from 'svc-streams/testing'
import { expect, it, onTestFinished } from 'vitest'
import { encodeRow } from '../../../src/backtest/recording/codec/row-codec.js'
import { createHeader } from '../../../src/backtest/recording/codec/row.js'
import { newFolder } from '../../support/new-folder.js'
import { startTestGateway } from '../support/start-test-gateway.js'

const hour = 3_600_000
const start = Math.floor(Date.now() / hour) * hour
const topics = Array.from({ length: 20 }, (_, index): Topic => `svc-0x${(index + 0xa00).toString(16)}`)

/** A folder with `hours` files of each topic. */
const writeFolder = (hours: number): string => {
  const folder = newFolder()
  for (const topic of topics)
    for (let index = 0; index < hours; index++) {
      const at = start - index * hour
      const time = new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')
      writeFileSync(join(folder, `${topic}.${time}Z.ndjson`), `${encodeRow(createHeader(at, [topic]))}\n`)
    }
  return folder
}

/** Counts the calls of functions of the file system and of `join`, by name, until the test ends. */
const countCalls = (): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const [target, names] of [
    [fs, ['readdirSync', 'opendirSync', 'statSync', 'openSync', 'readSync', 'unlinkSync', 'existsSync']],
    [promises, ['readdir', 'opendir', 'stat', 'open', 'unlink']],
    // Once for each path.
    [path, ['join']],
  ] as const) {
    const functions = target as unknown as Record<string, (...args: readonly unknown[]) => unknown>
    for (const name of names) {
      const original = functions[name]!
      functions[name] = (...args) => {
        counts.set(name, (counts.get(name) ?? 0) + 1)
        return original(...args)
      }
      onTestFinished(() => {
        functions[name] = original
        syncBuiltinESMExports()
      })
    }
  }
  syncBuiltinESMExports()
  return counts
}

it('answers requests with as many calls of the file system and as many paths for a large folder as for a small one', async () => {
  const callsFor = async (hours: number): Promise<ReadonlyMap<string, number>> => {
    const { baseUrl } = await startTestGateway(createTestClient(), {
      history: { folder: writeFolder(hours), keep: Infinity },
    })
    const statusOf = async (target: string): Promise<number> => {
      const response = await fetch(baseUrl + target)
      await response.text()
      return response.status
    }
    const counts = countCalls()
    expect(await statusOf('/history/svc-0xbbb?from=0')).toBe(404)
    expect(await statusOf(`/history/${topics[3]}?from=${start - hour + 1}&to=${start - 1}`)).toBe(200)
    expect(await statusOf('/history')).toBe(200)
    expect(await statusOf('/history')).toBe(200)
    return new Map(counts)
  }
  const small = await callsFor(4)
  expect(small.get('stat')).toBeGreaterThan(0)
  expect(await callsFor(100)).toEqual(small)
  expect([...small.keys()].filter((name) => name.includes('dir'))).toEqual([])
})
