import { costAfter } from '../measure/burst.js'
import { inRounds, valuesOf } from '../measure/rounds.js'
import { subscribe, withPriceService } from '../measure/service.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withSpread } from '../report/figures.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const counts = [1, 10, 100]
const most = 100

interface FanOut {
  readonly name: string
  readonly program: string
  readonly fanOut?: string
}

const array: FanOut = { name: 'by hand, an array of callbacks', program: 'fan-out', fanOut: 'array' }
const fanOuts: readonly FanOut[] = [
  array,
  { name: 'by hand, an Rx Subject', program: 'fan-out', fanOut: 'subject' },
  { name: 'by hand, a Subject behind `share`', program: 'fan-out', fanOut: 'share' },
  { name: '**svc-streams**', program: 'svc-streams' },
]

/** What one more subscriber to a topic costs. */
export const subscriberCounts = async ({ rounds, burstsBefore, frames }: Settings): Promise<Section> =>
  withPriceService(async (service) => {
    const candidates = fanOuts.flatMap((fanOut) => counts.map((subscribers) => ({ fanOut, subscribers })))
    // Where many are told, a message is dear and its cost steady: fewer will do.
    const measured = await inRounds(rounds, candidates, ({ fanOut: { program, fanOut }, subscribers }) =>
      service.withClient(
        { program, topics: 1, ...(fanOut === undefined ? {} : { fanOut }) },
        async (client) => {
          await subscribe(client, { to: 1, subscribers })
          await client.service.ask('prepare')
          return costAfter(client, burstsBefore, { frames: frames / 2, subscribers })
        },
      ),
    )
    const micros = (fanOut: FanOut, subscribers: number): readonly number[] => {
      const candidate = candidates.find((each) => each.fanOut === fanOut && each.subscribers === subscribers)
      return candidate === undefined ? [] : valuesOf(measured, candidate, (value) => value)
    }
    /** Of the same round: what is left when the message itself, and the first subscriber, are taken off. */
    const nanosEach = (fanOut: FanOut): readonly number[] =>
      micros(fanOut, most).map(
        (value, round) => ((value - (micros(fanOut, 1)[round] ?? NaN)) * 1e3) / (most - 1),
      )
    return {
      title: 'Subscribers to one topic',
      method: `CPU per message in µs, with everything from the socket to the last subscriber, ${rounds} rounds. One more subscriber: (cost with ${most} − cost with 1) / ${most - 1}, in ns; its cost relative to that of one more callback in an array, in the same round: lower is better.`,
      columns: [
        'Fan-out',
        ...counts.map((count) => `${count} subscriber${count === 1 ? '' : 's'}`),
        'one more, ns',
        '× array',
      ],
      rows: fanOuts.map((fanOut) => [
        fanOut.name,
        ...counts.map((count) => withSpread(spreadOf(micros(fanOut, count)))),
        withSpread(spreadOf(nanosEach(fanOut))),
        withSpread(spreadOf(ratios(nanosEach(fanOut), nanosEach(array)))),
      ]),
    }
  })
