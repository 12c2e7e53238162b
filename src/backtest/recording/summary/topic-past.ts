import { isLeft } from 'fp-ts/lib/Either.js'
import type { GapCause, PastEvent, PricePosition } from '../../../base/domain/past.js'
import type { ConnectionStatus } from '../../../base/domain/snapshot.js'
import type { Topic } from '../../../base/domain/topic.js'
import type { PriceError } from '../../../base/errors/model.js'
import type { PriceRow, RecordingHeader, Row } from '../codec/row.js'
import { allTimes, isWithin, type TimeRange } from '../codec/timeline.js'
import { isContinuation, isPartial, type EntryOrigin, type Recorder } from '../read/read-entries.js'

/** Receives the events of a past. `position`: of a price, if the recorder has stored it. */
export type EmitPast = (event: PastEvent, position?: PricePosition) => void

/**
 * The prices and the gaps of one topic, from the lines of recordings. Emits the events within the range. If a gap is
 * only partly in the range, this part is emitted.
 *
 * - A gap starts with an error of the topic, with a status of the connection that affects every topic, or with the end of a
 *   recording. It ends with the next price, or when its cause changes.
 * - Events are in the order of the rows, and have the times of the recorder. After its clock was set back, times go back
 *   too.
 * - The lines of one recorder count: that of the last header or row of the topic. A header of another one counts after its end.
 */
export class TopicPast {
  /** The time of the last line of its recorder, in ms since the Unix epoch. */
  now = -Infinity
  /** The latest time so far, in ms since the Unix epoch. */
  latest = -Infinity
  /** True once a row of the range shows that it is unknown whether the topic had a price at its start. No event was emitted. */
  startsTooLate = false
  /** The recorder of the last header or price of the topic; `undefined` before the first one. */
  recorder: Recorder | undefined
  /** True if the topic is in the current recording, and its stream has not ended. */
  private isRecorded = false
  private gap: { readonly cause: GapCause; readonly from: number } | undefined
  /** The `at` of the last header. `undefined` if it was not read. */
  private headerAt: number | undefined
  private epoch: number | undefined
  /** The time of the last price, in ms since the Unix epoch. */
  private priceAt = -Infinity
  private readonly key: string

  constructor(
    private readonly topic: Topic,
    private readonly emit: EmitPast,
    private readonly range: TimeRange = allTimes,
    /** False if lines before the first one are not read: it is then unknown at first whether the topic has a current price. */
    private isKnown = true,
  ) {
    this.key = topic.toLowerCase()
    if (!isKnown) return
    this.gap = { cause: 'unrecorded', from: -Infinity }
    this.headerAt = NaN
  }

  /** Called before the recorder of the line has its time. */
  onLine(line: Row | RecordingHeader, origin: EntryOrigin): void {
    const hasTopic = this.isOf(line)
    this.passTime()
    if (origin.recorder !== this.recorder && !(hasTopic && this.takeOver(line, origin.recorder))) return
    if (line._tag === 'Recording') return this.onHeader(line, hasTopic, isPartial(origin))
    if (!this.isKnown && line.at >= this.range.from) this.startsTooLate = true
    if (this.startsTooLate || line.at >= this.range.to) return
    this.now = line.at
    if (line._tag === 'Status') this.onStatus(line.status)
    else if (hasTopic && line._tag === 'Price') this.onPrice(line)
    else if (hasTopic && line._tag === 'End') {
      this.interrupt('unrecorded')
      this.isRecorded = false
    }
  }

  /** Any line of the recorder shows that the topic was recorded at that time. */
  passTime(): void {
    const { recorder } = this
    if (recorder === undefined || recorder.now === -Infinity) return
    this.now = recorder.now
    if (recorder.latest > this.latest) this.latest = recorder.latest
  }

  /** `isRecordedOn`: true if the recording continues after its last row, false if this is its end, unless the range ends before. */
  finish(isRecordedOn: boolean, end = this.range.to): void {
    this.passTime()
    if (this.latest < this.range.to) {
      // After a clock was set back, the last row may be earlier than other rows of the range.
      this.now = this.latest
      if (!isRecordedOn) this.interrupt('unrecorded')
    }
    this.endGap(end)
  }

  /** Returns false for a line after which the recorder stays the same. */
  private takeOver(line: Row | RecordingHeader, recorder: Recorder): boolean {
    if (line._tag === 'End' || (line._tag === 'Recording' && this.recorder?.isOver === false)) return false
    if (line._tag === 'Price') {
      if (this.recorder !== undefined) this.interrupt('unrecorded')
      this.headerAt = undefined
    }
    this.recorder = recorder
    return true
  }

  /** `isPart`: lines between the header and the next line are not read. */
  private onHeader({ at, continues }: RecordingHeader, hasTopic: boolean, isPart: boolean): void {
    const isContinued = isPart || isContinuation(continues, this.headerAt, this.now)
    this.headerAt = isPart ? undefined : at
    if (!isContinued) this.interrupt('unrecorded')
    // The time of a header may be unknown.
    if (at > this.now) this.now = at
    if (at > this.latest) this.latest = at
    if (!isContinued || !this.isKnown) this.isRecorded = hasTopic
  }

  private onPrice({ event, position }: PriceRow): void {
    this.isRecorded = true
    if (isLeft(event)) return this.interrupt(causes[event.left._tag])
    this.isKnown = true
    const { topic, now, gap } = this
    const { price, epoch } = event.right
    const isOtherConnection = this.epoch !== undefined && this.epoch !== epoch
    if (gap === undefined && isOtherConnection) this.gap = { cause: 'disconnected', from: this.priceAt }
    this.endGap(now)
    this.epoch = epoch
    this.priceAt = now
    if (isWithin(this.range, now)) this.emit({ _tag: 'PastPrice', topic, price, at: now }, position)
  }

  /** While the state of the topic is unknown, a status may concern only other topics. */
  private onStatus({ _tag }: ConnectionStatus): void {
    if (!this.isKnown || !this.isRecorded) return
    if (_tag === 'Waiting') this.interrupt('disconnected')
    if (_tag === 'Closed') this.interrupt('unrecorded')
  }

  private interrupt(cause: GapCause): void {
    this.isKnown = true
    if (this.gap?.cause === cause) return
    this.endGap(this.now)
    this.gap = { cause, from: this.now }
  }

  private endGap(at: number): void {
    const { gap, range, topic } = this
    if (gap === undefined) return
    this.gap = undefined
    const from = Math.max(gap.from, range.from)
    const to = Math.min(at, range.to)
    if (from < to) this.emit({ _tag: 'Gap', topic, from, to, cause: gap.cause })
  }

  private isOf(line: Row | RecordingHeader): boolean {
    if (line._tag === 'Recording') return line.topics.some((name) => this.isTopic(name))
    if (line._tag === 'Price') return this.isTopic(line.topic)
    return line._tag === 'End' && this.isTopic(line.of)
  }

  private isTopic(name: string): boolean {
    return name === this.topic || name.toLowerCase() === this.key
  }
}

/** The cause of the gap that an error of a topic begins. */
const causes: Readonly<Record<PriceError['_tag'], GapCause>> = {
  Disconnected: 'disconnected',
  Stale: 'stale',
  SubscriptionTimeout: 'stale',
  DecodeError: 'unrecorded',
  InvalidTopic: 'unrecorded',
  SubscriptionRejected: 'unrecorded',
  ClientClosed: 'unrecorded',
}
