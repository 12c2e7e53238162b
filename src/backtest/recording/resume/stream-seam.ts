import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { PastEnd } from '../../../operators/past-end.js'
import { LiveStart } from '../../../operators/past-until-live.js'
import type { PricePosition } from '../../../base/domain/position.js'
import type { PriceRow, RecordingHeader, Row } from '../format/row.js'

/** Where the recorded and the live rows of a stream meet, by the positions of its prices. */
export class StreamSeam {
  private readonly past = new PastEnd(true)
  readonly live = new LiveStart()
  /** The last recorded price. */
  private last: PriceRow | undefined
  /** The time by which a live price is received after the same recorded one, by two clocks, in ms. */
  difference: number | undefined
  /** True if a price is recorded. */
  hasPast = false
  /** True if no price is missing between the recorded and the live ones. False before `end`. */
  isContinued = false
  /** The `timestamp` of the last recorded depth, in ms since the Unix epoch. */
  private depthAt = -Infinity

  onRecorded(row: Row | RecordingHeader): void {
    if (row._tag === 'Price' && isRight(row.event)) {
      this.hasPast = true
      this.last = row
      this.past.add(row.at, row.event.right.price, row.position)
    } else if (row._tag === 'Depth') this.depthAt = isRight(row.event) ? row.event.right.timestamp : -Infinity
  }

  /** A stream without positions, as those of a test client, cannot continue a recording: nothing is waited for. */
  onConfirmed(position: PricePosition | undefined): void {
    this.live.confirm(position)
    if (position === undefined) this.live.start()
  }

  /** Called for each live row before the end of the recording. */
  onLive(row: Row): void {
    if (row._tag !== 'Price' || isLeft(row.event)) this.live.start()
    else this.live.start(row.event.right, row.position)
  }

  /**
   * True if nothing more is to be read: the first live price is recorded, whose times show how far both clocks differ. `isRead`:
   * the recording has been read since the live stream started.
   */
  hasReached(isRead: boolean): boolean {
    const { position, price } = this.live
    const first = position && price ? { ...position, count: position.count + 1 } : position
    return !this.hasPast || (this.past.reaches(first) ?? isRead)
  }

  /** No further row is recorded. Without common positions, it is not known whether prices are missing. */
  end(): void {
    this.isContinued = this.past.isContinuedAfter(this.live.position)
  }

  /** True if a live row is recorded. Called for each live row, in order, after `end`. */
  isRepeated(row: Row): boolean {
    if (row._tag === 'Price') return this.isContinued && this.isRepeatedPrice(row)
    return row._tag === 'Depth' && isRight(row.event) && row.event.right.timestamp <= this.depthAt
  }

  private isRepeatedPrice({ event, position }: PriceRow): boolean {
    if (isLeft(event) || !this.past.take(event.right, position)) return false
    const { last } = this
    if (last?.position?.count === position?.count && last !== undefined)
      this.difference = event.right.receivedAt - last.at
    return true
  }
}
