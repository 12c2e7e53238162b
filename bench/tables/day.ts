import { withChild } from '../process/child.js'
import { formatFigure } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import { withRecording } from '../server/recording.js'
import type { Settings } from '../settings.js'
import { topicsOf } from '../topics.js'

interface DayResult {
  readonly seconds: number
  readonly megabytes: number
}

const readers: readonly (readonly [string, string])[] = [
  ['by hand: split lines, `JSON.parse`, a `Map`', 'by hand'],
  ['**svc-streams** ten `price$`, a `Map`', 'replay'],
  ['**svc-streams** `combineFresh` of two `price$`', 'combineFresh'],
]

const topics = topicsOf(10)

/** The duration and the memory of a replay of a day. */
export const dayOfPrices = async ({ dayRows }: Settings): Promise<Section> => {
  const rows = await withRecording({ rows: dayRows, topics: topics.length }, async (path) => {
    const results: (readonly [string, DayResult])[] = []
    for (const [name, operation] of readers) {
      const result = await withChild('programs/replay.mjs', (child) =>
        child.request<DayResult>('once', { operation, path, topics }),
      )
      results.push([name, result])
    }
    return results
  })
  return {
    method: `Wall-clock time to read a recording of ${dayRows} prices of ten topics once, and the peak memory of the process. One round.`,
    columns: ['Reader', 's', 'MB'],
    rows: rows.map(([name, { seconds, megabytes }]) => [
      name,
      formatFigure(seconds),
      formatFigure(megabytes),
    ]),
  }
}
