import { subscribeAndMeasureCpu } from '../measure/bursts.js'
import { withPriceService } from '../measure/price-service.js'
import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const counts = [1, 100, 1000, 10_000]
const handWritten = { name: 'hand-written', program: 'hand-written/price-handlers' }
const svcStreams = { name: '**svc-streams**', program: 'svc-streams/default' }
const clients = [
  handWritten,
  { name: '`rxjs/webSocket` + Map of Subjects', program: 'peers/rxjs-subjects' },
  svcStreams,
]
type Client = (typeof clients)[number]

/** CPU per message by number of topics. */
export const topicCounts = async ({ rounds, warmUpBursts, frames }: Settings): Promise<Section> =>
  withPriceService(async (service) => {
    const candidates = clients.flatMap((client) => counts.map((topics) => ({ client, topics })))
    const measured = await inRounds(rounds, candidates, ({ client: { program }, topics }) =>
      service.withClient({ program, topics }, (connected) =>
        subscribeAndMeasureCpu(connected, topics, warmUpBursts, { frames }),
      ),
    )
    const micros = (client: Client, topics: number): readonly number[] => {
      const candidate = candidates.find((each) => each.client === client && each.topics === topics)
      return candidate === undefined ? [] : valuesOf(measured, candidate, (value) => value)
    }
    return {
      title: 'Number of topics',
      method: `CPU per message in µs, one subscriber a topic, bursts of ${frames} messages after ${warmUpBursts} bursts to warm up, ${rounds} rounds. The last columns are relative to one topic in the same round: 1.00 means that the number of topics has no effect.`,
      columns: [
        'Topics',
        ...clients.map(({ name }) => name),
        '× hand-written',
        ...clients.map(({ name }) => `${name}, relative to 1 topic`),
      ],
      rows: counts.map((topics) => [
        String(topics),
        ...clients.map((client) => formatSpread(spreadOf(micros(client, topics)))),
        formatSpread(spreadOf(ratios(micros(handWritten, topics), micros(svcStreams, topics)))),
        ...clients.map((client) => formatSpread(spreadOf(ratios(micros(client, topics), micros(client, 1))))),
      ]),
    }
  })
