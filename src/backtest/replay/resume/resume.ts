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
import type { History } from '../../history/history.js'
import { checkClient } from '../../../client/options.js'
import { encodeRow } from '../../recording/codec/row-codec.js'
import { createHeader, type Row } from '../../recording/codec/row.js'
import { allTimes } from '../../recording/codec/timeline.js'
import { nodePlatform } from '../../recording/read/node-platform.js'
import { readSet, type SetReading } from '../../recording/read/merge.js'
import { Recorder, type EntriesResult } from '../../recording/read/read-entries.js'
import { openableSources, type FileUrl, type OpenableSource } from '../../recording/read/source.js'
import { Playback } from '../playback.js'
import { virtualClock } from '../replay-clock.js'
import { timeOption } from '../replay-options.js'
import { createSession, type StrategyClient } from '../replay-session.js'
import { runStrategy$ } from '../run-strategy.js'
import { HistoryRows } from './history-rows.js'
import { LiveRows } from './live-rows.js'

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
 * Past and live prices of a history meet as in `withPast`: it is read until it has the first live price of each topic, for about
 * 1 s. Each price comes once, in order, and nothing separates it from the one before it. After files, and wherever prices may be
 * missing, the topic emits `Disconnected`, and has no current price until its first live price.
 *
 * Live prices that a `Left` has followed by then come before `CaughtUp`.
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
  const { from } = parseOptions(optionTable, options, { allowsUndefined: true })
  const given = isHistory(past) ? past : undefined
  if (given !== undefined && from === undefined)
    throw new ConfigurationError('from', 'required: a history has no first row')
  const sources = isHistory(past) ? [] : openableSources(nodePlatform, past)
  const range = from === undefined ? allTimes : { from, to: Infinity }
  return new Observable<A | CaughtUp>((subscriber) => {
    const clock = systemClock()
    const recorders = { continued: new Recorder(), fresh: new Recorder() }
    /** The topics of which no price is missing at the border, in lower case. */
    let continued: readonly string[] = []
    let timer = Subscription.EMPTY
    let isLive = false
    let isClosed = false
    let isEmitting = false
    /** The live rows that are not emitted yet. */
    let held: Row[] = []

    const pastOf = (row: Row) =>
      row._tag === 'Price' ? history?.topics.get(row.topic.toLowerCase()) : undefined
    const isContinued = (row: Row): boolean =>
      row._tag === 'Price' && continued.includes(row.topic.toLowerCase())
    const isRepeated = (row: Row): boolean =>
      row._tag === 'Price' && isContinued(row) && pastOf(row)?.isRepeated(row) === true
    const live = new LiveRows(
      client,
      (row) => {
        if (isLive && isRepeated(row)) return
        if (!isLive && row._tag === 'Price') pastOf(row)?.onLive(row)
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
    const history = given && new HistoryRows(given, range.from, requestLive)
    const onRecordingEnd = (): void => {
      requestLive()
      startLive()
    }
    const playback: Playback = new Playback(
      sources,
      range,
      virtualClock,
      clock,
      { onRecordingEnd },
      (reading) => (history === undefined ? readWritten(sources, reading) : history.read(reading)),
    )

    const startLive = (): void => {
      const topics = Array.from(history?.topics ?? []).filter(([, topic]) => topic.isContinued)
      continued = topics.map(([name]) => name)
      const firstEpoch = Math.min(...topics.map(([, topic]) => topic.live.price?.epoch ?? 1))
      held = held.filter((row) => !isRepeated(row))
      playback.runs.tick(() => playback.streams.continueLive(continued, firstEpoch, recorders))
      moveTo(held[0]?.at ?? live.now())
      // A price that a Left has followed is not current.
      const lastLeft = held.findLastIndex((row) => row._tag === 'Price' && isLeft(row.event))
      for (const row of held.splice(0, lastLeft + 1)) emitLive(row)
      subscriber.next({ _tag: 'CaughtUp' })
      isLive = true
      emitHeld()
    }
    const emitLive = (row: Row): void =>
      playback.emitLive(row, isContinued(row) ? recorders.continued : recorders.fresh)
    /** Moves the strategy from the time of the recorder, which may be ahead, to that of this clock. */
    const moveTo = (now: number): void => {
      if (playback.runs.time > now + maxSkew) playback.skip(now - playback.runs.time)
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
      const key = topic.toLowerCase()
      const wanted = live.wantPrices(topic, (position) => history?.topics.get(key)?.onConfirmed(position))
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
  const past = written.length === 0 ? [startOf(systemClock().wallClock())] : written
  yield* readSet(past, { ...reading, allowsCut: true })
}

/** A recording without a row. */
const startOf = (at: number): OpenableSource => ({
  name: 'the start',
  open: () => [encodeRow(createHeader(at))],
})
