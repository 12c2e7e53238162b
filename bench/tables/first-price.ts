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

type Client = 'hand-written' | 'svc-streams'

/** The times of the steps in ms, in a new process. */
type Times = Readonly<Record<'import' | 'price' | 'total' | 'cpu', number>>

const steps: readonly { readonly key: keyof Times; readonly name: string; readonly limit?: number }[] = [
  { key: 'import', name: 'import', limit: 2 },
  { key: 'price', name: 'from `createClient`, or `new WebSocket`, to the first price', limit: 2 },
  { key: 'total', name: 'from the start of Node to the first price' },
  { key: 'cpu', name: 'the same, CPU' },
]

const measureFirstPrice = (client: Client, url: string): Promise<Times> =>
  promisify(execFile)(process.execPath, [program, client, url]).then(
    ({ stdout }) => JSON.parse(stdout) as Times,
  )

/** The time to the first price of a program, compared with one over `ws` without a library. */
export const firstPrice = ({ imports }: Settings): Promise<Section> =>
  withPriceService(async (service) => {
    const url = service.url('/first-price')
    const clients: readonly Client[] = ['hand-written', 'svc-streams']
    const measured = await inRounds(imports, clients, (client) => measureFirstPrice(client, url))
    return {
      method: `Time in ms in a new process, from a service on the same machine that sends a price after the confirmation, ${imports} processes each, alternating. Hand-written: \`ws\`, \`JSON.parse\`, and a \`Map\` of handlers. Cost: relative to it in the same round, lower is better.`,
      columns: ['Step', 'hand-written, ms', 'svc-streams, ms', 'cost'],
      rows: steps.map(({ key, name }) => {
        const timesOf = (client: Client) => valuesOf(measured, client, (times) => times[key])
        const [byHand, library] = [timesOf('hand-written'), timesOf('svc-streams')]
        const figures = [byHand, library, ratios(library, byHand)]
        return [name, ...figures.map((each) => formatSpread(spreadOf(each)))]
      }),
      limit: steps.map(({ limit }) => limit),
      notes: [
        '**svc-streams** loads `ws`, and the modules of Node that it needs, after `createClient`, by its first dial. The hand-written client imports them. So the limit of the second step is not met: these modules take about 12 ms, which is all of the difference.',
      ],
    }
  })
