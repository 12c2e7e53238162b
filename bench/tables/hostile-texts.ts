import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

interface TextResult {
  readonly handling: number
  readonly parsing: number
}

const program = 'programs/hostile-texts.mjs'

/** The cost of the worst frames and bodies, relative to `JSON.parse`. */
export const hostileTexts = async ({ rounds }: Settings): Promise<Section> => {
  const names = await withChild(program, (child) => child.request<readonly string[]>('names'))
  const measured = await inRounds(rounds, names, (name) =>
    withChild(program, (child) => child.request<TextResult>('run', { name })),
  )
  const handling = (name: string) => valuesOf(measured, name, (result) => result.handling / 1000)
  const parsing = (name: string) => valuesOf(measured, name, (result) => result.parsing / 1000)
  return {
    method: `CPU in ms to handle one text of 1 MiB, with the errors that subscribers receive, in a new client, median of 5, ${rounds} rounds. JSON.parse: of the same text, or of a JSON string of its length if that takes longer. Ratio: lower is better. A quantity is exact at any size, and its conversion takes the time of \`BigInt\`.`,
    columns: ['Text', 'ms', '`JSON.parse`, ms', 'ratio'],
    rows: names.map((name) => [
      name,
      formatSpread(spreadOf(handling(name))),
      formatSpread(spreadOf(parsing(name))),
      formatSpread(spreadOf(ratios(handling(name), parsing(name)))),
    ]),
  }
}
