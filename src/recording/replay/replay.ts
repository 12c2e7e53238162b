import { defer, type Observable } from 'rxjs'
import { clientFromStreams } from '../../client/client-from-streams.js'
import type { Client } from '../../client/client.js'
import type { Environment } from '../../domain/environment.js'
import { checkAll } from '../../option-kinds/check-options.js'
import { environmentOption } from '../../option-kinds/environment-option.js'
import { checkedOption, type OptionTable } from '../../option-kinds/option.js'
import { systemClock } from '../../time/system-clock.js'
import type { RecordingSource } from '../format/read-lines.js'
import { Playback, type HeaderResult, type ReplayResult } from './playback.js'
import { realClock, virtualClock } from './replay-clock.js'

export interface ReplayOptions {
  /**
   * Speed relative to the recording, above 0. `Infinity` replays as fast as possible, in virtual time. Default: 1.
   */
  readonly speed?: number
  /** The environment of the client, which a recording does not contain. Default: `mainnet`. */
  readonly environment?: Environment
}

/** A client whose streams come from a recording. */
export interface ReplayClient extends Client {
  /**
   * Runs a strategy in the time of the recording, from its start to its end, and then completes. With `speed: Infinity`,
   * all Rx timers and clocks that the strategy uses are virtual: a window of a minute is a minute of the recording, each
   * run gives the same result, and a run takes only the time for its computation.
   *
   * @example
   * const signal$ = replay('market.ndjson', { speed: Infinity }).run$(myStrategy)
   */
  readonly run$: <A>(strategy$: (client: Client) => Observable<A>) => Observable<A>
  /** The header of the recording: its topics, its mints and its start. Does not start the replay. */
  readonly header: () => Promise<HeaderResult>
  /**
   * Resolves at the end of the recording, with the number of rows, or with the error and its line number. All rows before
   * that line have been emitted.
   */
  readonly finished: Promise<ReplayResult>
}

/**
 * Replays a recording made by `record` as a client. Its streams emit the same values and errors, in the same order, at the
 * same distances in time.
 *
 * The replay starts with the first subscription to a price or depth stream, and pauses while there is none. A late
 * subscriber receives the current event first, as from a live client. A topic or mint that is not in the recording is
 * rejected. At the end of the recording all streams complete. If the recording is damaged, each price and depth stream
 * emits a `DecodeError` first.
 *
 * The time of a replay never goes back: a row that is earlier than its predecessor plays at once, and the rows after it
 * keep their distances. A row more than 365 days later than its predecessor is a `RecordingError`. Only the distance from
 * or to a header may be longer: it is skipped.
 *
 * - `source`: a file by its path or `file:` URL, or an iterable of chunks of text or bytes, such as a Node stream.
 * - The `interval` of `depth$` has no effect: depths are emitted as recorded.
 * - `receivedAt` is the recorded time.
 * - At a finite speed, clocks and timers of Rx stay real, so that operators such as `freshWithin` see faster data.
 * - With `speed: Infinity`, subscribe through `run$`. Timers that a stream's event causes are always virtual, but timers
 *   that are created on subscription are virtual only inside `run$`.
 * - Promises in a strategy are not part of the virtual time.
 *
 * Throws a `ConfigurationError` for an invalid value and a misspelt name of an option.
 *
 * @example
 * const client = replay('market.ndjson', { speed: 10 })
 * client.price$('svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1').subscribe(console.log)
 */
export const replay = (source: RecordingSource, options: ReplayOptions = {}): ReplayClient => {
  checkAll(options, replayTable)
  const { speed = replayTable.speed.default, environment = replayTable.environment.default } = options
  const clock = systemClock()
  const playback = new Playback(source, speed === Infinity ? virtualClock() : realClock(speed, clock), clock)
  const { streams } = playback
  const client = clientFromStreams({
    environment,
    status$: streams.status$,
    currentStatus: () => streams.status,
    errors$: streams.errors$,
    price$: (topic) => streams.price$(topic),
    depth$: (mint) => streams.depth$(mint),
    onClose: (completeStreams) => playback.close(completeStreams),
  })
  return {
    ...client,
    inspect: () => playback.run(client.inspect),
    run$: (strategy$) => playback.runInRecordingTime$(defer(() => strategy$(client))),
    header: () => playback.header(),
    finished: playback.finished,
  }
}

const replayTable = {
  speed: {
    ...checkedOption<number>(
      'number',
      {
        expected: 'a number above 0, or Infinity',
        holds: (value) => typeof value === 'number' && value > 0,
      },
      { meaning: 'Speed relative to the recording' },
    ),
    default: 1,
  },
  environment: environmentOption,
} satisfies OptionTable<ReplayOptions>
