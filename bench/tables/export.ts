import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { costOfProgram } from '../process/cost-of-program.js'
import { formatFigure } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import { withRecording } from '../server/recording.js'
import type { Settings } from '../settings.js'

const topics = 10

/** The cost of the command `export`, for a recording and for one that is ten times as long. */
export const exports = async ({ dayRows }: Settings): Promise<Section> => {
  const rows: (readonly string[])[] = []
  for (const count of [dayRows / 10, dayRows]) {
    const figures = await withRecording({ rows: count, topics }, async (path) => {
      const folder = dirname(path)
      const args = ['export', path, '--out', join(folder, 'market.parquet')]
      const { cpuMs, peakMegabytes } = await costOfProgram('node_modules/.build/cli/main.js', args)
      const recorded = await bytesOf(path)
      const exported = await bytesOfTables(folder)
      return [1000 * (cpuMs / count), recorded / count, exported / count, peakMegabytes]
    })
    rows.push([String(count), ...figures.map(formatFigure)])
  }
  return {
    title: 'Export to Parquet',
    method: `\`svc-streams export\` of a recording of prices of ${topics} topics in one plain file: CPU from the start of the command to its exit, bytes of the recording and of all tables, and the peak memory of the process. One round.`,
    columns: ['Rows', 'µs a row', 'bytes a row, NDJSON', 'bytes a row, Parquet', 'MB'],
    rows,
  }
}

const bytesOf = async (path: string): Promise<number> => (await stat(path)).size

const bytesOfTables = async (folder: string): Promise<number> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.parquet'))
  const sizes = await Promise.all(names.map((name) => bytesOf(join(folder, name))))
  return sizes.reduce((sum, size) => sum + size, 0)
}
