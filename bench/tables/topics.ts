import { costAfter } from '../measure/burst.js'
import { inRounds, valuesOf } from '../measure/rounds.js'
import { subscribe, withPriceService } from '../measure/service.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withSpread } from '../report/figures.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const counts = [1, 100, 1000, 10_000]
const programs = ['by-hand', 'rxjs-map', 'svc-streams']

/** Whether a message costs more where there are more topics. */
export const topicCounts = async ({ rounds, burstsBefore, frames }: Settings): Promise<Section> =>
  withPriceService(async (service) => {
    const candidates = programs.flatMap((program) => counts.map((topics) => ({ program, topics })))
    const measured = await inRounds(rounds, candidates, ({ program, topics }) =>
      service.withClient({ program, topics }, async (client) => {
        await subscribe(client, { to: topics })
        await client.service.ask('prepare')
        return costAfter(client, burstsBefore, { frames })
      }),
    )
    const micros = (program: string, topics: number): readonly number[] => {
      const candidate = candidates.find((each) => each.program === program && each.topics === topics)
      return candidate === undefined ? [] : valuesOf(measured, candidate, (value) => value)
    }
    return {
      title: 'Number of topics',
      method: `CPU per message in µs, one subscriber a topic, of ${frames} after ${burstsBefore} times as many to warm up, ${rounds} rounds. Flat is 1.00 in the last columns: the cost relative to one topic in the same round.`,
      columns: [
        'Topics',
        ...programs,
        '× by hand',
        ...programs.map((program) => `${program}, cost to that of 1`),
      ],
      rows: counts.map((topics) => [
        String(topics),
        ...programs.map((program) => withSpread(spreadOf(micros(program, topics)))),
        withSpread(spreadOf(ratios(micros('by-hand', topics), micros('svc-streams', topics)))),
        ...programs.map((program) =>
          withSpread(spreadOf(ratios(micros(program, topics), micros(program, 1)))),
        ),
      ]),
    }
  })
