import { nuid } from '@nats-io/transport-node'
import type { Consumer, JsMsg } from '@nats-io/jetstream'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { canonicalAddress } from '../../base/domain/address.js'
import type { EmitPast } from '../../base/domain/past.js'
import { addressOf, type Topic } from '../../base/domain/topic.js'
import { recordingError } from '../../base/errors/constructors.js'
import type { HistoryError, RecordingError } from '../../base/errors/model.js'
import { encodeRow } from '../../backtest/recording/format/row-codec.js'
import { topicHeader, type RecordingHeader, type Row } from '../../backtest/recording/format/row.js'
import { allTimes, type TimeRange } from '../../backtest/recording/format/timeline.js'
import { TopicPast } from '../../backtest/recording/past/topic-past.js'
import { readSource } from '../../backtest/recording/read/read-entries.js'
import type { Subjects } from '../subjects.js'
import type { JetStream } from './jetstream.js'
import { recordedTime } from './stored-topic.js'

/** A message may be stored this long before the time of its rows, by the clocks of a server and a gateway, in ms. */
const clockTolerance = 60_000

/** The number of messages that are read at once. Each has at most 64 kB, and most have one row. */
const batchSize = 256

/** The time in which the server has to deliver messages that it has, in ms. */
const batchTime = 5_000

/** The time after which the server removes a consumer whose reader was killed, in ms. */
const consumerTime = 30_000

const nanosPerMs = 1_000_000

export interface PastRequest {
  readonly topic: Topic
  readonly range: TimeRange
  readonly emit: EmitPast
  /** Ends the reading. */
  readonly closing: Subscription
}

/**
 * Reads the past of a topic within a range: the messages of that time, and earlier messages back to the one that
 * decides whether the topic had a price at the start of the range. Right: true if the topic has messages.
 */
export const readPast = async (
  jetStream: JetStream,
  subjects: Subjects,
  request: PastRequest,
): Promise<Either<HistoryError, boolean>> => {
  const { state } = await jetStream.manager.streams.info(subjects.historyStream)
  const first = Date.parse(state.first_ts)
  for (let step = clockTolerance; ; step *= 4) {
    const start = request.range.from - step
    const reading = new PastReading(jetStream, subjects, request, start > first ? start : undefined)
    const end = await reading.read()
    if (isLeft(end) || end.right !== 'starts too late') return isLeft(end) ? end : right(reading.hasMessages)
  }
}

type ReadingEnd = 'starts too late' | 'end of the range'

/** A reading that starts at one time. `start` in ms since the Unix epoch; `undefined` is the start of the stream. */
class PastReading {
  hasMessages = false
  private readonly past: TopicPast
  private readonly subject: string
  /** True if the last row is after the range. */
  private isAfter = false
  /** When the message whose lines are decoded was stored, by the clock of the server, in ms since the Unix epoch. */
  private storedAt = 0
  /** The number of the message whose lines are decoded. */
  private sequence = 0
  /** The number of lines before this message, including the line that is added at the start. */
  private linesBefore = 1
  private lines = 1

  constructor(
    private readonly jetStream: JetStream,
    private readonly subjects: Subjects,
    private readonly request: PastRequest,
    private readonly start: number | undefined,
  ) {
    const { topic, emit, range } = request
    this.subject = subjects.history(canonicalAddress(addressOf(topic)))
    this.past = new TopicPast(topic, emit, range, start === undefined)
  }

  async read(): Promise<Either<HistoryError, ReadingEnd>> {
    const { past, request } = this
    const { range, closing, topic } = request
    const source = { name: this.subject, open: () => this.texts(topicHeader(topic, 0)) }
    let isEntered = false
    for await (const entries of readSource(source, allTimes, closing)) {
      if (isLeft(entries)) return left(this.atMessage(entries.left))
      for (const { line } of entries.right) {
        if (!isEntered) {
          past.enter(line as RecordingHeader)
          isEntered = true
          continue
        }
        if (closing.closed) return right('end of the range')
        const end = this.onLine(line)
        if (end !== undefined) return right(end)
      }
    }
    if (!past.isKnown) return right('starts too late')
    if (!this.hasMessages && this.start === undefined) return right('end of the range')
    past.finish(this.isAfter || past.now + recordedTime >= range.to)
    return right('end of the range')
  }

  private onLine(line: Row | RecordingHeader): ReadingEnd | undefined {
    const { past } = this
    const { from, to } = this.request.range
    this.lines++
    const isHeader = line._tag === 'Recording'
    if (!isHeader && line.at >= from && !past.isKnown) return 'starts too late'
    if (isHeader) past.onRecording(line)
    else if (line.at < to) past.onLine(line)
    this.isAfter = !isHeader && line.at >= to
    // A clock may have been set back: rows of the range may follow.
    if (!this.isAfter || this.storedAt < to + clockTolerance) return undefined
    past.finish(true)
    return 'end of the range'
  }

  /** The line in its message, and the number of the message in the stream. */
  private atMessage({ line, input, issues }: RecordingError): RecordingError {
    return recordingError(`${this.subject}, message ${this.sequence}`, line - this.linesBefore, input, issues)
  }

  /** The texts of the messages, after a header that the decoder of a recording expects. */
  private async *texts(header: RecordingHeader): AsyncGenerator<Uint8Array, void> {
    yield new TextEncoder().encode(`${encodeRow(header)}\n`)
    for await (const { seq, data, time } of this.messages()) {
      this.sequence = seq
      this.storedAt = time.getTime()
      this.linesBefore = this.lines
      this.hasMessages = true
      yield data
    }
  }

  /** The messages that the stream has now. */
  private async *messages(): AsyncGenerator<JsMsg, void> {
    const { client, manager } = this.jetStream
    const { historyStream } = this.subjects
    const info = await manager.consumers.add(historyStream, {
      name: nuid.next(),
      filter_subject: this.subject,
      ack_policy: 'none',
      mem_storage: true,
      inactive_threshold: consumerTime * nanosPerMs,
      ...(this.start === undefined
        ? { deliver_policy: 'all' }
        : { deliver_policy: 'by_start_time', opt_start_time: new Date(this.start).toISOString() }),
    })
    const removal = new Subscription(() => {
      // The connection may be lost.
      manager.consumers.delete(historyStream, info.name).catch(() => undefined)
    })
    this.request.closing.add(removal)
    try {
      yield* this.pull(client.consumers.getConsumerFromInfo(info), info.num_pending)
    } finally {
      removal.unsubscribe()
    }
  }

  private async *pull(consumer: Consumer, count: number): AsyncGenerator<JsMsg, void> {
    let next = 1
    for (let pending = count; pending > 0;) {
      const before = next
      const batch = await consumer.fetch({ max_messages: Math.min(batchSize, pending), expires: batchTime })
      for await (const message of batch) {
        if (message.info.deliverySequence !== next++) throw new Error('messages of the history were lost')
        pending = Math.min(pending - 1, message.info.pending)
        yield message
      }
      // The other messages were deleted.
      if (next === before) return
    }
  }
}
