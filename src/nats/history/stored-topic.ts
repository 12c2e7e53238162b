import { isRight } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import type { PriceClient } from '../../client/client.js'
import type { ConnectionStatus } from '../../base/domain/status.js'
import type { Topic } from '../../base/domain/topic.js'
import { writeError } from '../../base/errors/constructors.js'
import type { WriteError } from '../../base/errors/model.js'
import { encodeLine } from '../../backtest/recording/format/row-codec.js'
import { topicHeader, type RecordingHeader, type Row } from '../../backtest/recording/format/row.js'
import { WantedRows } from '../../backtest/recording/record/client-rows.js'
import type { Clock } from '../../base/time/clock.js'
import type { HistoryStore, StoreResult } from './history-store.js'

/**
 * A topic without a new row gets a row after this time, in ms: readers learn that it is recorded. The default of the
 * client's `staleAfter`.
 */
export const heartbeatTime = 30_000

/** A recording without a row for this time has ended for readers, in ms. Until then, its last state counts as current. */
export const recordedTime = heartbeatTime + 5_000

/**
 * A gateway that stands by takes over this time after a price that the other gateway has not stored, in ms. A message
 * that was stored at most `aheadTime` before the price may contain it: the other gateway may have received it first.
 */
export const takeoverTime = 5_000
const aheadTime = 1_000

/** Another gateway, which stores the topic. Times are monotonic, in ms. */
interface OtherGateway {
  /** When its last message was stored. */
  storedAt: number
  /** When the first price since then arrived that it has not stored. */
  missedAt: number | undefined
}

/** Time without writing after rows were dropped, and time between two attempts to open the stream, in ms. */
export const retryAfter = 10_000

export interface StoredTopicConfig {
  readonly client: PriceClient
  readonly clock: Clock
  /** Where rows are stored; `undefined` while there is no connection, or no stream. */
  readonly store: () => HistoryStore | undefined
  /** The stream of a store was deleted, or made anew. */
  readonly onGone: (store: HistoryStore) => void
  /** A new id of a message. No other gateway has it. */
  readonly nextId: () => string
  /** True if all topics together keep too many bytes for the store. */
  readonly isFull: () => boolean
  /** The number of bytes that are kept for the store has changed. */
  readonly onKept: (bytes: number) => void
  /** Receives the messages that other gateways store on a subject, until the subscription ends. */
  readonly watch: (subject: string, onText: (text: string) => void) => Subscription
  readonly status: () => ConnectionStatus
  readonly onFailure: (topic: StoredTopic, error: WriteError | undefined) => void
}

interface SentMessage {
  readonly id: string
  readonly text: string
}

/**
 * Stores the rows of one topic. One message is sent at a time; the next message has the rows that arrived in the
 * meantime. Each message must directly follow the previous one, so that only one gateway stores the topic: the last one
 * that started. Another gateway stands by until that gateway has ended, or has not stored a price for `takeoverTime`.
 */
export class StoredTopic {
  private readonly rows: WantedRows
  /** The lines that are not sent yet. */
  private lines: string[] = []
  /** The message of which it is unknown whether it is stored. */
  private sent: SentMessage | undefined
  private isUnderWay = false
  /** The number of the last message, if this gateway has stored it. */
  private sequence: number | undefined
  private bytes = 0
  /** True if the header of the current recording is written, and its end is not. */
  private isRecording = false
  /** Defined while another gateway stores the topic. */
  private other: OtherGateway | undefined
  private watching = new Subscription()
  /** When rows are written again: monotonic, in ms. */
  private retryAt = -Infinity
  private writtenAt = -Infinity

  constructor(
    private readonly topic: Topic,
    private readonly subject: string,
    private readonly config: StoredTopicConfig,
  ) {
    this.rows = new WantedRows(config.client, topic, (row) => this.write(row))
  }

  /** True if no consumer wants the topic, and all its rows are stored. */
  get isDone(): boolean {
    return !this.rows.isWanted && this.bytes === 0
  }

  want(): Subscription {
    const wanted = this.rows.want()
    wanted.add(() => {
      if (!this.rows.isWanted) this.endStandby()
    })
    return wanted
  }

  /** Called every second: repeats a message that has failed, and shows readers that the topic is recorded. */
  check(): void {
    const { clock, status } = this.config
    if (this.isRecording && clock.elapsed() - this.writtenAt >= heartbeatTime)
      this.write({ _tag: 'Status', at: clock.wallClock(), status: status() })
    this.send()
  }

