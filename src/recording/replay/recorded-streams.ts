import { isLeft, isRight, type Either } from 'fp-ts/lib/Either.js'
import { ReplaySubject, Subject, type Observable } from 'rxjs'
import { isAddress, type Address } from '../../domain/address.js'
import { assertNever } from '../../domain/assert-never.js'
import type { Depth } from '../../domain/depth.js'
import type { Price } from '../../domain/price.js'
import type { ConnectionStatus } from '../../domain/status.js'
import type { Topic } from '../../domain/topic.js'
import { subscriptionRejected, unsupportedPair } from '../../errors/constructors.js'
import type {
  DecodeError,
  DepthError,
  PriceError,
  RecordingError,
  UncorrelatedError,
} from '../../errors/model.js'
import { withSafeComplete$ } from '../../task/safe-notify.js'
import type { RecordingHeader, Row } from '../format/row.js'
import { ReplayStreams } from './replay-streams.js'

/** The streams of a recording. Scheduling is done by the caller. */
export class RecordedStreams {
  private readonly prices: ReplayStreams<PriceError, Price>
  private readonly depths: ReplayStreams<DepthError, Depth>
  private readonly statusSubject$ = new ReplaySubject<ConnectionStatus>(1)
  private readonly errorSubject$ = new Subject<UncorrelatedError>()
  private currentStatus: ConnectionStatus = { _tag: 'Idle' }
  /** True after the recorded client was closed. The `End` rows that its close caused do not end these streams. */
  private recordedClientClosed = false

  readonly status$ = withSafeComplete$(this.statusSubject$)
  readonly errors$ = withSafeComplete$(this.errorSubject$)

  /** `onSubscribe` is called for each subscriber of a price or depth stream, and returns the teardown. */
  constructor(onSubscribe: () => () => void) {
    this.prices = new ReplayStreams({
      isRetained: isPriceOrOutage,
      notRecorded: priceNotRecorded,
      onSubscribe,
    })
    this.depths = new ReplayStreams({ isRetained: () => true, notRecorded: depthNotRecorded, onSubscribe })
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

  /** Emits the event of a row on its stream. A header adds the names of recorded streams. */
  emit(row: Row | RecordingHeader): void {
    switch (row._tag) {
      case 'Recording':
        this.recordedClientClosed = false
        this.prices.addRecorded(row.topics)
        return this.depths.addRecorded(row.mints)
      case 'Price':
        return this.prices.emit(row.topic, row.event)
      case 'Depth':
        return this.depths.emit(row.mint, row.event)
      case 'End':
        if (this.recordedClientClosed) return undefined
        return isAddress(row.of) ? this.depths.complete(row.of) : this.prices.complete(row.of)
      case 'Status':
        return this.setStatus(row.status)
      case 'Uncorrelated':
        return this.errorSubject$.next(row.error)
      default:
        return assertNever(row)
    }
  }

  /** Completes every stream. If reading failed, each price and depth stream emits a `DecodeError` first. */
  complete(failure: RecordingError | undefined): void {
    const error = failure === undefined ? undefined : decodeErrorFrom(failure)
    this.prices.completeAll(error)
    this.depths.completeAll(error)
    this.statusSubject$.complete()
    this.errorSubject$.complete()
  }

  private setStatus(status: ConnectionStatus): void {
    this.recordedClientClosed = status._tag === 'Closed'
    if (status._tag === 'Open') this.prices.clearRetained(isDisconnected)
    if (this.recordedClientClosed) return
    this.currentStatus = status
    this.statusSubject$.next(status)
  }
}

const reason = 'it is not in the recording'

const priceNotRecorded = (topic: string): PriceError => subscriptionRejected(topic, reason)

const depthNotRecorded = (mint: string): DepthError => unsupportedPair(mint, undefined, reason)

/** Like a live client, retains the last price, or the `Disconnected` or `Stale` that replaced it. */
const isPriceOrOutage = (event: Either<PriceError, Price>): boolean =>
  isRight(event) || event.left._tag === 'Disconnected' || event.left._tag === 'Stale'

const isDisconnected = (event: Either<PriceError, Price>): boolean =>
  isLeft(event) && event.left._tag === 'Disconnected'

const decodeErrorFrom = ({ message, input, issues }: RecordingError): DecodeError => ({
  _tag: 'DecodeError',
  message,
  input,
  issues,
})
