import { right } from 'fp-ts/lib/Either.js'
import { defer, map, Observable } from 'rxjs'
import type { CaughtUp } from '../../../base/domain/past.js'
import type { ConnectionStatus } from '../../../base/domain/snapshot.js'
import { ConfigurationError } from '../../../base/errors/configuration-error.js'
import type { OptionTable } from '../../../base/option-kinds/option.js'
import { checkValue, parseOptions } from '../../../base/option-kinds/parse-options.js'
import { systemClock } from '../../../base/time/clock.js'
import type { Client } from '../../../client/client.js'
import { withTopic, type ClientStreams } from '../../../testing/client-from-streams.js'
import type { History } from '../../history/history.js'
import { checkClient } from '../../../client/options.js'
import { functionCheck } from '../../option-kinds.js'
import { allTimes } from '../../recording/codec/timeline.js'
import { nodePlatform } from '../../recording/read/node-platform.js'
import { readSet, type SetReading } from '../../recording/read/merge.js'
import type { EntriesResult } from '../../recording/read/read-entries.js'
import { openableSources, type FileUrl } from '../../recording/read/source.js'
import type { OpenableSource } from '../../recording/read/openable-source.js'
import { Playback } from '../playback.js'
import { inLaterEpoch, statusInLaterEpoch } from '../recorded-streams.js'
import { timeOption } from '../replay-options.js'
import { createStrategyClient, type StrategyClient } from '../strategy-client.js'
import { runStrategy$ } from '../run-strategy.js'
import { HistoryRows, startEntry } from './history-rows.js'
import { LiveTime } from './live-time.js'

export interface ResumeOptions {
  /** The start of the past, in ms since the Unix epoch. Required for a history. Default for files: their first row. */
  readonly from?: number
}

const optionTable = { from: timeOption } satisfies OptionTable<ResumeOptions>

/**
 * Runs a strategy over its past in virtual time, and then live, as one run: the strategy is subscribed to once, and its state
 * and its timers continue. `{ _tag: 'CaughtUp' }` separates the values of the past from those of the present.
 *
 * - `client`: the live client. It is asked only for what the strategy subscribes to. Its end completes the streams of the strategy.
 *   In the past, as in a replay, each subscriber of a mint receives all of its depths, those of other intervals too.
 * - `past`: recordings, by their paths or `file:` URLs, in any order, as of `replay`; none at a first start. Or a history, such as
 *   `openHistory('http://127.0.0.1:8080')`, the past of a gateway: it has prices alone.
 *
 * Past and live prices of a history meet as in `withPast`, without its `pastTimeout`: each price comes once, in order, and
 * nothing separates it from the one before it. After files, and wherever prices may be missing, the topic emits `Disconnected`,
 * and has no current price until its first live price.
 *
 * Timers that are due between the last row and the present fire, each at its time. If the clock of the recorder is ahead of that of
 * this process, the clock of the strategy is set, and its timers keep their remaining delays. The strategy runs on a clock of its
 * own, also while it is live: timers that it starts after a promise are real.
 *
 * A damaged recording is a `DecodeError` of each stream, then its completion: the strategy does not become live. A topic whose
 * history cannot be read emits `Disconnected` with the reason.
 *
 * Throws a `ConfigurationError` for an invalid argument and a misspelt option name.
 *
 * @example
 * resume(client, ['monday.ndjson', 'tuesday.ndjson'], myStrategy).subscribe(console.log)
 *
 * @example
 * import { openHistory } from 'svc-streams/history'
 * resume(client, openHistory('http://127.0.0.1:8080'), myStrategy, { from: Date.now() - 20 * 60_000 }).subscribe(console.log)
 */
export const resume$ = <A>(
  client: Client,
  past: readonly (string | FileUrl)[] | History,
  strategy$: (client: StrategyClient) => Observable<A>,
  options: ResumeOptions = {},
): Observable<A | CaughtUp> => {
  checkClient(client)
  checkValue('strategy', strategy$, functionCheck('a function (client) => Observable'))
  const { from } = parseOptions(optionTable, options, { allowsUndefined: true })
  const given = isHistory(past) ? past : undefined
  if (given !== undefined && from === undefined)
    throw new ConfigurationError('from', 'required: a history has no first row')
  const sources = isHistory(past) ? [] : openableSources(nodePlatform, past)
  const range = from === undefined ? allTimes : { from, to: Infinity }
  return new Observable<A | CaughtUp>((subscriber) => {
    const playback: Playback = new Playback(
      sources,
      range,
      Infinity,
      {
        onRecordingEnd: () => {
          if (history === undefined) runs.tick(() => streams.interrupt('the recording has ended'))
          live.start(() => subscriber.next({ _tag: 'CaughtUp' }))
          history?.close()
        },
        onOver: () => live.closing.unsubscribe(),
      },
      (reading) => (history === undefined ? readWritten(sources, reading) : history.read(reading)),
    )
    const { streams, runs } = playback
    const history = given && new HistoryRows(client, given, range.from, playback)
    const live = new LiveTime(runs)
    live.closing.add(() => history?.close())
    const statusOf = (status: ConnectionStatus) => statusInLaterEpoch(status, streams.latestEpoch)
    const price$: ClientStreams['price$'] = (topic) =>
      defer(() => {
        const rows = history?.want(topic)
        const event$ = (live.isLive ? undefined : rows?.live$) ?? client.price$(topic)
        const epochs = (): number => rows?.addedEpochs ?? streams.latestEpoch
        const later$ = event$.pipe(map((event) => withTopic(inLaterEpoch(event, epochs()), topic)))
        const { retained } = streams.prices.stream(topic)
        return live.joined$(streams.price$(topic), later$, (event) => retained.add(event))
      })
    const replayed = createStrategyClient(playback, 'mainnet', {
      past: given,
      streams: {
        price$,
        depth$: (mint, interval) => {
          const { event$, retained } = streams.depths.stream(mint)
          return live.joined$(event$, client.depth$(mint, interval), (event) => retained.add(event))
        },
        status$: live.joined$(streams.status$, client.status$.pipe(map(statusOf))),
        errors$: live.joined$(streams.errors$, client.errors$),
        currentStatus: () => (live.isLive ? statusOf(client.inspect().status) : streams.status),
      },
    })
    const own = { ...replayed, chainId: client.chainId }
    subscriber.add(runStrategy$(playback, () => own, strategy$).subscribe(subscriber))
  })
}

const isHistory = (past: unknown): past is History =>
  typeof past === 'object' && past !== null && 'prices$' in past

/** Reads the recordings that are not empty, as a recorder that is killed at its start leaves them; a header if there are none. */
async function* readWritten(
  sources: readonly OpenableSource[],
  reading: SetReading,
): AsyncGenerator<EntriesResult, void> {
  const written: OpenableSource[] = []
  for (const source of sources)
    if ((await source.file?.size().catch(() => undefined)) !== 0) written.push(source)
  if (written.length === 0) yield right([startEntry(systemClock().wallClock())])
  else yield* readSet(written, { ...reading, allowsCut: true })
}
