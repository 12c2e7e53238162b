import { withDepthService, type DepthService } from '../measure/depth-service.js'
import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { withSpread } from '../report/figures.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const plain = { name: "undici's `Pool.request` + `JSON.parse`, unsigned", client: 'pool' }
const candidates = [
  plain,
  { name: 'the same, signed by hand', client: 'pool-signed' },
  { name: '**svc-streams** `depth`', client: 'project' },
]

interface Done {
  readonly cents: number
  readonly cpuMicroseconds: number
}

/** CPU of one depth request, with everything that belongs to it. */
export const depthRequests = async (settings: Settings): Promise<Section> =>
  withDepthService(async (service) => {
    const { rounds, requestsBefore, requests } = settings
    const measured = await inRounds(rounds, candidates, ({ client }) => measure(service, client, settings))
    const micros = (candidate: typeof plain) => valuesOf(measured, candidate, (value) => value)
    return {
      title: 'Depth: a request',
      method: `CPU of the client's process per request, 16 requests at a time over kept connections, ${requests} requests a round after ${requestsBefore}, ${rounds} rounds. Cost: relative to the first, lower is better. The prices that came back were checked in each round.`,
      columns: ['Client', 'µs a request', 'cost'],
      rows: candidates.map((candidate) => [
        candidate.name,
        withSpread(spreadOf(micros(candidate))),
        withSpread(spreadOf(ratios(micros(candidate), micros(plain)))),
      ]),
    }
  })

const measure = (
  service: DepthService,
  client: string,
  { requestsBefore, requests }: Settings,
): Promise<number> =>
  withChild('programs/depth-requests.mjs', async (child) => {
    await child.ask('open', { client, origin: service.origin })
    await child.ask('request', { count: requestsBefore })
    await service.child.ask('reset')
    const { cents, cpuMicroseconds } = await child.ask<Done>('request', { count: requests })
    const sent = await service.child.ask<{ readonly answered: number; readonly cents: number }>('answered')
    if (sent.answered !== requests || sent.cents !== cents) {
      throw new Error(`${sent.answered} answers of ${sent.cents} cents, delivered ${requests} of ${cents}`)
    }
    return cpuMicroseconds / requests
  })
