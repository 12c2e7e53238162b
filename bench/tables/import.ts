import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { inRounds } from '../measure/rounds.js'
import { costOfProgram } from '../process/cost-of-program.js'
import { costTable } from '../report/cost-table.js'
import type { Section } from '../report/markdown.js'
import { createPrices } from '../server/prices.js'
import type { Settings } from '../settings.js'
import { topicsOf } from '../topics.js'

interface Reader {
  readonly name: string
  readonly program: string
  readonly args: (source: string, target: string) => readonly string[]
  readonly limit?: number
}

const [topic = ''] = topicsOf(1)

const csvReader = (name: string, reader: string): Reader => ({
  name,
  program: 'programs/import-csv.mjs',
  args: (source, target) => [reader, source, target, topic],
})

const readers: readonly Reader[] = [
  csvReader('by hand: readline, `split`, `JSON.stringify`', 'by hand'),
  csvReader('fast-csv, `JSON.stringify`', 'fast-csv'),
  {
    name: '**svc-streams import**',
    program: 'node_modules/.build/cli/main.js',
    args: (source, target) => [
      'import',
      source,
      '--out',
      target,
      '--token',
      topic.slice(topic.indexOf('-') + 1),
    ],
    limit: 6,
  },
]

/** The cost of a row of a CSV file that becomes a recording. */
export const imports = async ({ rounds, dayRows }: Settings): Promise<Section> => {
  const count = dayRows / 10
  const folder = await mkdtemp(join(tmpdir(), 'svc-streams-bench-'))
  try {
    const source = join(folder, 'prices.csv')
    await pipeline(csvOf(count), createWriteStream(source))
    let target = 0
    const measured = await inRounds(rounds, readers, async ({ program, args }) => {
      const out = join(folder, `${++target}.ndjson`)
      const cost = await costOfProgram(program, args(source, out))
      const written = await pricesIn(out)
      if (written !== count) throw new Error(`${program} has written ${written} of ${count} prices`)
      await rm(out)
      return cost
    })
    return {
      method: `A file of ${count} times and prices becomes the rows of a recording: peak memory of the process, and CPU from the start of the program to its exit, ${rounds} rounds. svc-streams also recognises the columns, checks and sorts the rows. Cost: relative to the first row in the same round.`,
      ...costTable('Reader', measured, count),
      limit: readers.map(({ limit }) => limit),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function* csvOf(count: number): Generator<string, void> {
  const prices = createPrices(1000)
  const start = Date.UTC(2026, 0, 5)
  yield 'time,price\n'
  for (let row = 0; row < count; row++) yield `${start + 97 * row},${prices[row % prices.length] ?? ''}\n`
}

const pricesIn = async (file: string): Promise<number> => {
  let count = 0
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (line.startsWith('{"_tag":"Price"')) count++
  }
  return count
}
