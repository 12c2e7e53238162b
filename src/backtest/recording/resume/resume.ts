import { isLeft } from 'fp-ts/lib/Either.js'
import { Observable, Subscription } from 'rxjs'
import type { Address } from '../../../base/domain/address.js'
import type { CaughtUp } from '../../../base/domain/past.js'
import type { Topic } from '../../../base/domain/topic.js'
import { delay } from '../../../base/time/deadline.js'
import { ConfigurationError } from '../../../base/errors/configuration-error.js'
import type { OptionTable } from '../../../base/option-kinds/option.js'
import { parseOptions } from '../../../base/option-kinds/parse-options.js'
import { EventStream, type Stream } from '../../../base/time/stream.js'
import { systemClock } from '../../../base/time/system-clock.js'
import type { Client } from '../../../client/client.js'
import type { History } from '../past/history.js'
import { checkClient } from '../../../client/options.js'
import { encodeRow } from '../format/row-codec.js'
import { createHeader, type Row } from '../format/row.js'
import { allTimes } from '../format/timeline.js'
import { nodePlatform } from '../on-node.js'
import type { EntriesResult } from '../read/read-entries.js'
import { readSet, type SetReading } from '../read/recording-set.js'
import { Sequence } from '../read/sequence.js'
import { openableSources, type FileUrl, type OpenableSource } from '../read/source.js'
import { Playback } from '../replay/playback.js'
import { virtualClock } from '../replay/replay-clock.js'
import { timeOption } from '../replay/replay-options.js'
import { createSession, type StrategyClient } from '../replay/replay-session.js'
import { runStrategy$ } from '../replay/run-strategy.js'
import { HistoryRows } from './history-rows.js'
import { LiveRows } from './live-rows.js'
import { Seam } from './seam.js'

export interface ResumeOptions {
  /**
   * The start of the past, in ms since the Unix epoch. Required for a history. Default for files: their first row.
   */
  readonly from?: number
}

const optionTable = { from: timeOption } satisfies OptionTable<ResumeOptions>

