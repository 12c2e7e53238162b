import { isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { ReplaySubject, Subject } from 'rxjs'
import { depthRetention, isDisconnected, outage, priceRetention } from '../../testing/retained-event.js'
import { isAddress } from '../../base/domain/topic.js'
import { assertNever } from '../../base/domain/assert-never.js'
import type { Depth } from '../../base/domain/depth.js'
import type { Price } from '../../base/domain/price.js'
import type { ConnectionStatus } from '../../base/domain/snapshot.js'
import { subscriptionRejected, unsupportedPair } from '../../base/errors/constructors.js'
import type {
  DecodeError,
  DepthError,
  PriceError,
  RecordingError,
  UncorrelatedError,
} from '../../base/errors/model.js'
import { withSafeComplete$ } from '../../base/task/safe-notify.js'
import { withAtOnceLimit$ } from '../../base/time/at-once-limit.js'
import type { RecordingHeader, Row } from '../recording/codec/row.js'
import type { TimeRange } from '../recording/codec/timeline.js'
import type { Recorder } from '../recording/read/read-entries.js'
import { ReplayStreams } from './replay-streams.js'

/** The streams of a recording. Scheduling is done by the caller. */
export class RecordedStreams {
  readonly prices: ReplayStreams<PriceError, Price>
  readonly depths: ReplayStreams<DepthError, Depth>
  private readonly statusSubject$ = new ReplaySubject<ConnectionStatus>(1)
  private readonly errorSubject$ = new Subject<UncorrelatedError>()
  /** Of the last line. */
  private recorder: Recorder | undefined
  latestEpoch = 0
  /** True once a row is emitted: an earlier header does not interrupt the streams. */
  private hasRow = false
  status: ConnectionStatus = { _tag: 'Idle' }
  private hasEnded = false

  readonly status$ = withAtOnceLimit$(withSafeComplete$(this.statusSubject$), () => this.hasEnded)
  readonly errors$ = withAtOnceLimit$(withSafeComplete$(this.errorSubject$))

  /** `elapsed` and `onSubscribe`: of `ReplayStreamsConfig`. */
  constructor(
    private readonly range: TimeRange,
    elapsed: () => number,
    onSubscribe: () => () => void,
  ) {
    this.prices = new ReplayStreams<PriceError, Price>({
      retention: priceRetention,
      notRecorded: (topic) => subscriptionRejected(topic, notRecorded),
      onTakenOver: (recorder) => {
        // It goes on with topics of another one, whose epochs may be later.
        if (recorder.latestEpoch < this.latestEpoch) recorder.baseEpoch = this.latestEpoch
        return outage(newRecording)
      },
      elapsed,
      onSubscribe,
    })
    this.depths = new ReplayStreams<DepthError, Depth>({
      retention: depthRetention,
      notRecorded: (mint) => unsupportedPair(mint, undefined, notRecorded),
      elapsed,
      onSubscribe,
    })
    this.statusSubject$.next(this.status)
  }

  /** Called at the time of the previous line: emits the `Disconnected` of an outage that the recording does not contain. */
  beforeLine(line: Row | RecordingHeader): void {
    const isPartOfOutage =
      (line._tag === 'Price' && isDisconnected(line.event)) ||
      (line._tag === 'End' && this.recorder?.isClosed === true)
    if (!isPartOfOutage) this.prices.reportOutage()
  }

  /** Each topic of which there was a row emits `Disconnected`. */
  interrupt(reason: string): void {
    this.prices.interrupt(outage(reason), true)
    this.prices.reportOutage()
  }

  emit(line: Row | RecordingHeader, recorder: Recorder): void {
    this.recorder = recorder
    if (line._tag === 'Recording') this.onHeader(line, recorder)
    else this.emitRow(line, recorder)
  }

  /** Completes every stream. If reading failed, each price and depth stream emits a `DecodeError` first. */
  complete(failure: RecordingError | undefined): void {
    const error = failure === undefined ? undefined : decodeErrorFrom(failure)
    if (this.recorder?.isClosed !== true) this.prices.reportOutage()
    this.prices.completeAll(error)
    this.depths.completeAll(error)
    this.hasEnded = true
    this.statusSubject$.complete()
    this.errorSubject$.complete()
  }

  private onHeader({ at, topics, mints, continues }: RecordingHeader, recorder: Recorder): void {
    const isContinued = continues !== undefined && continues === recorder.headerAt
    recorder.isClosed = false
    recorder.headerAt = at
    if (this.hasRow && !isContinued && at < this.range.to) {
      recorder.baseEpoch = this.latestEpoch
      for (const stream of this.depths.of(recorder)) stream.forget()
      this.prices.interrupt(outage(newRecording), true, recorder)
      this.prices.reportOutage()
    }
    for (const topic of topics) this.prices.announce(topic, recorder)
    for (const mint of mints) this.depths.announce(mint, recorder)
  }

  private emitRow(row: Row, recorder: Recorder): void {
    this.hasRow = true
    switch (row._tag) {
      case 'Price':
        return this.prices.streamOf(row.topic, recorder).emit(this.eventOf(row.event, recorder))
      case 'Depth':
        return this.depths.streamOf(row.mint, recorder).emit(row.event)
      case 'End':
        if (recorder.isClosed) return undefined
        return isAddress(row.of)
          ? this.depths.complete(row.of, recorder)
          : this.prices.complete(row.of, recorder)
      case 'Status':
        return this.onStatus(this.statusOf(row.status, recorder), recorder)
      case 'Uncorrelated':
        return this.errorSubject$.next(row.error)
      default:
        return assertNever(row)
    }
  }

  private onStatus(status: ConnectionStatus, recorder: Recorder): void {
    recorder.isClosed = status._tag === 'Closed'
    if (status._tag === 'Open') for (const stream of this.prices.of(recorder)) stream.onOpen()
    if (status._tag === 'Waiting') this.prices.interrupt(outage(status.reason, status), false, recorder)
    if (status._tag === 'Closed') {
      for (const stream of this.depths.of(recorder)) stream.forget()
      this.prices.interrupt(outage('the recorded client was closed'), true, recorder)
      return
    }
    // A recording starts with the status of its client.
    if (status._tag === 'Idle' && this.status._tag === 'Idle') return
    this.status = status
    this.statusSubject$.next(status)
  }

  private eventOf(event: Either<PriceError, Price>, recorder: Recorder): Either<PriceError, Price> {
    if (isRight(event)) this.onEpoch(event.right.epoch, recorder)
    return inLaterEpoch(event, recorder.baseEpoch)
  }

  private statusOf(status: ConnectionStatus, recorder: Recorder): ConnectionStatus {
    if (status._tag === 'Open') this.onEpoch(status.epoch, recorder)
    return statusInLaterEpoch(status, recorder.baseEpoch)
  }

  private onEpoch(recorded: number, recorder: Recorder): void {
    const epoch = recorded + recorder.baseEpoch
    if (epoch > recorder.latestEpoch) recorder.latestEpoch = epoch
    if (epoch > this.latestEpoch) this.latestEpoch = epoch
  }
}

// The epochs of a later recording, and of a live client, continue the earlier epochs.

export const inLaterEpoch = (event: Either<PriceError, Price>, added: number): Either<PriceError, Price> => {
  if (added === 0) return event
  if (isRight(event)) return right({ ...event.right, epoch: event.right.epoch + added })
  const error = event.left
  if (error._tag !== 'Stale' || error.last === undefined) return event
  return left({ ...error, last: { ...error.last, epoch: error.last.epoch + added } })
}

export const statusInLaterEpoch = (status: ConnectionStatus, added: number): ConnectionStatus =>
  status._tag === 'Open' ? { ...status, epoch: status.epoch + added } : status

const newRecording = 'a new recording begins'

const notRecorded = 'it is not in the recording'

const decodeErrorFrom = ({ message, input, issues }: RecordingError): DecodeError => ({
  _tag: 'DecodeError',
  message,
  input,
  issues,
})
