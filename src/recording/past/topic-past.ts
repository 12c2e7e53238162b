import { isLeft } from 'fp-ts/lib/Either.js'
import { assertNever } from '../../domain/assert-never.js'
import type { EmitPast, GapCause } from '../../domain/past.js'
import type { ConnectionStatus } from '../../domain/status.js'
import type { Topic } from '../../domain/topic.js'
import type { PriceError } from '../../errors/model.js'
import type { PriceRow, RecordingHeader, Row } from '../format/row.js'
import { allTimes, isWithin, type TimeRange } from '../format/timeline.js'

/**
 * The prices and the gaps of one topic, from the lines of recordings. Emits the events within the range. If a gap is
 * only partly in the range, this part is emitted.
 *
 * - A gap starts with an error of the topic, with a status of the connection that affects every topic, or with the end of a
 *   recording. It ends with the next price, or when its cause changes.
 * - Time never goes back. A row that is earlier than its predecessor gets the predecessor's time. Rows of a further
 *   recording that are earlier than the end of the previous recording are skipped, because both have rows of that time.
 */
export class TopicPast {
  /** The latest time of the rows so far, in ms since the Unix epoch. */
  latest = -Infinity
  /** Number of rows of the topic that are skipped. */
  overlappingRows = 0
  /** True if the topic is in the current recording, and its stream has not ended. */
  private isRecorded = false
  private gap: { readonly cause: GapCause; readonly from: number } | undefined
  /** The `at` of the last header. `undefined` if it was not read. */
  private headerAt: number | undefined
  /** The end of the previous recording. */
  private previousEnd = -Infinity
  /** Of the last price. */
  private epoch: number | undefined
  private priceAt = 0
  private readonly key: string
  private readonly spellings = new Map<string, boolean>()

  constructor(
    private readonly topic: Topic,
    private readonly emit: EmitPast,
    private readonly range: TimeRange = allTimes,
    /**
     * False if there are unread lines before the first line: it is then unknown at first whether the topic has a
     * current price.
     */
    public isKnown = true,
  ) {
    this.key = topic.toLowerCase()
    if (!isKnown) return
    this.gap = { cause: 'unrecorded', from: -Infinity }
    this.headerAt = NaN
  }

  /** The header of a file whose next line is not the first one after it. */
  enter({ topics }: RecordingHeader): void {
    this.isRecorded = topics.some((name) => this.isTopic(name))
  }

  onLine(line: Row | RecordingHeader): void {
    if (line._tag === 'Recording') return this.onHeader(line)
    if (line.at < this.previousEnd) {
      if (line._tag === 'Price' && this.isTopic(line.topic)) this.overlappingRows++
      return
    }
    this.passTime(line.at)
    if (line._tag === 'Price') {
      if (this.isTopic(line.topic)) this.onPrice(line)
    } else if (line._tag === 'Status') this.onStatus(line.status)
    else if (line._tag === 'End' && this.isTopic(line.of)) this.onEnd()
  }

  /** Time passes: there are rows of other topics. In ms since the Unix epoch. */
  passTime(at: number): void {
    if (at > this.latest) this.latest = at
  }

  /** `isRecordedOn`: true if the recording continues at the end of the range, false if its last row is the end. */
  finish(isRecordedOn: boolean, end = this.range.to): void {
    if (!isRecordedOn) this.interrupt('unrecorded')
    this.endGap(end)
  }

  private onHeader({ at, topics, continues }: RecordingHeader): void {
    const isContinued = continues !== undefined && (this.headerAt ?? continues) === continues
    this.headerAt = at
    if (!isContinued) {
      this.interrupt('unrecorded')
      this.previousEnd = this.latest
    }
    this.passTime(at)
    if (isContinued && this.isKnown) return
    this.isRecorded = topics.some((name) => this.isTopic(name))
  }

  private onPrice({ event, position }: PriceRow): void {
    this.isRecorded = true
    if (isLeft(event)) return this.interrupt(causeOf(event.left))
    this.isKnown = true
    const { topic, latest, gap } = this
    const { price, epoch } = event.right
    const isOtherConnection = this.epoch !== undefined && this.epoch !== epoch
    if (gap === undefined && isOtherConnection) this.gap = { cause: 'disconnected', from: this.priceAt }
    this.endGap(latest)
    this.epoch = epoch
    this.priceAt = latest
    if (isWithin(this.range, latest)) this.emit({ _tag: 'PastPrice', topic, price, at: latest }, position)
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
    this.endGap(this.latest)
    this.gap = { cause, from: this.latest }
  }

  private endGap(at: number): void {
    const { gap, range, topic } = this
    if (gap === undefined) return
    this.gap = undefined
    const from = Math.max(gap.from, range.from)
    const to = Math.min(at, range.to)
    if (from < to) this.emit({ _tag: 'Gap', topic, from, to, cause: gap.cause })
  }

  /** Cached, because a recording has few spellings and many rows. */
  private isTopic(name: string): boolean {
    const known = this.spellings.get(name)
    if (known !== undefined) return known
    const isTopic = name.toLowerCase() === this.key
    this.spellings.set(name, isTopic)
    return isTopic
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