  /**
   * The connection is lost. A recording that has only begun is dropped, because another gateway may store the topic in
   * the meantime.
   */
  onDisconnected(): void {
    this.watching.unsubscribe()
    if (this.sequence === undefined) this.clear()
  }

  /** The stream has none of the messages. The recording continues in it, unless another gateway stores the topic there. */
  onEmptied(): void {
    if (this.sequence !== undefined) this.sequence = 0
  }

  private write(row: Row): void {
    const { clock, isFull } = this.config
    const now = clock.elapsed()
    const isPrice = row._tag === 'Price' && isRight(row.event)
    if (!this.isRecording && (!isPrice || now < this.retryAt || this.standsBy(now))) return
    if (isFull()) return this.fail(new Error('the store is too slow, or not reachable'))
    try {
      if (!this.isRecording) this.append(topicHeader(this.topic, row.at))
      this.append(row)
    } catch (thrown) {
      return this.fail(thrown)
    }
    this.endStandby()
    this.isRecording = row._tag !== 'End'
    this.writtenAt = now
    this.send()
  }

  /** Throws for a row that no reader accepts. */
  private append(row: Row | RecordingHeader): void {
    const line = encodeLine(row)
    this.lines.push(line)
    this.keep(Buffer.byteLength(line))
  }

  private send(): void {
    const store = this.config.store()
    if (store === undefined || this.isUnderWay) return
    this.sent ??= this.nextMessage(store.maxBytes())
    const { sent, subject, sequence: after } = this
    if (sent === undefined) return
    this.isUnderWay = true
    void store.store({ ...sent, subject, after }).then((result) => {
      this.isUnderWay = false
      if (result._tag === 'Gone') return this.config.onGone(store)
      if (result._tag !== 'Emptied') return this.onResult(sent, result)
      this.onEmptied()
      this.send()
    })
  }

  /** As many lines as fit into a message. */
  private nextMessage(maxBytes: number): SentMessage | undefined {
    let bytes = 0
    const end = this.lines.findIndex((line) => (bytes += Buffer.byteLength(line)) > maxBytes)
    if (end === 0) this.fail(new Error(`a row exceeds the ${maxBytes} bytes of a message`))
    const lines = this.lines.splice(0, end < 0 ? this.lines.length : end)
    return lines.length === 0 ? undefined : { id: this.config.nextId(), text: lines.join('') }
  }

  private onResult(sent: SentMessage, result: Exclude<StoreResult, { _tag: 'Gone' | 'Emptied' }>): void {
    // The rows were dropped in the meantime.
    if (this.sent !== sent) return this.send()
    if (result._tag === 'Failed') return this.config.onFailure(this, writeError(result.error))
    this.config.onFailure(this, undefined)
    if (result._tag === 'Overtaken') return this.standBy()
    this.sequence = result.sequence
    this.sent = undefined
    this.keep(-Buffer.byteLength(sent.text))
    this.send()
  }

  /** Another gateway stores the topic. */
  private standBy(): void {
    const { clock, watch } = this.config
    this.clear()
    if (!this.rows.isWanted) return
    const onStored = (): void => void (this.other = { storedAt: clock.elapsed(), missedAt: undefined })
    onStored()
    this.watching = watch(this.subject, (text) => (isEnd(text) ? this.endStandby() : onStored()))
  }

  private endStandby(): void {
    this.watching.unsubscribe()
    this.other = undefined
  }

  /** Called at a price: true if the other gateway stores the topic, or has just begun to miss prices. */
  private standsBy(now: number): boolean {
    const { other } = this
    if (other === undefined) return false
    if (now - other.storedAt <= aheadTime) return true
    other.missedAt ??= now
    return now - other.missedAt < takeoverTime
  }

  /** The next header shows the gap to readers. */
  private fail(thrown: unknown): void {
    this.clear()
    this.retryAt = this.config.clock.elapsed() + retryAfter
    this.config.onFailure(this, writeError(thrown))
  }

  private clear(): void {
    this.lines = []
    this.sent = undefined
    this.sequence = undefined
    this.isRecording = false
    this.keep(-this.bytes)
  }

  private keep(bytes: number): void {
    this.bytes += bytes
    this.config.onKept(bytes)
  }
}

/** True if the last row of a message is the end of the recording. */
const isEnd = (text: string): boolean =>
  text.slice(text.lastIndexOf('\n', text.length - 2) + 1).startsWith(endStart)

const endStart = '{"_tag":"End",'
