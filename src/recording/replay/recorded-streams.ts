import { isLeft, isRight, type Either } from 'fp-ts/lib/Either.js'
import { BehaviorSubject, Subject, type Observable } from 'rxjs'
import { isAddress, type Address } from '../../domain/address.js'
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
import type { RecordingHeader, Row } from '../format/row.js'
import { ReplayStreams } from './replay-streams.js'

/** All streams of a recording, and what is told on them. Time is not its business. */
export class RecordedStreams {
  private readonly prices: ReplayStreams<PriceError, Price>
  private readonly depths: ReplayStreams<DepthError, Depth>
  private readonly statuses$ = new BehaviorSubject<ConnectionStatus>({ _tag: 'Idle' })
  private readonly uncorrelated$ = new Subject<UncorrelatedError>()
  /** The recorded client was closed. Neither that nor the end of its streams with it is that of these. */
  private wasClosed = false

  readonly status$ = this.statuses$.asObservable()
  readonly errors$ = this.uncorrelated$.asObservable()

  /** Somebody comes to listen to a price or a depth: `joined` returns what is to be done when they leave. */
  constructor(joined: () => () => void) {
    this.prices = new ReplayStreams({ holds: isCurrent, missing: notRecorded, joined })
    this.depths = new ReplayStreams({ holds: () => true, missing: notSupported, joined })
  }

  get status(): ConnectionStatus {
    return this.statuses$.value
  }

  price$(topic: Topic): Observable<Either<PriceError, Price>> {
    return this.prices.event$(topic)
  }

  depth$(mint: Address): Observable<Either<DepthError, Depth>> {
    return this.depths.event$(mint)
  }

  tell(row: Row | RecordingHeader): void {
    switch (row._tag) {
      case 'Recording':
        this.wasClosed = false
        this.prices.record(row.topics)
        return this.depths.record(row.mints)
      case 'Price':
        return this.prices.tell(row.topic, row.event)
      case 'Depth':
        return this.depths.tell(row.mint, row.event)
      case 'End':
        if (this.wasClosed) return undefined
        return isAddress(row.of) ? this.depths.end(row.of) : this.prices.end(row.of)
      case 'Status':
        return this.turn(row.status)
      case 'Uncorrelated':
        return this.uncorrelated$.next(row.error)
    }
  }

  private turn(status: ConnectionStatus): void {
    this.wasClosed = status._tag === 'Closed'
    if (status._tag === 'Open') this.prices.release(isDown)
    if (!this.wasClosed) this.statuses$.next(status)
  }

  /** The recording is over; where it could not be read to its end, every stream says so first. */
  end(error: RecordingError | undefined): void {
    const parting = error === undefined ? undefined : asDecodeError(error)
    this.prices.endAll(parting)
    this.depths.endAll(parting)
  }
}

const reason = 'it is not in the recording'

const notRecorded = (topic: string): PriceError => subscriptionRejected(topic, reason)

const notSupported = (mint: string): DepthError => unsupportedPair(mint, undefined, reason)

/** A price holds until something else is known; so does what says that there is none. */
const isCurrent = (event: Either<PriceError, Price>): boolean =>
  isRight(event) || event.left._tag === 'Disconnected' || event.left._tag === 'Stale'

const isDown = (event: Either<PriceError, Price>): boolean =>
  isLeft(event) && event.left._tag === 'Disconnected'

const asDecodeError = ({ message, input, issues }: RecordingError): DecodeError => ({
  _tag: 'DecodeError',
  message,
  input,
  issues,
})
