import { isLeft } from 'fp-ts/lib/Either.js'
import { assertNever } from '../../../base/domain/assert-never.js'
import type { EmitPast, GapCause } from '../../../base/domain/past.js'
import type { ConnectionStatus } from '../../../base/domain/snapshot.js'
import type { Topic } from '../../../base/domain/topic.js'
import type { PriceError } from '../../../base/errors/model.js'
import type { PriceRow, RecordingHeader, Row } from '../codec/row.js'
import { allTimes, isWithin, type TimeRange } from '../codec/timeline.js'

/**
 * The prices and the gaps of one topic, from the lines of recordings. Emits the events within the range. If a gap is
 * only partly in the range, this part is emitted.
 *
 * - A gap starts with an error of the topic, with a status of the connection that affects every topic, or with the end of a
 *   recording. It ends with the next price, or when its cause changes.
 * - Events are in the order of the rows, and have the times of the recorder. After its clock was set back, times go back
 *   too.
 */
export class TopicPast {
  /** The time of the last row, in ms since the Unix epoch. */
  now = -Infinity
  /** The latest time so far, in ms since the Unix epoch. */
  latest = -Infinity
  /** True if the topic is in the current recording, and its stream has not ended. */
  private isRecorded = false
  private gap: { readonly cause: GapCause; readonly from: number } | undefined
  /** The `at` of the last header. `undefined` if it was not read. */
  private headerAt: number | undefined
  private epoch: number | undefined
  /** The time of the last price, in ms since the Unix epoch. */
  priceAt = -Infinity
  private readonly key: string

  constructor(
    private readonly topic: Topic,
    private readonly emit: EmitPast,
    private readonly range: TimeRange = allTimes,
    /** False if lines before the first one are not read: it is then unknown at first whether the topic has a current price. */
    public isKnown = true,
  ) {
    this.key = topic.toLowerCase()
    if (!isKnown) return
    this.gap = { cause: 'unrecorded', from: -Infinity }
    this.headerAt = NaN
  }

  /** The header of a file whose next line is not the first one after it. */
  enter(header: RecordingHeader): void {
    this.isRecorded = this.concerns(header)
  }

  onLine(line: Row | RecordingHeader): void {
    if (line._tag === 'Recording') return this.onHeader(line)
    this.passTime(line.at)
    if (line._tag === 'Price') {
      if (this.isTopic(line.topic)) this.onPrice(line)
    } else if (line._tag === 'Status') this.onStatus(line.status)
    else if (line._tag === 'End' && this.isTopic(line.of)) this.onEnd()
  }

  /** True for an event of the topic, and for a header that has it. */
  concerns(line: Row | RecordingHeader): boolean {
    if (line._tag === 'Recording') return line.topics.some((name) => this.isTopic(name))
    return line._tag === 'Price' && this.isTopic(line.topic)
  }

  /** Time passes: there are rows of other topics. In ms since the Unix epoch. */
  passTime(at: number): void {
    this.now = at
    if (at > this.latest) this.latest = at
  }

  /** `isRecordedOn`: true if the recording continues after its last row, false if this is its end, unless the range ends before. */
  finish(isRecordedOn: boolean, end = this.range.to): void {
    if (this.latest < this.range.to) {
      // After a clock was set back, the last row may be earlier than other rows of the range.
      this.now = this.latest
      if (!isRecordedOn) this.interrupt('unrecorded')
    }
    this.endGap(end)
  }

  /** True if the recorder of the last header continues: no event is missing before this one. */
  isContinuedBy({ continues }: RecordingHeader): boolean {
    return continues !== undefined && (this.headerAt ?? continues) === continues
  }

  private onHeader(header: RecordingHeader): void {
    const { at } = header
    const isContinued = this.isContinuedBy(header)
    this.headerAt = at
    if (!isContinued) this.interrupt('unrecorded')
    // The time of a header may be unknown.
    if (at > this.now) this.passTime(at)
    if (!isContinued || !this.isKnown) this.isRecorded = this.concerns(header)
  }

  private onPrice({ event, position }: PriceRow): void {
    this.isRecorded = true
    if (isLeft(event)) return this.interrupt(causeOf(event.left))
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

  private onEnd(): void {
    this.interrupt('unrecorded')
    this.isRecorded = false
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

  private isTopic(name: string): boolean {
    return name === this.topic || name.toLowerCase() === this.key
  }
}

const causeOf = (error: PriceError): GapCause => {
  switch (error._tag) {
    case 'Disconnected':
      return 'disconnected'
    case 'Stale':
    case 'SubscriptionTimeout':
      return 'stale'
    case 'DecodeError':
    case 'InvalidTopic':
    case 'SubscriptionRejected':
    case 'ClientClosed':
      return 'unrecorded'
    default:
      return assertNever(error)
  }
}
