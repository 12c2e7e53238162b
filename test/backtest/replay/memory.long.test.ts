import { describe, expect, it } from 'vitest'
import { compiledPath, spawnNode } from '../../support/process/node-process.js'
import { eventually } from '../../support/time/eventually.js'

/** The memory before each tenth of a recording and at its end, in bytes, and the result. */
interface Reading {
  readonly memory: readonly { readonly heapUsed: number; readonly rss: number }[]
  readonly result: unknown
}

/** The number of lines that the program prints. */
const lineCount = 12

/** Replays a recording in a process of its own. */
const noDoubts = { earlierRows: 0, skewedRows: 0 }

const replayRows = async (rows: number): Promise<Reading> => {
  const program = compiledPath('test/backtest/recording/programs/replay-long-recording.ts')
  const child = spawnNode(['--expose-gc', program, String(rows)])
  const lines = () => child.stdout.split('\n').slice(0, -1)
  const hasExited = () => child.process.exitCode !== null
  // One wait for each tenth: a replay may take longer than one wait may.
  for (let count = 1; count <= lineCount; count++)
    await eventually(() => hasExited() || lines().length >= count)
  expect(await child.waitForExit(), child.stderr).toBe(0)
  const readings = lines().map((line) => JSON.parse(line) as unknown)
  return { memory: readings.slice(0, -1) as Reading['memory'], result: readings.at(-1) }
}

describe('the replay of a long recording', { timeout: 300_000 }, () => {
  it('uses memory that does not grow with the length of the recording', async () => {
    const { memory, result } = await replayRows(200_000)
    expect(result).toEqual({
      candles: 66,
      finished: { _tag: 'Right', right: { rows: 200_000, ...noDoubts } },
    })
    // The first tenth includes the compilation of the code.
    const [, ...later] = memory.map(({ heapUsed }) => heapUsed)
    expect(Math.max(...later) - Math.min(...later)).toBeLessThan(5_000_000)
  })

  it('uses no more memory of the system in the second half of 10 000 000 rows than in the first half', async () => {
    const { memory, result } = await replayRows(10_000_000)
    expect(result).toEqual({
      candles: 3_333,
      finished: { _tag: 'Right', right: { rows: 10_000_000, ...noDoubts } },
    })
    const rss = memory.map((reading) => reading.rss)
    expect(rss).toHaveLength(11)
    // Without a trend, the collector leaves up to 30 MB more or less to the process. Four bytes a row are 40 MB.
    expect(Math.max(...rss.slice(6))).toBeLessThan(Math.max(...rss.slice(0, 6)) + 40_000_000)
  })
})
