import { defer, type Observable } from 'rxjs'
import type { Publish } from '../../base/diagnostics/messages.js'
import { toStream$ } from '../../base/time/stream.js'
import { openableSources, type RecordingSource, type SourcePlatform } from '../recording/read/source.js'
import type { OpenableSource } from '../recording/read/openable-source.js'
import { runStrategy$ } from './run-strategy.js'
import {
  Playback,
  type HeaderResult,
  type PlaybackObserver,
  type ReplayResult,
  type ReplaySummary,
} from './playback.js'
import { createStrategyClient, withStreams, type StrategyClient } from './strategy-client.js'
import { replaySettings, type ReplayOptions, type ReplaySettings } from './replay-options.js'

/** A client whose streams come from a recording. */
export interface ReplayClient extends StrategyClient {
  /**
   * Runs a strategy in the time of the recording, from its start to its end, and then completes. With
   * `speed: Infinity`, all Rx timers and clocks that the strategy uses are virtual: a window of a minute is a minute of
   * the recording. Each run gives the same result, and takes only the time for its computation. A timer of 0 ms takes 1
   * ms. Animation frames are real.
   *
   * Only the strategy, its streams and their timers run in that time. The subscriber of the result runs in real time:
   * in one pipeline, a live client may follow a backtest. At the end of the recording, the pending timers of the
   * strategy fire in order, up to the due time of the last one.
   *
   * Promises that do not wait for I/O settle before the next row, but in real time. Timers that start after a promise
   * are real, and do not fire after the end of the replay. Use observables instead of promises before timers.
   *
   * Strategies that are subscribed to before the first row share one replay. A later strategy has its own replay, from
   * the start. If the source can be read only once, the later replay fails with a `RecordingError`.
   *
   * A strategy may end earlier, by `take` or an unsubscription. The replay then ends with its last subscriber.
   *
   * Fails with a `ConfigurationError` if the strategy uses another copy of RxJS than the library, because the timers of
   * that copy would stay real. `npm ls rxjs` lists the copies.
   *
   * @example
   * const signal$ = replay('market.ndjson', { speed: Infinity }).run$(myStrategy)
   */
  readonly run$: <A>(strategy$: (client: StrategyClient) => Observable<A>) => Observable<A>
  /** The header of the recording: its topics, its mints and its start. Does not start the replay. */
  readonly header: () => Promise<HeaderResult>
  /**
   * Resolves at the end of the latest replay, with the number of played rows, or with an error that names the source
   * and the line. All rows before that line have been emitted. A replay ends at the end of the recording, on `close()`,
   * or, after a `run$`, when its last subscriber leaves. Without `run$`, a replay without subscribers pauses, and this
   * promise stays pending. Reading this property reads the first line, but does not start the replay.
   */
  readonly finished: Promise<ReplayResult>
}

/** The `replay` of a platform. */
export const replayOn =
  (platform: SourcePlatform) =>
  (source: RecordingSource, options: ReplayOptions = {}): ReplayClient => {
    const settings = replaySettings(options)
    return replaySources(openableSources(platform, source), settings, platform.publish)
  }

/** `onLine` is called before the events of each line are emitted. */
export const replaySources = (
  sources: readonly OpenableSource[],
  { speed, environment, range }: ReplaySettings,
  publish: Publish,
  onLine?: PlaybackObserver['onLine'],
): ReplayClient => {
  const onOver = ({ earlierRows, skewedRows }: ReplaySummary): void => {
    if (earlierRows + skewedRows === 0) return
    const source = sources.map(({ name }) => name).join(', ')
    publish('svc-streams:recording', () => ({ source, earlierRows, skewedRows }))
  }
  const startSession = () => {
    const playback = new Playback(sources, range, speed, { onLine, onOver })
    return { playback, client: createStrategyClient(playback, environment) }
  }
  let current = startSession()
  /** Sessions that may still run. */
  let sessions = [current]
  let isClosed = false

  const sessionAtStart = () => {
    if (isClosed || current.playback.isAtStart) return current
    // No later subscriber continues it, and it may have an open file.
    if (!current.playback.waits.hasSubscribers) current.playback.close()
    current = startSession()
    sessions = [...sessions.filter(({ playback }) => !playback.isOver), current]
    return current
  }

  const close = async (): Promise<void> => {
    isClosed = true
    await Promise.all(sessions.map(({ client }) => client.close()))
  }

  const direct = withStreams(
    () => current.client,
    (source$) => toStream$(defer(source$)),
  )

  return {
    ...direct,
    close,
    [Symbol.asyncDispose]: close,
    run$: (strategy$) =>
      defer(() => {
        const { playback, client } = sessionAtStart()
        return runStrategy$(playback, () => client, strategy$)
      }),
    header: () => current.playback.header(),
    get finished() {
      return current.playback.finished()
    },
  }
}
