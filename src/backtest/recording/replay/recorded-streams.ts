import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { ReplaySubject, Subject, type Observable } from 'rxjs'
import { depthRetention, outage, priceRetention } from '../../../testing/retained-event.js'
import { isAddress, type Address } from '../../../base/domain/address.js'
import { assertNever } from '../../../base/domain/assert-never.js'
import type { Depth } from '../../../base/domain/depth.js'
import type { Price } from '../../../base/domain/price.js'
import type { ConnectionStatus } from '../../../base/domain/status.js'
import type { Topic } from '../../../base/domain/topic.js'
import { subscriptionRejected, unsupportedPair } from '../../../base/errors/constructors.js'
import type {
  DecodeError,
  DepthError,
  PriceError,
  RecordingError,
  UncorrelatedError,
} from '../../../base/errors/model.js'
import { withSafeComplete$ } from '../../../base/task/safe-notify.js'
import { withAtOnceLimit$ } from '../../../base/time/at-once-limit.js'
import type { RecordingHeader, Row } from '../format/row.js'
import type { TimeRange } from '../format/timeline.js'
import type { Owners, Sequence } from '../read/sequence.js'
import { ReplayStreams } from './replay-streams.js'

/** The streams of a recording. Scheduling is done by the caller. */
export class RecordedStreams {
  private readonly prices: ReplayStreams<PriceError, Price>
  private readonly depths: ReplayStreams<DepthError, Depth>
  private readonly statusSubject$ = new ReplaySubject<ConnectionStatus>(1)
  private readonly errorSubject$ = new Subject<UncorrelatedError>()
  private readonly recorders = new Map<Sequence, Recorder>()
  private readonly latestEpoch: LatestEpoch = { value: 0 }
  /** The recorder of the last line. */
  private recorder: Recorder | undefined
  /** True once a row is emitted: an earlier header does not interrupt the streams. */
  private hasRow = false
  private currentStatus: ConnectionStatus = { _tag: 'Idle' }
  private hasEnded = false

  readonly status$ = withAtOnceLimit$(withSafeComplete$(this.statusSubject$), () => this.hasEnded)
  readonly errors$ = withAtOnceLimit$(withSafeComplete$(this.errorSubject$))

  /**
   * `elapsed`: the monotonic time of the replay, in ms. `onSubscribe` is called for each subscriber of a price or depth
   * stream, and returns the teardown.
   */
  constructor(
    private readonly range: TimeRange,
    owners: Owners,
    elapsed: () => number,
    onSubscribe: () => () => void,
  ) {
    this.prices = new ReplayStreams<PriceError, Price>({
      retention: priceRetention,
      isOutage: isDisconnected,
      notRecorded: (topic) => subscriptionRejected(topic, notRecorded),
      owners,
      elapsed,
      onSubscribe,
    })
    this.depths = new ReplayStreams<DepthError, Depth>({
      retention: depthRetention,
      isOutage: () => false,
      notRecorded: (mint) => unsupportedPair(mint, undefined, notRecorded),
      owners,
      elapsed,
      onSubscribe,
    })
    this.statusSubject$.next(this.currentStatus)
  }

  get status(): ConnectionStatus {
    return this.currentStatus
  }

  price$(topic: Topic): Observable<Either<PriceError, Price>> {
    return this.prices.event$(topic)
  }

  depth$(mint: Address): Observable<Either<DepthError, Depth>> {
    return this.depths.event$(mint)
  }

  /** True if an outage may not be reported to all subscribers. */
  get hasOutage(): boolean {
    return this.prices.isUnreported
  }

  /**
   * Called at the time of the previous line, before the replay moves to this one: emits the `Disconnected` of an outage that
   * the recording does not contain.
   */
  beforeLine(line: Row | RecordingHeader): void {
    const isPartOfOutage =
      (line._tag === 'Price' && isDisconnected(line.event)) ||
      (line._tag === 'End' && this.recorder?.isClosed === true)
    if (!isPartOfOutage) this.prices.reportOutage()
  }

  /**
   * A live client continues the recording. `topics`: those of which no price is missing, in lower case: their next prices are
   * `continued`, from the live epoch `firstEpoch` on. All other rows are `fresh`: no other stream has a current value until its
   * next one, and other topics emit `Disconnected`.
   */
  continueLive(
    topics: ReadonlySet<string>,
    firstEpoch: number,
    { continued, fresh }: Readonly<Record<'continued' | 'fresh', Sequence>>,
  ): void {
    this.recorderOf(continued).restartEpochs(firstEpoch)
    this.recorderOf(fresh).restartEpochs()
    this.depths.forget()
    this.prices.interruptAll(outage('the recording has ended'), topics)
    this.prices.reportOutage()
  }

  /** A stream begins anew: it has no current value, also if it was completed. For a stream that had no subscriber. */
  restart(name: Topic | Address): void {
    if (isAddress(name)) this.depths.restart(name)
    else this.prices.restart(name)
  }

