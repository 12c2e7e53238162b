import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { LiveStart } from '../../../operators/continued-past.js'
import { Overlap } from '../../../operators/overlap.js'
import type { PricePosition } from '../../../base/domain/position.js'
import type { RecordingHeader, Row } from '../format/row.js'

/** Where the recorded and the live rows of a stream meet. Two prices are the same as in `withPast`. */
export class StreamSeam {
  readonly overlap = new Overlap()
  readonly live = new LiveStart()
  /** True if a price is recorded. */
  hasPast = false
  /** True if no price is missing between the recorded and the live ones. False before `end`. */
  isContinued = false
  /** The `timestamp` of the last recorded depth, in ms since the Unix epoch. */
  private depthAt = -Infinity

  onRecorded(row: Row | RecordingHeader): void {
    if (row._tag === 'Price' && isRight(row.event)) {
      this.hasPast = true
      this.overlap.add({ price: row.event.right.price, at: row.at }, row.position)
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
   * True if nothing more is to be read. `isComplete`, `isLate`: of `readRest$`. `isAlive`: the recorder has written a row since
   * the live stream started.
   */
  hasReached(isComplete: boolean, isLate: boolean, isAlive: boolean): boolean {
    if (!this.hasPast) return true
    const { position, price } = this.live
    const isFound = price === undefined || (isAlive && this.overlap.has(price))
    return this.overlap.reaches(position) ?? (isComplete && (isLate || isFound))
  }

  /** No further row is recorded. An equal value alone proves nothing: a recorder that has ended long ago may have it too. */
  end(isAlive: boolean): void {
    const { position, price } = this.live
    const isFound = isAlive && price !== undefined && this.overlap.has(price)
    this.isContinued = this.hasPast && (this.overlap.reaches(position) ?? isFound)
    this.overlap.end()
  }

  /** True if a live row is recorded. Called for each live row, in order, after `end`. */
  isRepeated(row: Row): boolean {
    if (row._tag === 'Price') return this.isContinued && this.overlap.repeats(row.event, row.position)
    return row._tag === 'Depth' && isRight(row.event) && row.event.right.timestamp <= this.depthAt
  }
}
