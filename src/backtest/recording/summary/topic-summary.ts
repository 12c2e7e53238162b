import { isRight } from 'fp-ts/lib/Either.js'
import type { Gap, GapCause, PastEvent } from '../../../base/domain/past.js'
import type { Topic } from '../../../base/domain/topic.js'
import { isSkewed, type PriceRow, type RecordingHeader, type StatusRow, type EndRow } from '../codec/row.js'
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
}

/** Summarises the lines of one topic. Its memory does not grow with the recordings. */
export class TopicSummariser {
  private readonly past: TopicPast
  private readonly gaps: Record<GapCause, GapSummary> = {
    disconnected: noGap,
    stale: noGap,
    unrecorded: noGap,
  }
  private rows = 0
  private earlierRows = 0
  private skewedRows = 0
  private from: number | undefined
  private to: number | undefined
  private epoch: number | undefined
  private connections = 0
  private longestSilenceMs = 0
  /** The sum of the steps by which the clock was set back, in ms. */
  private setBackMs = 0
  /** The last price, or the end of the gap after it. */
  private quietSince = 0
  private readonly rates = new Rates()

  /** `onEvent`: called for each price and gap. */
  constructor(
    readonly topic: Topic,
    onEvent: (event: PastEvent) => void = () => undefined,
  ) {
    this.past = new TopicPast(topic, (event) => {
      onEvent(event)
      if (event._tag === 'Gap') this.onGap(event)
      else this.onPrice(event.at)
    })
  }

  /** `isEarlier`: the line is a row that is earlier than the row before it. */
  onLine(line: RecordingHeader | PriceRow | StatusRow | EndRow, isEarlier = false): void {
    if (isEarlier && this.from !== undefined) this.setBackMs += Math.max(0, this.past.now - line.at)
    if (line._tag === 'Price') {
      this.rows++
      if (isEarlier) this.earlierRows++
      if (isSkewed(line)) this.skewedRows++
    }
    if (line._tag === 'Recording' && line.continues === undefined) this.epoch = undefined
    if (line._tag === 'Price' && isRight(line.event)) {
      const { epoch } = line.event.right
      if (epoch !== this.epoch) this.connections++
      this.epoch = epoch
    }
    this.past.onLine(line)
  }

  /** The recording has a row of a time, in ms since the Unix epoch. */
  passTime(at: number): void {
    this.past.passTime(at)
  }

  /**
   * `lastStart`, `end`: the start of the last recording, and the end of all recordings, in ms since the Unix epoch. A recording
   * that starts after the last row of the topic does not contain the topic.
   */
  summary(lastStart: number, end: number): TopicSummary {
    const { topic, rows, earlierRows, skewedRows, from, to, gaps, connections } = this
    const isRecordedOn = lastStart <= this.past.latest
    const latest = isRecordedOn ? this.past.now : end
    this.past.finish(isRecordedOn, latest)
    if (from !== undefined) this.endSilence(latest)
    const gapMs = Object.values(gaps).reduce((sum, { ms }) => sum + ms, 0)
    const coveredMs = from === undefined ? 0 : Math.max(0, latest - from + this.setBackMs - gapMs)
    return {
      topic,
      rows,
      earlierRows,
      skewedRows,
      from,
      to,
      coveredMs,
      gaps,
      connections,
      pricesPerSecond: this.rates.perSecond(coveredMs),
      longestSilenceMs: this.longestSilenceMs,
    }
  }

  /** A gap before the first price does not count: the covered time starts with the first price. */
  private onGap({ from, to, cause }: Gap): void {
    if (this.from === undefined) return
    this.endSilence(from)
    this.quietSince = to
    const { count, ms, longestMs } = this.gaps[cause]
    const length = to - from
    this.gaps[cause] = { count: count + 1, ms: ms + length, longestMs: Math.max(longestMs, length) }
  }

  private onPrice(at: number): void {
    if (this.from === undefined) {
      this.from = at
      this.quietSince = at
    }
    this.endSilence(at)
    this.to = at
    this.rates.add(at)
  }

  private endSilence(at: number): void {
    this.longestSilenceMs = Math.max(this.longestSilenceMs, at - this.quietSince)
    this.quietSince = at
  }
}

const noGap: GapSummary = { count: 0, ms: 0, longestMs: 0 }

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