  /** Emits the event of a row on its stream. A header adds the names of recorded streams. */
  emit(line: Row | RecordingHeader, sequence: Sequence): void {
    const { recorder } = this
    const current = recorder?.sequence === sequence ? recorder : this.recorderOf(sequence)
    this.recorder = current
    if (line._tag === 'Recording') this.onHeader(line, current)
    else this.emitRow(line, current)
  }

  private recorderOf(sequence: Sequence): Recorder {
    const known = this.recorders.get(sequence)
    if (known !== undefined) return known
    const recorder = new Recorder(sequence, this.latestEpoch)
    this.recorders.set(sequence, recorder)
    return recorder
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

  /** The time between two recordings is unknown. */
  private onHeader({ at, topics, mints, continues, clockStep }: RecordingHeader, recorder: Recorder): void {
    if (clockStep !== undefined) return
    const { sequence, headerAt } = recorder
    recorder.isClosed = false
    recorder.headerAt = at
    for (const name of [...topics, ...mints]) sequence.claim(name, at)
    const isContinued = continues !== undefined && continues === headerAt
    if (!this.hasRow || isContinued || at >= this.range.to) return
    recorder.restartEpochs()
    const isStart = headerAt === undefined
    // A recorder that starts beside others interrupts nothing.
    if (isStart && ![...this.recorders.keys()].some(({ isOver }) => isOver)) return
    this.depths.forget(sequence)
    this.prices.interrupt(outage('a new recording begins'), true, sequence, isStart)
    this.prices.reportOutage()
  }

  private emitRow(row: Row, recorder: Recorder): void {
    this.hasRow = true
    switch (row._tag) {
      case 'Price':
        return this.prices.emit(row.topic, recorder.eventOf(row.event))
      case 'Depth':
        return this.depths.emit(row.mint, row.event)
      case 'End':
        if (recorder.isClosed) return undefined
        return isAddress(row.of) ? this.depths.complete(row.of) : this.prices.complete(row.of)
      case 'Status':
        return this.onStatus(recorder.statusOf(row.status), recorder)
      case 'Uncorrelated':
        return this.errorSubject$.next(row.error)
      default:
        return assertNever(row)
    }
  }

  private onStatus(status: ConnectionStatus, recorder: Recorder): void {
    const { sequence } = recorder
    recorder.isClosed = status._tag === 'Closed'
    if (status._tag === 'Open') this.prices.onOpen(sequence)
    if (status._tag === 'Waiting') this.prices.interrupt(outage(status.reason, status), false, sequence)
    if (status._tag === 'Closed') {
      this.depths.forget(sequence)
      this.prices.interrupt(outage('the recorded client was closed'), true, sequence)
      return
    }
    // A recording starts with the status of its client.
    if (status._tag === 'Idle' && this.currentStatus._tag === 'Idle') return
    this.currentStatus = status
    this.statusSubject$.next(status)
  }
}

/** The latest epoch of a replay. */
interface LatestEpoch {
  value: number
}

/** The state of one of the recorders of a set of recordings. The epochs of a later recording continue the earlier epochs. */
class Recorder {
  /** The time of its last header, in ms since the Unix epoch. */
  headerAt: number | undefined
  /** True after its client was closed. The `End` rows that the close caused do not end the streams. */
  isClosed = false
  private baseEpoch = 0

  constructor(
    readonly sequence: Sequence,
    private readonly latestEpoch: LatestEpoch,
  ) {}

  /** `continued`: the epoch that continues the latest one. */
  restartEpochs(continued = 0): void {
    this.baseEpoch = this.latestEpoch.value - continued
  }

  eventOf(event: Either<PriceError, Price>): Either<PriceError, Price> {
    if (isRight(event)) {
      const price = this.priceOf(event.right)
      return price === event.right ? event : right(price)
    }
    const error = event.left
    return error._tag === 'Stale' && error.last !== undefined && this.baseEpoch !== 0
      ? left({ ...error, last: this.priceOf(error.last) })
      : event
  }

  statusOf(status: ConnectionStatus): ConnectionStatus {
    if (status._tag !== 'Open') return status
    const epoch = this.epochOf(status.epoch)
    return epoch === status.epoch ? status : { ...status, epoch }
  }

  private priceOf(price: Price): Price {
    const epoch = this.epochOf(price.epoch)
    return epoch === price.epoch ? price : { ...price, epoch }
  }

  private epochOf(recorded: number): number {
    const epoch = recorded + this.baseEpoch
    if (epoch > this.latestEpoch.value) this.latestEpoch.value = epoch
    return epoch
  }
}

const notRecorded = 'it is not in the recording'

const isDisconnected = (event: Either<PriceError, unknown>): boolean =>
  isLeft(event) && event.left._tag === 'Disconnected'

const decodeErrorFrom = ({ message, input, issues }: RecordingError): DecodeError => ({
  _tag: 'DecodeError',
  message,
  input,
  issues,
})
