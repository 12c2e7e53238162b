import { burst } from '../measure/burst.js'
import { inRounds, valuesOf } from '../measure/rounds.js'
import { subscribe, withPriceService } from '../measure/service.js'
import { spreadOf } from '../measure/statistics.js'
import { withSpread } from '../report/figures.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const topics = 10_000

const candidates = [
  { name: 'by hand', program: 'by-hand' },
  { name: '`rxjs/webSocket` + Map of Subjects', program: 'rxjs-map' },
  { name: '**svc-streams**', program: 'svc-streams' },
]

/** What one live topic with one subscriber holds in memory. */
export const memory = async ({ rounds }: Settings): Promise<Section> =>
  withPriceService(async (service) => {
    const measured = await inRounds(rounds, candidates, ({ program }) =>
      service.withClient({ program, topics, nodeOptions: ['--expose-gc'] }, async (client) => {
        // The first topic makes what all have in common. The names of the others are there already: the user's.
        await subscribe(client, { to: 1 })
        await client.service.ask('prepare')
        await burst(client, { frames: 100 })
        const before = await client.child.ask<number>('heap')
        await subscribe(client, { from: 1, to: topics })
        await client.service.ask('prepare')
        // A price for each: a topic is live when it has one.
        await burst(client, { frames: topics })
        return ((await client.child.ask<number>('heap')) - before) / (topics - 1)
      }),
    )
    return {
      title: 'Memory of a live topic',
      method: `Heap and external memory after garbage collection, in bytes a topic: ${topics} topics with one subscriber and a price each, against one. The topic's own text is the user's and not counted. ${rounds} rounds.`,
      columns: ['Client', 'bytes a topic'],
      rows: candidates.map((candidate) => [
        candidate.name,
        withSpread(spreadOf(valuesOf(measured, candidate, (value) => value))),
      ]),
    }
  })
