import { defer, type Observable } from 'rxjs'
import { clientFromStreams } from '../../client/client-from-streams.js'
import type { Client } from '../../client/client.js'
import type { Environment } from '../../domain/environment.js'
import { ConfigurationError } from '../../errors/configuration-error.js'
import type { RecordingSource } from '../format/lines.js'
import { realPace, virtualPace } from './pace.js'
import { Playback, type HeaderResult, type ReplayResult } from './playback.js'

export interface ReplayOptions {
  /**
   * How many times as fast as it was recorded: above 0. `Infinity` is as fast as it can, in virtual time. Default: 1,
   * the recorded pace.
   */
  readonly speed?: number
  /** Of the client. A recording does not know it. Default: `mainnet`. */
  readonly environment?: Environment
}

/** A client over a recording. */
export interface ReplayClient extends Client {
  /**
   * Runs a strategy in the recording's time, from its first moment to its last, and completes then. With `speed:
   * Infinity` all timers and clocks of Rx that the strategy uses are virtual: a window of a minute is a minute of the
   * recording, the result is the same each time, and takes no longer than the computing.
   *
   * @example
   * const signal$ = replay('market.ndjson', { speed: Infinity }).run$(myStrategy)
   */
  readonly run$: <A>(strategy$: (client: Client) => Observable<A>) => Observable<A>
  /** What the recording is of: the topics, the mints, when it began. Time stands still meanwhile. */
  readonly header: () => Promise<HeaderResult>
  /**
   * Resolves when the recording is over: to the number of rows, or to what is wrong with it and in which line. All
   * before that line has been told.
   */
  readonly finished: Promise<ReplayResult>
}

/**
 * A client over a recording made by `record`: the same streams give the same values and errors, in the same order, at
 * the same distances. It begins with the first subscription to a price or a depth, and time stands still while nobody
 * listens. Who joins late begins with what holds then, as with a live client; what the recording does not have is
 * rejected. When it is over, prices and depths complete; where it is damaged, each gives a `DecodeError` first.
 *
 * - `source`: a file by its path or `file:` URL, or text or bytes in pieces, such as a stream.
 * - `interval` of `depth$` is without effect: depths come as they were recorded.
 * - `receivedAt` is of the recording. At a finite speed Rx's own clocks and timers are not: what is measured by them,
 *   such as `freshWithin`, sees a faster world. With `speed: Infinity`, subscribe by `run$`: what a stream causes then
 *   lives in the recording's time in any case, but timers that are made at subscription only there.
 * - What a strategy does by promises is outside the recording's time.
 *
 * Throws a `ConfigurationError` for a speed that is not above 0.
 *
 * @example
 * const client = replay('market.ndjson', { speed: 10 })
 * client.price$('svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1').subscribe(console.log)
 */
export const replay = (
  source: RecordingSource,
  { speed = 1, environment = 'mainnet' }: ReplayOptions = {},
): ReplayClient => {
  if (!(typeof speed === 'number' && speed > 0)) {
    throw new ConfigurationError('speed', 'expected a number above 0, or Infinity')
  }
  const playback = new Playback(source, speed === Infinity ? virtualPace() : realPace(speed))
  const { streams } = playback
  const client = clientFromStreams({
    environment,
    status$: streams.status$,
    status: () => streams.status,
    errors$: streams.errors$,
    price$: (topic) => streams.price$(topic),
    depth$: (mint) => streams.depth$(mint),
    closed: () => playback.close(),
  })
  return {
    ...client,
    inspect: () => playback.within(client.inspect),
    run$: (strategy$) => playback.runInRecordingTime$(defer(() => strategy$(client))),
    header: () => playback.header(),
    finished: playback.finished,
  }
}
