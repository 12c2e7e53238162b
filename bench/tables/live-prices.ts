import { measureCpuPerMessage } from '../measure/bursts.js'
import { subscribe, withPriceService, type PriceService } from '../measure/price-service.js'
import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { formatFigure, formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'
import { handWritten, liveCandidates, svcStreams, type LiveCandidate } from './live-candidates.js'

/** The number of topics of the table of all candidates, and of that of svc-streams. */
const [fewTopics, manyTopics] = [1000, 10_000]

interface Measured {
  readonly perMessage: number
  readonly frameBytes: number
}

/** CPU per message of a burst: svc-streams, its peers, and the lower bounds. */
export const livePrices = async (settings: Settings): Promise<Section> =>
  withPriceService(async (service) => {
    const measured = await inRounds(settings.liveRounds, liveCandidates, (candidate) =>
      measure(service, candidate, settings),
    )
    const micros = (candidate: LiveCandidate) => valuesOf(measured, candidate, ({ perMessage }) => perMessage)
    const frameBytes = valuesOf(measured, handWritten, (value) => value.frameBytes)[0] ?? NaN
    return {
      method:
        `CPU time of the client's process per message, in bursts of frames of ${formatFigure(frameBytes)} bytes on average with their headers, ` +
        `${fewTopics} topics with one subscriber each, after ${settings.warmUpBursts} bursts to warm up, ${settings.liveRounds} rounds. ` +
        '× hand-written: higher is faster.',
      columns: ['Client', '× hand-written', 'µs per message', 'messages per round'],
      rows: liveCandidates.map((candidate) => [
        candidate.name,
        formatSpread(spreadOf(ratios(micros(handWritten), micros(candidate)))),
        formatSpread(spreadOf(micros(candidate))),
        String(settings.frames * candidate.share),
      ]),
      notes: [
        ...liveCandidates.flatMap(({ name, note }) => (note === undefined ? [] : [`${name}: ${note}`])),
        'Each round checks the delivered prices: their number, and their sum to the last bit. ' +
          'For the lower bounds it checks the number of frames.',
      ],
    }
  })

/** The same with more topics, whose prices no longer fit into the caches of a processor. */
export const manyLivePrices = (settings: Settings): Promise<Section> =>
  withPriceService(async (service) => {
    const candidates = [handWritten, svcStreams]
    const measured = await inRounds(settings.liveRounds, candidates, (candidate) =>
      measure(service, candidate, settings, manyTopics),
    )
    const micros = (candidate: LiveCandidate) => valuesOf(measured, candidate, ({ perMessage }) => perMessage)
    return {
      method: `The same with ${manyTopics} topics, ${settings.liveRounds} rounds.`,
      columns: ['Client', 'µs per message', '× hand-written'],
      rows: candidates.map((candidate) => [
        candidate.name,
        formatSpread(spreadOf(micros(candidate))),
        formatSpread(spreadOf(ratios(micros(handWritten), micros(candidate)))),
      ]),
      limit: [undefined, 2.5],
    }
  })

const measure = async (
  service: PriceService,
  { program, path, share, countOnly = false }: LiveCandidate,
  { warmUpBursts, frames }: Settings,
  topics = fewTopics,
): Promise<Measured> =>
  service.withClient({ program, path, topics }, async (client) => {
    if (countOnly) await client.service.request('awaitSubscriptions', { topics: 0 })
    else await subscribe(client, { to: topics })
    const { meanFrameBytes } = await client.service.request<{ readonly meanFrameBytes: number }>(
      'prepareFrames',
    )
    const perMessage = await measureCpuPerMessage(client, warmUpBursts, { frames: frames * share, countOnly })
    return { perMessage, frameBytes: meanFrameBytes }
  })
