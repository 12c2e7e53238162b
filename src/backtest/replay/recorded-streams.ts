import { isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { defer, map, ReplaySubject, Subject, type Observable } from 'rxjs'
import { withTopic } from '../../testing/client-from-streams.js'
import { depthRetention, isDisconnected, outage, priceRetention } from '../../testing/retained-event.js'
import { isAddress, type Topic } from '../../base/domain/topic.js'
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
import type { PriceRow, RecordingHeader, Row } from '../recording/codec/row.js'
import type { TimeRange } from '../recording/codec/timeline.js'
import { isContinuation, isPartial, type EntryOrigin, type Recorder } from '../recording/read/read-entries.js'
import { ReplayStreams } from './replay-streams.js'

/** The streams of a recording. Scheduling is done by the caller. */
export class RecordedStreams {
  readonly prices: ReplayStreams<PriceError, Price>
  readonly depths: ReplayStreams<DepthError, Depth>
  private readonly statusSubject$ = new ReplaySubject<ConnectionStatus>(1)
  private readonly errorSubject$ = new Subject<UncorrelatedError>()
  latestEpoch = 0
  /** True once a row is emitted: an earlier header does not interrupt the streams. */
  private hasRow = false
  status: ConnectionStatus = { _tag: 'Idle' }
  private hasEnded = false
  /** The outage of a status, until a later line shows which topics have a row of it. */
  private outage: { readonly error: PriceError; readonly recorder: Recorder } | undefined

  readonly status$ = withAtOnceLimit$(withSafeComplete$(this.statusSubject$), () => this.hasEnded)
  readonly errors$ = withAtOnceLimit$(withSafeComplete$(this.errorSubject$))

  /** `elapsed` and `onSubscribe`: of `ReplayStreamsConfig`. */
  constructor(
    private readonly range: TimeRange,
    elapsed: () => number,
    onSubscribe: () => () => void,
  ) {
    this.prices = new ReplayStreams<PriceError, Price>({
      ...{ retention: priceRetention, elapsed, onSubscribe },
      notRecorded: (topic) => subscriptionRejected(topic, notRecorded),
    })
    this.depths = new ReplayStreams<DepthError, Depth>({
      ...{ retention: depthRetention, elapsed, onSubscribe },
      notRecorded: (mint) => unsupportedPair(mint, undefined, notRecorded),
    })
    this.statusSubject$.next(this.status)
  }

  /** The prices of a topic as a caller writes it: most write it alike. */
  price$(topic: Topic): Observable<Either<PriceError, Price>> {
    return defer(() => {
      const { event$, spelling } = this.prices.stream(topic)
      return topic === spelling ? event$ : event$.pipe(map((event) => withTopic(event, topic)))
    })
  }

  /** True if `emitOutage` may emit events before this line: it must be called at the time of the previous one. */
  hasOutageBefore(line: Row | RecordingHeader): boolean {
    if (this.outage === undefined) return false
    const { status, headerAt, now } = this.outage.recorder
    if (line._tag === 'Recording') return !isContinuation(line.continues, headerAt, now)
    if (line._tag === 'Price') return !isDisconnected(line.event)
    return line._tag !== 'End' || status !== 'Closed'
  }

  /** Each topic emits the outage of the last status, unless a row of it has. */
  emitOutage(): void {
    if (this.outage === undefined) return
    const { error, recorder } = this.outage
    this.outage = undefined
    for (const stream of this.prices.of(recorder)) stream.interrupt(error)
  }

  /** Each topic of which there was an event emits `Disconnected`. */
  interrupt(reason: string): void {
    this.emitOutage()
    for (const stream of this.prices.of()) stream.interrupt(outage(reason))
  }

  emit(line: Row | RecordingHeader, origin: EntryOrigin): void {
    if (line._tag === 'Recording') this.onHeader(line, origin)
    else this.emitRow(line, origin.recorder)
    origin.recorder.passTime(line)
  }

  /** Completes every stream. If reading failed, each price and depth stream emits a `DecodeError` first. */
  complete(failure: RecordingError | undefined): void {
    const error = failure === undefined ? undefined : decodeErrorFrom(failure)
    if (this.outage?.recorder.status !== 'Closed') this.emitOutage()
    this.prices.completeAll(error)
    this.depths.completeAll(error)
    this.hasEnded = true
    this.statusSubject$.complete()
    this.errorSubject$.complete()
  }

  private onHeader({ at, topics, mints, continues }: RecordingHeader, origin: EntryOrigin): void {
    const { recorder } = origin
    const isContinued = isContinuation(continues, recorder.headerAt, recorder.now)
    if (!isContinued) recorder.status = undefined
    recorder.headerAt = isPartial(origin) ? undefined : at
    if (this.hasRow && !isContinued && at < this.range.to) {
      recorder.baseEpoch = this.latestEpoch
      for (const stream of this.depths.of(recorder)) stream.forget()
      for (const stream of this.prices.of(recorder)) stream.interrupt(outage(newRecording))
    }
    for (const topic of topics) this.prices.announce(topic, recorder)
    for (const mint of mints) this.depths.announce(mint, recorder)
  }

  private emitRow(row: Row, recorder: Recorder): void {
    this.hasRow = true
    switch (row._tag) {
      case 'Price':
        return this.onPrice(row, recorder)
      case 'Depth':
        return this.depths.stream(row.mint).emit(row.event, recorder)
      case 'End':
        if (recorder.status === 'Closed') return undefined
        return isAddress(row.of)
          ? this.depths.complete(row.of, recorder)
          : this.prices.complete(row.of, recorder)
      case 'Status':
        return this.onStatus(row.status, recorder)
      case 'Uncorrelated':
        return this.errorSubject$.next(row.error)
      default:
        return assertNever(row)
    }
  }

  private onStatus(recorded: ConnectionStatus, recorder: Recorder): void {
    if (recorded._tag === 'Open') this.onEpoch(recorded.epoch, recorder)
    const status = statusInLaterEpoch(recorded, recorder.baseEpoch)
    // In one outage, a client that loses several lines has this status for each.
    const isNewOutage = status._tag === 'Waiting' && recorder.status !== 'Waiting'
    recorder.status = status._tag
    if (status._tag === 'Waiting') this.onOutage(outage(status.reason, status), recorder, isNewOutage)
    if (status._tag === 'Closed') {
      for (const stream of this.depths.of(recorder)) stream.forget()
      return this.onOutage(outage('the recorded client was closed'), recorder, false)
    }
    // A recording starts with the status of its client.
    if (status._tag === 'Idle' && this.status._tag === 'Idle') return
    this.status = status
    this.statusSubject$.next(status)
  }

  private onOutage(error: PriceError, recorder: Recorder, isNew: boolean): void {
    this.outage = { error, recorder }
    for (const stream of this.prices.of(recorder)) stream.forget(isNew)
  }

  private onPrice({ topic, event }: PriceRow, recorder: Recorder): void {
    const stream = this.prices.stream(topic)
    if (stream.recorder !== recorder && stream.hasEvents) {
      // Prices may be missing between those of two recorders, and the epochs of the other one may be later.
      if (recorder.latestEpoch < this.latestEpoch) recorder.baseEpoch = this.latestEpoch
      stream.interrupt(outage(newRecording))
    }
    if (isRight(event)) this.onEpoch(event.right.epoch, recorder)
    const played = inLaterEpoch(event, recorder.baseEpoch)
    stream.emit(withTopic(played, stream.spelling as Topic), recorder)
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
