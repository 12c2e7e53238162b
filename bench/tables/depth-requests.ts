import { withDepthService, type DepthService } from '../measure/depth-service.js'
import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

interface Candidate {
  readonly name: string
  readonly client: string
  readonly limit?: number
}

const baseline: Candidate = { name: "undici's `Pool.request` + `JSON.parse`, unsigned", client: 'pool' }
const candidates: readonly Candidate[] = [
  baseline,
  { name: 'the same, signed with `createHmac`', client: 'pool-signed' },
  { name: '**svc-streams** `depth`', client: 'svc-streams', limit: 1.2 },
]

interface RequestsResult {
  readonly cents: number
  readonly cpuMicroseconds: number
}

/** CPU of one depth request, from signing to decoding. */
export const depthRequests = async (settings: Settings): Promise<Section> =>
  withDepthService(async (service) => {
    const { rounds, warmUpRequests, requests } = settings
    const measured = await inRounds(rounds, candidates, ({ client }) =>
      measureDepthRequest(service, client, settings),
    )
    const micros = (candidate: Candidate) => valuesOf(measured, candidate, (value) => value)
    return {
      method: `CPU time of the client's process per request, 16 concurrent requests over kept-alive connections, ${requests} requests per round after ${warmUpRequests} to warm up, ${rounds} rounds. Cost: relative to the first row, lower is better. Each round checks the received prices.`,
      columns: ['Client', 'µs per request', 'cost'],
      rows: candidates.map((candidate) => [
        candidate.name,
        formatSpread(spreadOf(micros(candidate))),
        formatSpread(spreadOf(ratios(micros(candidate), micros(baseline)))),
      ]),
      limit: candidates.map(({ limit }) => limit),
      notes: [
        'In a CPU profile of svc-streams, the write to the socket takes half of the time, undici a sixth, the two hashes of a signature 2 %, and the recognition of the response 3 %. Of what it allocates for a request, 0.1 kB outlives the next garbage collections.',
      ],
    }
  })

/** CPU of one depth request in µs. Throws unless the client decodes each price exactly. */
export const measureDepthRequest = (
  service: DepthService,
  client: string,
  { warmUpRequests, requests }: Pick<Settings, 'warmUpRequests' | 'requests'>,
): Promise<number> =>
  withChild('programs/depth-requests.mjs', async (child) => {
    await child.request('open', { client, origin: service.origin })
    await child.request('request', { count: warmUpRequests })
    await service.child.request('reset')
    const { cents, cpuMicroseconds } = await child.request<RequestsResult>('request', { count: requests })
    const sent = await service.child.request<{ readonly responses: number; readonly cents: number }>('totals')
    if (sent.responses !== requests || sent.cents !== cents) {
      throw new Error(
        `${sent.responses} responses with ${sent.cents} cents, received ${requests} with ${cents}`,
      )
    }
    return cpuMicroseconds / requests
  })
