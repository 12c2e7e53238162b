import { Observable, Subscription } from 'rxjs'
import type { Address } from '../../../base/domain/address.js'
import type { CaughtUp } from '../../../base/domain/past.js'
import type { Topic } from '../../../base/domain/topic.js'
import type { Clock } from '../../../base/time/clock.js'
import { delay } from '../../../base/time/deadline.js'
import { systemClock } from '../../../base/time/system-clock.js'
import type { Client } from '../../../client/client.js'
import { checkClient } from '../../../client/options.js'
import { encodeRow } from '../format/row-codec.js'
import { allTimes } from '../format/timeline.js'
import { nodePlatform } from '../on-node.js'
import { Sequence } from '../read/sequence.js'
import { openableSources, type FileUrl } from '../read/source.js'
import { Playback } from '../replay/playback.js'
import { virtualClock } from '../replay/replay-clock.js'
import { createSession, type StrategyClient } from '../replay/replay-session.js'
import { runStrategy$ } from '../replay/run-strategy.js'
import { LiveRows } from './live-rows.js'

/**
 * Runs a strategy over recordings in virtual time, and then live, as one run: the strategy is subscribed to once, and its state
 * and its timers continue. `{ _tag: 'CaughtUp' }` separates the values of the past from those of the present.
 *
 * Where the recordings end, each topic emits `Disconnected`, and has no current price until its first live price. Timers that
 * are due between the last row and the present then fire, each at its time. A strategy that was killed, and is resumed with the
 * recording of its run, decides from there on as if it had been disconnected for that time.
 *
 * The live client is asked only for what the strategy subscribes to; the interval of the first subscriber of a depth counts.
 * The strategy runs on a clock of its own, also while it is live: timers that it starts after a promise are real.
 *
 * - `client`: the live client. Its end completes the streams of the strategy.
 * - `files`: paths or `file:` URLs, in any order, as of `replay`; none at a first start. The last file may still be written to. A damaged recording is a
 *   `DecodeError` of each stream, then its completion: the strategy does not become live.
 *
 * @example
 * resume(client, ['monday.ndjson', 'tuesday.ndjson'], myStrategy).subscribe(console.log)
 */
export const resume$ = <A>(
  client: Client,
  files: readonly (string | FileUrl)[],
  strategy$: (client: StrategyClient) => Observable<A>,
): Observable<A | CaughtUp> => {
  checkClient(client)
  const sources = openableSources(nodePlatform, files.length === 0 ? [[emptyRecording()]] : files)
  return new Observable<A | CaughtUp>((subscriber) => {
    const clock = systemClock()
    const time = new ForwardTime(clock)
    let timer = Subscription.EMPTY

    const startLive = (): void => {
      isLive = true
      playback.run(() => playback.streams.continueLive(sequence))
      playback.runs.advance(time.startAt(playback.recordedAt))
      subscriber.next({ _tag: 'CaughtUp' })
      live.start(() => playback.run(() => playback.streams.complete(undefined)))
      waitForTimer()
    }
    const playback: Playback = new Playback(sources, allTimes, virtualClock(), clock, {
      onRecordingEnd: startLive,
    })
    const sequence = new Sequence(playback.owners)
    let isLive = false
    const live = new LiveRows(client, (row) => {
      playback.emitLive(row, time.now(), sequence)
      waitForTimer()
    })
    /** The timers of the strategy fire when they are due: its clock moves only here and with each row. */
    const waitForTimer = (): void => {
      timer.unsubscribe()
      const ms = playback.runs.nextDue - time.now()
      if (ms === Infinity || playback.isOver) return
      timer = delay(clock, Math.max(0, Math.ceil(ms)), () => {
        playback.runs.advance(time.now())
        waitForTimer()
      })
    }

    const { client: past } = createSession(playback, 'mainnet')
    const own: StrategyClient = {
      ...past,
      chainId: client.chainId,
      price$: (topic) => wanted$(topic, past.price$(topic), () => live.wantPrices(topic)),
      depth$: (mint, interval) =>
        wanted$(mint, past.depth$(mint, interval), () => live.wantDepths(mint, interval)),
    }
    /** The stream of the replay, whose rows come from the live client while it has a subscriber. */
    const wanted$ = <B>(
      name: Topic | Address,
      past$: Observable<B>,
      want: () => Subscription,
    ): Observable<B> =>
      new Observable<B>((observer) => {
        if (isLive && !live.isWanted(name)) playback.streams.restart(name)
        observer.add(past$.subscribe(observer))
        if (!observer.closed) observer.add(want())
      })
    subscriber.add(() => {
      timer.unsubscribe()
      live.stop()
    })
    subscriber.add(runStrategy$(playback, () => own, strategy$).subscribe(subscriber))
  })
}

/** A recording without a row, for a first start. */
const emptyRecording = (): string =>
  encodeRow({
    ...{ _tag: 'Recording', version: 1, at: systemClock().wallClock() },
    ...{ topics: [], mints: [], interval: 1000 },
  })

/** The time of a strategy that has become live, in ms since the Unix epoch. */
class ForwardTime {
  private time = -Infinity
  private elapsed = 0

  constructor(private readonly clock: Clock) {}

  /** `recordedAt`: the end of the recording, whose clock may be ahead. */
  startAt(recordedAt: number): number {
    this.time = Math.max(recordedAt, this.clock.wallClock())
    this.elapsed = this.clock.elapsed()
    return this.time
  }

  /** The wall clock. It never goes back: while the wall clock is far behind, time passes as the monotonic clock. */
  now(): number {
    const wall = this.clock.wallClock()
    const elapsed = this.clock.elapsed()
    const isFarBehind = this.time - wall > farBehind
    this.time = isFarBehind ? this.time + elapsed - this.elapsed : Math.max(this.time, wall)
    this.elapsed = elapsed
    return this.time
  }
}

/** In ms. A smaller difference is a correction of the wall clock, which is waited for. */
const farBehind = 1_000
