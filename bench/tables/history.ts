import { open } from 'node:fs/promises'
import { withChild } from '../process/child.js'
import { formatFigure } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import { withRecording } from '../server/recording.js'
import type { Settings } from '../settings.js'
import { topicsOf } from '../topics.js'

interface ReadResult {
  readonly ms: number
  readonly megabytes: number
  readonly count: number
}

const minutes = 60_000

const readers = [
  { name: 'by hand: split lines, `JSON.parse`; the last 20 minutes', byHand: true, ms: 20 * minutes },
  { name: '**svc-streams** `prices$`, all of it', byHand: false, ms: Infinity },
  { name: '**svc-streams** `prices$`, the last 3 hours', byHand: false, ms: 180 * minutes },
  { name: '**svc-streams** `prices$`, the last hour', byHand: false, ms: 60 * minutes },
  { name: '**svc-streams** `prices$`, the last 20 minutes', byHand: false, ms: 20 * minutes },
]

const topics = topicsOf(10)

/** The cost of a part of a large file, relative to reading all of it. */
export const historyRanges = async ({ dayRows }: Settings): Promise<Section> => {
  const rows = await withRecording({ rows: dayRows, topics: topics.length }, async (path) => {
    const to = (await lastTime(path)) + 1
    const results: (readonly [string, ReadResult])[] = []
    for (const { name, byHand, ms } of readers) {
      const range = { from: Math.max(0, to - ms), to }
      const result = await withChild('programs/history.mjs', (child) =>
        child.request<ReadResult>('read', { byHand, path, topic: topics[0], ...range }),
      )
      results.push([name, result])
    }
    return results
  })
  const [first, , , , last] = rows.map(([, { count }]) => count)
  if (first !== last) throw new Error('history: the results differ')
  return {
    method: `Wall-clock time to read the prices of one topic from a recording of ${dayRows} prices of ten topics in one plain file, and the peak memory of the process, in a new process each. One round.`,
    columns: ['Reader', 'ms', 'MB', 'prices'],
    rows: rows.map(([name, { ms, megabytes, count }]) => [
      name,
      formatFigure(ms),
      formatFigure(megabytes),
      String(count),
    ]),
  }
}

/** The time of the last row, in ms since the Unix epoch. */
const lastTime = async (path: string): Promise<number> => {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, Math.max(0, size - 4096))
    const times = [
      ...buffer
        .subarray(0, bytesRead)
        .toString()
        .matchAll(/"at":(\d+)/g),
    ]
    return Number(times.at(-1)?.[1])
  } finally {
    await file.close()
  }
}
