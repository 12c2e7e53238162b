import { sendBurst } from '../measure/bursts.js'
import { subscribe, withPriceService } from '../measure/price-service.js'
import { inRounds, valuesOf } from '../measure/rounds.js'
import { spreadOf } from '../measure/statistics.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const topics = 10_000

interface Candidate {
  readonly name: string
  readonly program: string
  readonly limit?: number
}

const candidates: readonly Candidate[] = [
  { name: 'hand-written', program: 'hand-written/price-handlers' },
  { name: 'lower bound: a Map of RxJS subscriptions', program: 'lower-bound/rx-subscriptions' },
  { name: '`rxjs/webSocket` + Map of Subjects', program: 'peers/rxjs-subjects' },
  { name: '**svc-streams**', program: 'svc-streams/default', limit: 850 },
]

/** Memory of one live topic with one subscriber. */
export const memory = async ({ rounds }: Settings): Promise<Section> =>
  withPriceService(async (service) => {
    const measured = await inRounds(rounds, candidates, ({ program }) =>
      service.withClient({ program, topics, process: { runArguments: ['--expose-gc'] } }, async (client) => {
        // The first topic allocates the objects that all topics share. The topic strings are already allocated.
        await subscribe(client, { to: 1 })
        await client.service.request('prepareFrames')
        await sendBurst(client, { frames: 100 })
        const before = await client.child.request<number>('heapBytes')
        await subscribe(client, { from: 1, to: topics })
        await client.service.request('prepareFrames')
        // A topic is live after its first price.
        await sendBurst(client, { frames: topics })
        return ((await client.child.request<number>('heapBytes')) - before) / (topics - 1)
      }),
    )
    return {
      method: `Heap and external memory after garbage collection, in bytes per topic: ${topics} topics with one subscriber and one price each, compared with one topic. The topic strings are not counted. ${rounds} rounds.`,
      columns: ['Client', 'bytes per topic'],
      rows: candidates.map((candidate) => [
        candidate.name,
        formatSpread(spreadOf(valuesOf(measured, candidate, (value) => value))),
      ]),
      limit: candidates.map(({ limit }) => limit),
      notes: [
        'lower bound: one RxJS subscription with a teardown per topic, and its entry in the `Map`. It keeps no price, time or byte pattern.',
        '**svc-streams** keeps beside that subscription the state of the topic, its byte pattern, and the link between the two. Of its bytes, by a heap snapshot of Node 20, RxJS takes 208: `SafeSubscriber` 72, its observer 80, and the array of its teardown 56. The state takes 224 with its three numbers, the link 88, the byte pattern about 90, the address 32, and the tables of topics and deadlines take the rest.',
      ],
    }
  })
