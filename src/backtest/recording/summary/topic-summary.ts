import { isRight } from 'fp-ts/lib/Either.js'
import type { GapCause } from '../../../base/domain/past.js'
import type { Topic } from '../../../base/domain/topic.js'
import { isSkewed, type PriceRow, type RecordingHeader, type StatusRow, type EndRow } from '../codec/row.js'
import type { EntryOrigin, Recorder } from '../read/read-entries.js'
import { MissingTimes, type MissingTime } from './missing-times.js'
import { TopicPast } from './topic-past.js'

/** The gaps of one cause. */
export interface GapSummary {
  readonly count: number
  /** Total duration, in ms. */
  readonly ms: number
  /** Longest duration, in ms. */
  readonly longestMs: number
}

/** The content of recordings for one topic. Times are in ms since the Unix epoch. */
export interface TopicSummary {
  readonly topic: Topic
  /** Prices and errors. */
  readonly rows: number
  /** The rows that are earlier than the row before them in the recordings, of any topic. */
  readonly earlierRows: number
  /** The prices whose `at` and `receivedAt` differ by more than a minute. */
  readonly skewedRows: number
  /** The times of the first and of the last price; undefined without one. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** The time from the first price to the end of the recordings of the topic, without the gaps, in ms. */
  readonly coveredMs: number
  readonly gaps: Readonly<Record<GapCause, GapSummary>>
  /** The number of connections over which prices came. */
  readonly connections: number
  /** Prices per second, of the covered time. */
  readonly pricesPerSecond: { readonly median: number; readonly max: number }
  /** The longest time without a price outside of gaps, in ms. */
  readonly longestSilenceMs: number
  /** The quantity of each depth, in tokens, if it is assumed: of several files, `5 or 7`. */
  readonly assumedDepth: string | undefined
  /** The length of the candles whose opens and closes are its prices: of several files, `1 min and 1 h`. */
  readonly candles: string | undefined
}

/** Summarises the lines of one topic. Its memory grows with the gaps and the silences of a minute alone. */
export class TopicSummariser {
  readonly missing = new MissingTimes()
  private readonly past: TopicPast
  private readonly counts = { rows: 0, earlierRows: 0, skewedRows: 0 }
  private from: number | undefined
  private to: number | undefined
  private epoch: number | undefined
  private connections = 0
  private readonly assumedDepths = new Set<string>()
  private readonly candles = new Set<string>()
  /** The sum of the steps by which the clock was set back, in ms. */
  private setBackMs = 0
  private readonly rates = new Rates()

  constructor(readonly topic: Topic) {
    this.past = new TopicPast(topic, (event) => {
      this.missing.onEvent(event)
      if (event._tag === 'Gap') return
      this.from ??= event.at
      this.to = event.at
      this.rates.add(event.at)
    })
  }

  /** `isEarlier`: the line is a row that is earlier than the row before it. */
  onLine(
    line: RecordingHeader | PriceRow | StatusRow | EndRow,
    origin: EntryOrigin,
    isEarlier = false,
  ): void {
    const { past } = this
    past.onLine(line, origin)
    if (line._tag === 'Recording' && past.recorder === origin.recorder) {
      if (line.assumedDepth !== undefined) this.assumedDepths.add(line.assumedDepth)
      if (line.candles !== undefined) this.candles.add(line.candles)
      if (line.continues === undefined) this.epoch = undefined
    } else if (line._tag === 'Price') {
      this.counts.rows++
      if (isEarlier) this.counts.earlierRows++
      if (isSkewed(line)) this.counts.skewedRows++
      if (isRight(line.event) && line.event.right.epoch !== this.epoch) {
        this.connections++
        this.epoch = line.event.right.epoch
      }
    }
  }

  /** The clock of a recorder was set back to a time, in ms since the Unix epoch. */
  onStep(recorder: Recorder, to: number): void {
    if (recorder !== this.past.recorder || this.from === undefined) return
    this.setBackMs += Math.max(0, recorder.now - to)
  }

  /**
   * `lastStart`, `end`: the start of the last recording, and the end of all recordings, in ms since the Unix epoch. A recording
   * that starts after the last row of the topic does not contain the topic.
   */
  summary(lastStart: number, end: number): TopicSummary {
    const { topic, counts, from, to, connections, assumedDepths, candles } = this
    this.past.passTime()
    const isRecordedOn = lastStart <= this.past.latest
    const latest = isRecordedOn ? this.past.now : end
    this.past.finish(isRecordedOn, latest)
    const { gaps } = this.missing
    const gapMs = gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0)
    const coveredMs = from === undefined ? 0 : Math.max(0, latest - from + this.setBackMs - gapMs)
    return {
      topic,
      ...counts,
      from,
      to,
      coveredMs,
      gaps: {
        disconnected: gapSummary(gaps, 'disconnected'),
        stale: gapSummary(gaps, 'stale'),
        unrecorded: gapSummary(gaps, 'unrecorded'),
      },
      connections,
      pricesPerSecond: this.rates.perSecond(coveredMs),
      longestSilenceMs: this.missing.longestSilence(latest),
      assumedDepth: assumedDepths.size === 0 ? undefined : [...assumedDepths].join(' or '),
      candles: candles.size === 0 ? undefined : [...candles].join(' and '),
    }
  }
}

const gapSummary = (gaps: readonly MissingTime[], cause: GapCause): GapSummary => {
  const lengths = gaps.filter((gap) => gap.cause === cause).map(({ from, to }) => to - from)
  return {
    count: lengths.length,
    ms: lengths.reduce((sum, length) => sum + length, 0),
    longestMs: lengths.reduce((longest, length) => Math.max(longest, length), 0),
  }
}

/** Counts the prices of each second, and how many seconds have each count. */
class Rates {
  private readonly seconds = new Map<number, number>()
  private second = -1
  private count = 0

  /** Times ascend. */
  add(at: number): void {
    const second = Math.floor(at / 1000)
    if (second !== this.second) this.endSecond()
    this.second = second
    this.count++
  }

  /** `coveredMs`: the time in which there could be prices, in ms. */
  perSecond(coveredMs: number): { readonly median: number; readonly max: number } {
    this.endSecond()
    const counts = [...this.seconds].sort(([a], [b]) => a - b)
    const withPrice = counts.reduce((sum, [, seconds]) => sum + seconds, 0)
    const all = Math.max(withPrice, Math.round(coveredMs / 1000))
    let passed = all - withPrice
    let median = 0
    for (const [count, seconds] of counts) {
      if (passed * 2 >= all) break
      median = count
      passed += seconds
    }
    return { median, max: counts.at(-1)?.[0] ?? 0 }
  }

  private endSecond(): void {
    if (this.count > 0) this.seconds.set(this.count, (this.seconds.get(this.count) ?? 0) + 1)
    this.count = 0
  }
}
