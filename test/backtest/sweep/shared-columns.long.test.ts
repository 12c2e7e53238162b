import { readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname } from 'node:path'
import { lastValueFrom, toArray } from 'rxjs'
import { replay } from 'svc-streams/recording'
import { expect, it } from 'vitest'
import { walkForwardOn } from '../../../src/backtest/sweep/walk-forward.js'
import { skipIf } from '../../support/run/skip.js'
import { eventually } from '../../support/time/eventually.js'
import { compiledProgram, recordingOf, runSweep, strategy } from './support/run-sweep.js'

// Recordings that are long enough for columns.

const rows = 120_000
const parameters = [1000, 2000, 3000, 4000].map((every) => ({ kind: 'prices', every }))

const readBytes = (): number => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])

const temporaryFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('svc-streams-'))

const filesBeside = (path: string) =>
  readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)))

const sweepOf = (path: string, columns: boolean) =>
  lastValueFrom(runSweep(path, parameters, { workers: 4, columns }).pipe(toArray()))

/** Calls back, and returns how often the bytes of the file were read meanwhile. */
const readingsOf = async (path: string, work: () => Promise<unknown>): Promise<number> => {
  const before = readBytes()
  await work()
  return (readBytes() - before) / statSync(path).size
}

const onLinux = skipIf(process.platform !== 'linux', 'only Linux counts the bytes that a process reads')

it('four workers decode a recording once', onLinux, async () => {
  const path = recordingOf(rows)
  const before = temporaryFolders()
  let expected: unknown
  expect(await readingsOf(path, async () => (expected = await sweepOf(path, false)))).toBeGreaterThan(4)
  let results: unknown
  // Into a temporary file, because the recording was changed just now. The four workers read it.
  utimesSync(path, 1, 1)
  expect(await readingsOf(path, async () => (results = await sweepOf(path, true)))).toBeLessThan(2.2)
  expect(results).toEqual(expected)
  await eventually(() => temporaryFolders().every((name) => before.includes(name)))
  expect(filesBeside(path)).toEqual([basename(path)])
})

it('a sweep, a walk-forward and a replay use the columns beside a recording', async () => {
  const path = recordingOf(rows)
  // Columns are kept beside a recording only if it did not change just now.
  await eventually(() => Date.now() - statSync(path).ctimeMs > 2_000)
  const expected = await sweepOf(path, false)
  expect(await sweepOf(path, true)).toEqual(expected)
  expect(filesBeside(path)).toEqual([basename(path), `${basename(path)}.columns`])
  const written = statSync(`${path}.columns`).mtimeMs
  const length = rows * 100
  const windowsOf = (columns: boolean) =>
    lastValueFrom(
      walkForwardOn({ program: () => ({ url: compiledProgram() }) })(path, strategy(), parameters, {
        ...{ train: length / 4, test: length / 4, score: (values) => values.length, columns },
      }).pipe(toArray()),
    )
  expect(await windowsOf(true)).toEqual(await windowsOf(false))
  const client = replay(path, { speed: Infinity })
  const prices$ = client.run$((inner) => inner.price$('svc-0xab').pipe(toArray()))
  expect(await readingsOf(path, () => lastValueFrom(prices$))).toBeLessThan(0.5)
  expect(statSync(`${path}.columns`).mtimeMs).toBe(written)
})
