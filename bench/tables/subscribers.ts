import { subscribeAndMeasureCpu } from '../measure/bursts.js'
import { withPriceService } from '../measure/price-service.js'
import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const counts = [1, 10, 100]
const maxCount = 100

interface FanOut {
  readonly name: string
  readonly program: string
  readonly fanOut?: string
}

const array: FanOut = {
  name: 'hand-written, an array of callbacks',
  program: 'hand-written/fan-out',
  fanOut: 'array',
}
const fanOuts: readonly FanOut[] = [
  array,
  { name: 'hand-written, an Rx Subject', program: 'hand-written/fan-out', fanOut: 'subject' },
  { name: 'hand-written, a Subject with `share`', program: 'hand-written/fan-out', fanOut: 'share' },
  { name: '**svc-streams**', program: 'svc-streams/default' },
]

/** CPU per message by number of subscribers, and the cost of one more subscriber. */
export const subscriberCounts = async ({ rounds, warmUpBursts, frames }: Settings): Promise<Section> =>
  withPriceService(async (service) => {
    const candidates = fanOuts.flatMap((fanOut) => counts.map((subscribers) => ({ fanOut, subscribers })))
    // Half the frames, because a message to many subscribers takes longer and its cost varies less.
    const measured = await inRounds(rounds, candidates, ({ fanOut: { program, fanOut }, subscribers }) =>
      service.withClient({ program, topics: 1, ...(fanOut === undefined ? {} : { fanOut }) }, (client) =>
        subscribeAndMeasureCpu(client, 1, warmUpBursts, { frames: frames / 2, subscribers }),
      ),
    )
    const micros = (fanOut: FanOut, subscribers: number): readonly number[] => {
      const candidate = candidates.find((each) => each.fanOut === fanOut && each.subscribers === subscribers)
      return candidate === undefined ? [] : valuesOf(measured, candidate, (value) => value)
    }
    /** The cost of one more subscriber, within each round. */
    const nanosPerSubscriber = (fanOut: FanOut): readonly number[] =>
      micros(fanOut, maxCount).map(
        (value, round) => ((value - (micros(fanOut, 1)[round] ?? NaN)) * 1e3) / (maxCount - 1),
      )
    return {
      method: `CPU per message in µs, from the socket to the last subscriber, ${rounds} rounds. One more subscriber: (cost with ${maxCount} − cost with 1) / ${maxCount - 1}, in ns. × array: relative to one more callback in an array, in the same round; lower is better.`,
      columns: [
        'Fan-out',
        ...counts.map((count) => `${count} subscriber${count === 1 ? '' : 's'}`),
        'one more, ns',
        '× array',
      ],
      rows: fanOuts.map((fanOut) => [
        fanOut.name,
        ...counts.map((count) => formatSpread(spreadOf(micros(fanOut, count)))),
        formatSpread(spreadOf(nanosPerSubscriber(fanOut))),
        formatSpread(spreadOf(ratios(nanosPerSubscriber(fanOut), nanosPerSubscriber(array)))),
      ]),
      notes: [
        '**svc-streams** reads the clock before each further subscriber, because the handlers before it may have blocked the event loop for longer than `maxLag`. That reading is most of the cost of one more subscriber: `performance.now()` and `Date.now()` take 33 to 39 ns on this machine. A Subject alone, without a clock, is at 2.4.',
      ],
    }
  })