/**
 * Runs a strategy over its past in virtual time, and then live, as one run: the strategy is subscribed to once, and its state
 * and its timers continue. `{ _tag: 'CaughtUp' }` separates the values of the past from those of the present.
 *
 * - `client`: the live client. It is asked only for what the strategy subscribes to; the interval of the first subscriber of a
 *   depth counts. Its end completes the streams of the strategy.
 * - `past`: recordings, by their paths or `file:` URLs, in any order, as of `replay`; none at a first start. Or a history, such as
 *   `openHistory('http://127.0.0.1:8080')`, the past of a gateway: it has prices alone.
 *
 * Past and live prices meet as in `withPast`: the last file, which may still be written to, or the history is read until it
 * has the first live price of each topic, for about 1 s. Each price comes once, in order, and nothing separates it from the one
 * before it. If prices may be missing, because the recording has ended before, or because its recorder is another client and
 * has written nothing within this time, the topic emits `Disconnected`, and has no current price until its first live price.
 *
 * Live prices that a `Left` has followed by then come before `CaughtUp`.
 *
 * Timers that are due between the last row and the present fire, each at its time. If the clock of the recorder is found to differ
 * from that of this process by more than 2 s, or is ahead of it, this time is no time of the strategy: its clock is set, and its
 * timers keep their remaining delays. The strategy runs on a clock of its own, also while it is live: timers that it starts after
 * a promise are real.
 *
 * A strategy that was killed, and is resumed with the recording of its run, decides from there on as if it had been disconnected
 * for that time; if the recorder is another process, as if it had never been killed.
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
  const { from } = parseOptions(optionTable, options, { allowsUndefined: true })
  const given = isHistory(past) ? past : undefined
  if (given !== undefined && from === undefined)
    throw new ConfigurationError('from', 'required: a history has no first row')
  const sources = isHistory(past) ? [] : openableSources(nodePlatform, past)
  const range = from === undefined ? allTimes : { from, to: Infinity }
  return new Observable<A | CaughtUp>((subscriber) => {
    const history = given && new HistoryRows(given, range.from)
    const clock = systemClock()
    let timer = Subscription.EMPTY
    let isLive = false
    let isClosed = false
    let isEmitting = false
    /** The live rows that are not emitted yet. */
    let held: Row[] = []

    const isRepeated = (row: Row): boolean => live.seamOf(row)?.isRepeated(row) === true
    const live = new LiveRows(
      client,
      (row) => {
        if (!isLive) live.seamOf(row)?.onLive(row)
        else if (isRepeated(row)) return
        held.push(row)
        emitHeld()
      },
      (step) => {
        if (isLive) playback.runs.afterTick(() => playback.skip(step))
      },
    )
    const requestLive = (): void =>
      live.start(() => {
        isClosed = true
        emitHeld()
      })
    const seam = new Seam(() => live.seams.values(), requestLive)
    const playback: Playback = new Playback(
      sources,
      range,
      virtualClock,
      clock,
      {
        onLine: (line) => {
          if (!isLive) live.seamOf(line)?.onRecorded(line)
        },
        readOn: seam.readOn,
        onRecordingEnd: () => {
          requestLive()
          startLive()
        },
      },
      (reading) => history?.read(reading) ?? readWritten(sources, reading),
    )
    const sequences = { continued: new Sequence(playback.owners), fresh: new Sequence(playback.owners) }

    const startLive = (): void => {
      for (const each of live.seams.values()) each.end()
      held = held.filter((row) => !isRepeated(row))
      const continued = Array.from(live.seams).filter(([, { isContinued }]) => isContinued)
      const firstEpoch = Math.min(...continued.map(([, each]) => each.live.price?.epoch ?? 1))
      playback.runs.tick(() =>
        playback.streams.continueLive(new Set(continued.map(([name]) => name)), firstEpoch, sequences),
      )
      moveTo(held[0]?.at ?? live.now(), continued[0]?.[1].difference)
      // A price that a Left has followed is not current.
      const lastLeft = held.findLastIndex((row) => row._tag === 'Price' && isLeft(row.event))
      for (const row of held.splice(0, lastLeft + 1)) emitLive(row)
      subscriber.next({ _tag: 'CaughtUp' })
      isLive = true
      emitHeld()
    }
    const emitLive = (row: Row): void =>
      playback.emitLive(row, live.seamOf(row)?.isContinued === true ? sequences.continued : sequences.fresh)
    /** Moves the strategy from the time of the recorder to that of this clock. `difference`: between them, in ms, if it is known. */
    const moveTo = (now: number, difference = Math.min(0, now - playback.runs.time)): void => {
      if (Math.abs(difference) > maxSkew) playback.skip(difference)
      playback.runs.advance(now)
    }
    const emitHeld = (): void => {
      if (!isLive || isEmitting) return
      isEmitting = true
      for (let row = held.shift(); row !== undefined; row = held.shift()) emitLive(row)
      isEmitting = false
      if (isClosed) playback.runs.tick(() => playback.streams.complete(undefined))
      waitForTimer()
    }
    /** The timers of the strategy fire when they are due: its clock moves only here and with each row. */
    const waitForTimer = (): void => {
      timer.unsubscribe()
      const ms = playback.runs.nextDue - live.now()
      if (ms === Infinity || playback.isOver) return
      timer = delay(clock, Math.max(0, Math.ceil(ms)), () => {
        playback.runs.advance(live.now())
        waitForTimer()
      })
    }

    const { client: replayed } = createSession(playback, 'mainnet', undefined, given)
    const wantPrices = (topic: Topic): Subscription => {
      const wanted = live.wantPrices(topic)
      if (!isLive) wanted.add(history?.want(topic))
      return wanted
    }
    const own: StrategyClient = {
      ...replayed,
      chainId: client.chainId,
      price$: (topic) => wanted$(topic, replayed.price$(topic), () => wantPrices(topic)),
      depth$: (mint, interval) =>
        wanted$(mint, replayed.depth$(mint, interval), () => live.wantDepths(mint, interval)),
    }
    /** The stream of the replay, whose rows come from the live client while it has a subscriber. */
    const wanted$ = <B>(name: Topic | Address, past$: Observable<B>, want: () => Subscription): Stream<B> =>
      new EventStream((observer) => {
        if ((isLive || given !== undefined) && !live.isWanted(name)) playback.streams.restart(name)
        observer.add(past$.subscribe(observer))
        if (!observer.closed) observer.add(want())
      })
    subscriber.add(() => {
      timer.unsubscribe()
      seam.stop()
      live.stop()
    })
    subscriber.add(runStrategy$(playback, () => own, strategy$).subscribe(subscriber))
  })
}

const isHistory = (past: unknown): past is History =>
  typeof past === 'object' && past !== null && 'prices$' in past

/** The clocks of the recorder and of this process are the same if they differ by at most this time, in ms. */
const maxSkew = 2_000

/** Reads the recordings that are not empty, as a recorder that is killed at its start leaves them; a header if there are none. */
async function* readWritten(
  sources: readonly OpenableSource[],
  reading: SetReading,
): AsyncGenerator<EntriesResult, void> {
  const written: OpenableSource[] = []
  for (const source of sources) {
    const size = await source.file?.size().catch(() => undefined)
    if (size !== 0) written.push(source)
  }
  yield* readSet(written.length === 0 ? [startOf(systemClock().wallClock())] : written, reading)
}

/** A recording without a row. */
const startOf = (at: number): OpenableSource => ({
  name: 'the start',
  open: () => [encodeRow(createHeader(at))],
})
