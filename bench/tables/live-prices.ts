import { costAfter } from '../measure/burst.js'
import { inRounds, valuesOf } from '../measure/rounds.js'
import { subscribe, withPriceService, type PriceService } from '../measure/service.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { figure, withSpread } from '../report/figures.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'
import { byHand, liveCandidates, type LiveCandidate } from './live-candidates.js'

const topics = 1000

interface Measured {
  readonly perMessage: number
  readonly frameBytes: number
}

/** CPU per message of bulk frames: the project beside its peers and the floors. */
export const livePrices = async (settings: Settings): Promise<Section> =>
  withPriceService(async (service) => {
    const measured = await inRounds(settings.liveRounds, liveCandidates, (candidate) =>
      measure(service, candidate, settings),
    )
    const micros = (candidate: LiveCandidate) => valuesOf(measured, candidate, ({ perMessage }) => perMessage)
    const frameBytes = valuesOf(measured, byHand, (value) => value.frameBytes)[0] ?? NaN
    return {
      title: 'Live prices',
      method:
        `CPU of the client's process per message, bulk frames of ${figure(frameBytes)} bytes on average with their headers, ` +
        `${topics} topics with one subscriber each, after ${settings.burstsBefore} times as many to warm up, ${settings.liveRounds} rounds. ` +
        '× by hand: higher is faster.',
      columns: ['Client', '× by hand', 'µs a message', 'messages a round'],
      rows: liveCandidates.map((candidate) => [
        candidate.name,
        withSpread(spreadOf(ratios(micros(byHand), micros(candidate)))),
        withSpread(spreadOf(micros(candidate))),
        String(settings.frames * candidate.share),
      ]),
      notes: [
        ...liveCandidates.flatMap(({ name, note }) => (note === undefined ? [] : [`${name}: ${note}`])),
        'What was delivered was checked in each round: as many prices as were sent, of the same sum to the last bit. ' +
          'The floors look at no price: of them, the number of frames.',
      ],
    }
  })

const measure = async (
  service: PriceService,
  { program, path, share, floor = false }: LiveCandidate,
  { burstsBefore, frames }: Settings,
): Promise<Measured> =>
  service.withClient({ program, path, topics }, async (client) => {
    if (floor) await client.service.ask('subscribed', { topics: 0 })
    else await subscribe(client, { to: topics })
    const { meanFrameBytes } = await client.service.ask<{ readonly meanFrameBytes: number }>('prepare')
    const perMessage = await costAfter(client, burstsBefore, { frames: frames * share, countOnly: floor })
    return { perMessage, frameBytes: meanFrameBytes }
  })
