import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { RecordingError } from '../../../base/errors/model.js'
import type { EntriesResult, RecordingEntry } from './read-entries.js'

/** Reads the entries of results one by one. */
export class Cursor {
  /** The current entry. `undefined` after the last one of a piece: `refill` reads the next piece. */
  head: RecordingEntry | undefined
  /** The error that ends the results. */
  failure: RecordingError | undefined
  isOver = false
  private piece: Iterator<RecordingEntry, unknown> | undefined

  constructor(private readonly results: AsyncGenerator<EntriesResult, void>) {}

  /** Resolves when there is a current entry, or none is left. */
  async refill(): Promise<void> {
    while (this.head === undefined && !this.isOver) {
      const { done, value } = await this.results.next()
      if (done === true) this.isOver = true
      else if (isLeft(value)) {
        this.failure = value.left
        this.isOver = true
      } else {
        this.piece = value.right[Symbol.iterator]()
        this.advance()
      }
    }
  }

  advance(): void {
    const next = this.piece?.next()
    this.head = next?.done === false ? next.value : undefined
  }

  /** The results from the current entry on. */
  async *rest(): AsyncGenerator<EntriesResult, void> {
    while (!this.isOver) {
      yield right(this.restOfPiece())
      await this.refill()
    }
    if (this.failure !== undefined) yield left(this.failure)
  }

  private *restOfPiece(): Generator<RecordingEntry, void> {
    while (this.head !== undefined) {
      yield this.head
      this.advance()
    }
  }
}
