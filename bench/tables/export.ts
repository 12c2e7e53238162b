import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inRounds } from '../measure/rounds.js'
import { costOfProgram } from '../process/cost-of-program.js'
import { costTable } from '../report/cost-table.js'
import { formatFigure } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import { withRecording } from '../server/recording.js'
import type { Settings } from '../settings.js'

const topics = 10

const command = 'node_modules/.build/cli/main.js'
const byHand = 'programs/inspect-by-hand.mjs'

/** The cost of the command `export`, for recordings of two lengths, and for one with depths. */
export const exports = async ({ dayRows }: Settings): Promise<Section> => {
  const rows: (readonly string[])[] = []
  for (const [name, count, depthEvery] of [
    ['prices', dayRows / 10, undefined],
    ['prices', dayRows, undefined],
    ['prices, and as many depths', dayRows / 10, 2],
  ] as const) {
    const size = { rows: count, topics, ...(depthEvery === undefined ? {} : { depthEvery }) }
    const figures = await withRecording(size, async (path) => {
      const folder = dirname(path)
      const read = await costOfProgram(byHand, [path])
      const { cpuMs, peakMegabytes } = await costOfProgram(command, [
        'export',
        path,
        '--out',
        join(folder, 'market.parquet'),
      ])
      const recorded = await bytesOf(path)
      const exported = await bytesOfTables(folder)
      const micros = [1000 * (read.cpuMs / count), 1000 * (cpuMs / count)] as const
      return [recorded / count, exported / count, micros[0], peakMegabytes, micros[1]]
    })
    rows.push([name, String(count), ...figures.map(formatFigure)])
  }
  return {
    method: `\`svc-streams export\` of a recording of ${topics} topics in one plain file: bytes of the recording and of all tables, the peak memory of the process, and CPU from the start of the command to its exit. By hand: a program that reads the lines by readline and \`JSON.parse\`, and writes nothing. One round.`,
    columns: [
      'Recording',
      'rows',
      'bytes a row, NDJSON',
      'bytes a row, Parquet',
      'by hand, µs a row',
      'MB',
      'µs a row',
    ],
    rows,
    limit: rows.map(() => '4, 300 MB'),
    notes: [
      'In a CPU profile with as many depths, the garbage collector takes a fifth, reading the file an eighth, and the conversion of quantities to 16 bytes, which hyparquet-writer does byte by byte, a tenth.',
    ],
  }
}

const bytesOf = async (path: string): Promise<number> => (await stat(path)).size

const bytesOfTables = async (folder: string): Promise<number> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.parquet'))
  const sizes = await Promise.all(names.map((name) => bytesOf(join(folder, name))))
  return sizes.reduce((sum, size) => sum + size, 0)
}

interface Reader {
  readonly name: string
  readonly measure: (path: string) => ReturnType<typeof costOfProgram>
  readonly limit?: string
}

const readers: readonly Reader[] = [
  {
    name: 'by hand: readline, `JSON.parse`, a `Map` of counts',
    measure: (path) => costOfProgram(byHand, [path]),
  },
  {
    name: '**svc-streams inspect**',
    measure: (path) => costOfProgram(command, ['inspect', path]),
    limit: '1, 300 MB',
  },
]

/** The cost of the command `inspect`, compared with reading by hand. */
export const inspections = async ({ rounds, dayRows }: Settings): Promise<Section> => {
  const count = dayRows / 10
  const measured = await withRecording({ rows: count, topics }, (path) =>
    inRounds(rounds, readers, ({ measure }) => measure(path)),
  )
  return {
    method: `\`svc-streams inspect\` of a recording of ${count} prices of ${topics} topics in one plain file: peak memory of the process, and CPU from the start of the program to its exit, ${rounds} rounds. By hand counts the prices of each topic; svc-streams also checks each row, and finds gaps, rates and silence. Cost: relative to the first row in the same round.`,
    ...costTable('Reader', measured, count),
    limit: readers.map(({ limit }) => limit),
  }
}
