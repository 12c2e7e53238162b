import { defer, type Observable } from 'rxjs'
import type { Client } from '../../client/client.js'
import { systemClock } from '../../time/system-clock.js'
import type { RecordingHeader, Row } from '../format/row.js'
import { openableSources, type OpenableSource, type RecordingSource } from '../read/source.js'
import { Playback, type HeaderResult, type ReplayResult } from './playback.js'
import { realClock, virtualClock } from './replay-clock.js'
import { replaySettings, type ReplayOptions } from './replay-options.js'
import { runInRecordingTime$ } from './recording-time.js'
import { createSession, type ReplaySession } from './replay-session.js'
import { runStrategy$ } from './run-strategy.js'

/** A client whose streams come from a recording. */
export interface ReplayClient extends Client {
  /**
   * Runs a strategy in the time of the recording, from its start to its end, and then completes. With `speed: Infinity`,
   * all Rx timers and clocks that the strategy uses are virtual: a window of a minute is a minute of the recording, each
   * run gives the same result, and a run takes only the time for its computation.
   *
   * Strategies that are subscribed to before the first row share one replay. A later one has a replay of its own, from the
   * start. If the source can be read only once, the later replay is a `RecordingError`.
   *
   * A strategy may end earlier, by `take` or an unsubscription. The replay then ends with its last subscriber.
   *
   * Fails with a `ConfigurationError` if the strategy uses another copy of RxJS than the library, whose timers would stay
   * real. `npm ls rxjs` lists the copies.
   *
   * @example
   * const signal$ = replay('market.ndjson', { speed: Infinity }).run$(myStrategy)
   */
  readonly run$: <A>(strategy$: (client: Client) => Observable<A>) => Observable<A>
  /** The header of the recording: its topics, its mints and its start. Does not start the replay. */
  readonly header: () => Promise<HeaderResult>
  /**
   * Resolves at the end of the latest replay, with the number of rows that it played, or with the error, which names the
   * source and the line. All rows before that line have been emitted. A replay ends with the recording, with its last
   * subscriber if that or an earlier one used `run$`, or on `close()`. Without `run$`, a replay that loses its last
   * subscriber pauses, and this promise stays pending. Reading this property reads the first line, but does not start the
   * replay.
   */
  readonly finished: Promise<ReplayResult>
}

/**
 * Replays a recording made by `record` as a client. Its streams emit the same values and errors, in the same order, at the
 * same distances in time.
 *
 * The replay starts with the first subscription to a price or depth stream, and pauses while there is none. If a strategy
 * ran by `run$`, it ends instead. A late subscriber receives the current event first, as from a live client. A topic or
 * mint that is not in the recording is rejected. At the end of the recording all streams complete. If the recording is
 * damaged, each price and depth stream emits a `DecodeError` first.
 *
 * The time of a replay never goes back: a row that is earlier than its predecessor plays at once, and the rows after it
 * keep their distances. A row more than 365 days later than its predecessor is a `RecordingError`. Only the distance from
 * or to a header may be longer: it is skipped.
 *
 * - `source`: a file by its path or `file:` URL, or an iterable of chunks of text or bytes, such as a Node stream. An array
 *   is a list of sources, in order. Each source starts with a header. Gzip is recognised by the content.
 * - `from` and `to` play a part. Values from before `from` are not played: the streams start without a value.
 * - The `interval` of `depth$` has no effect: depths are emitted as recorded.
 * - `receivedAt` is the recorded time.
 * - At a finite speed, clocks and timers of Rx stay real, so that operators such as `freshWithin` see faster data.
 * - With `speed: Infinity`, subscribe through `run$`. Timers that a stream's event causes are always virtual, but timers
 *   that are created on subscription are virtual only inside `run$`.
 * - Promises in a strategy are not part of the virtual time.
 *
 * Throws a `ConfigurationError` for an invalid source, an invalid value and a misspelt option name.
 *
 * @example
 * const client = replay('market.ndjson', { speed: 10 })
 * client.price$('svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1').subscribe(console.log)
 */
export const replay = (source: RecordingSource, options: ReplayOptions = {}): ReplayClient =>
  replaySources(openableSources(source), options)

/** `onLine` is called before the events of each line are emitted. */
export const replaySources = (
  sources: readonly OpenableSource[],
  options: ReplayOptions,
  onLine?: (line: Row | RecordingHeader) => void,
): ReplayClient => {
  const { speed, environment, range } = replaySettings(options)
  const clock = systemClock()
  const startSession = (): ReplaySession => {
    const replayClock = speed === Infinity ? virtualClock() : realClock(speed, clock)
    return createSession(new Playback(sources, range, replayClock, clock, onLine), environment)
  }
  let current = startSession()
  /** Sessions that may not be over. */
  let sessions: readonly ReplaySession[] = [current]
  let isClosed = false

  const sessionAtStart = (): ReplaySession => {
    if (isClosed || current.playback.isAtStart) return current
    // Nobody would continue it, and it may hold an open file.
    if (!current.playback.hasSubscribers) current.playback.stop()
    current = startSession()
    sessions = [...sessions.filter(({ playback }) => !playback.isOver), current]
    return current
  }

  const close = async (): Promise<void> => {
    isClosed = true
    await Promise.all(sessions.map(({ client }) => client.close()))
  }

  return {
    chainId: current.client.chainId,
    status$: defer(() => current.client.status$),
    errors$: defer(() => current.client.errors$),
    price$: (topic) => defer(() => current.client.price$(topic)),
    price: (topic) => () => current.client.price(topic)(),
    depth$: (mint, interval) => defer(() => current.client.depth$(mint, interval)),
    depth: (mint) => () => current.client.depth(mint)(),
    inspect: () => current.client.inspect(),
    close,
    [Symbol.asyncDispose]: close,
    run$: (strategy$) =>
      defer(() => {
        const { playback, client } = sessionAtStart()
        return runInRecordingTime$(playback, runStrategy$(strategy$, client))
      }),
    header: () => current.playback.header(),
    get finished() {
      return current.playback.finished()
    },
  }
}
