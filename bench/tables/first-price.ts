import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { withPriceService } from '../measure/price-service.js'
import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const program = fileURLToPath(new URL('../programs/first-price.mjs', import.meta.url))

interface Candidate {
  readonly client: 'hand-written' | 'svc-streams'
  /** True if the program has imported RxJS before, for its own operators. */
  readonly usesRxjs: boolean
}

/** The times of the steps in ms, in a new process. */
type Times = Readonly<Record<'import' | 'price' | 'total' | 'cpu', number>>

const steps: readonly { readonly key: keyof Times; readonly name: string; readonly limit?: number }[] = [
  { key: 'import', name: 'import', limit: 2 },
  { key: 'price', name: 'from `createClient`, or `new WebSocket`, to the first price', limit: 2 },
  { key: 'total', name: 'from the start of Node to the first price' },
  { key: 'cpu', name: 'the same, CPU' },
]

const programs = [false, true].map((usesRxjs) => {
  const [byHand, library]: readonly [Candidate, Candidate] = [
    { client: 'hand-written', usesRxjs },
    { client: 'svc-streams', usesRxjs },
  ]
  return { prefix: usesRxjs ? 'after an import of RxJS: ' : '', byHand, library }
})

const measureFirstPrice = ({ client, usesRxjs }: Candidate, url: string): Promise<Times> =>
  promisify(execFile)(process.execPath, [program, client, url, ...(usesRxjs ? ['uses-rxjs'] : [])]).then(
    ({ stdout }) => JSON.parse(stdout) as Times,
  )

/** The time to the first price of a program, compared with one over `ws` without a library. */
export const firstPrice = ({ imports }: Settings): Promise<Section> =>
  withPriceService(async (service) => {
    const url = service.url('/first-price')
    const candidates = programs.flatMap(({ byHand, library }) => [byHand, library])
    const measured = await inRounds(imports, candidates, (candidate) => measureFirstPrice(candidate, url))
    const rows = programs.flatMap(({ prefix, byHand, library }) =>
      steps.map(({ key, name }) => {
        const timesOf = (candidate: Candidate) => valuesOf(measured, candidate, (times) => times[key])
        const [byHandMs, libraryMs] = [timesOf(byHand), timesOf(library)]
        const figures = [byHandMs, libraryMs, ratios(libraryMs, byHandMs)]
        return [`${prefix}${name}`, ...figures.map((each) => formatSpread(spreadOf(each)))]
      }),
    )
    return {
      method: `Time in ms in a new process, from a service on the same machine that sends a price after the confirmation, ${imports} processes each, alternating. Hand-written: \`ws\`, \`JSON.parse\`, and a \`Map\` of handlers. Cost: relative to it in the same round, lower is better.`,
      columns: ['Step', 'hand-written, ms', 'svc-streams, ms', 'cost'],
      rows,
      limit: programs.flatMap(() => steps.map(({ limit }) => limit)),
      notes: [
        'An import of **svc-streams** imports RxJS, whose public entry point loads all of its 220 files, so the limit of the first step is not met. A program that uses RxJS itself has loaded them: the rows after an import of RxJS.',
        'Both clients import `ws`, and with it the modules of Node that it needs.',
      ],
    }
  })
