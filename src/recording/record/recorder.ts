/// <reference lib="esnext.disposable" preserve="true" />
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subscription, type Observable } from 'rxjs'
import { writeError } from '../../errors/constructors.js'
import type { WriteError } from '../../errors/model.js'
import { deferred } from '../../task/deferred.js'
import { encodeRow, type RecordingHeader, type Row } from '../format/row.js'

/** Where lines go: any writable of Node, or whatever takes text and says when it has. */
export interface LineWriter {
  readonly write: (line: string, done: (error?: Error | null) => void) => unknown
  /** Where it has them, it is listened to for errors while the recording goes on: one that nobody hears ends the process. */
  readonly on?: (event: 'error', failed: (error: Error) => void) => unknown
  readonly off?: (event: 'error', failed: (error: Error) => void) => unknown
}

/** What was recorded. */
export interface RecordSummary {
  /** Rows, the header not among them. */
  readonly rows: number
}

export type RecordResult = Either<WriteError, RecordSummary>

/** A recording that is being made. */
export interface Recorder extends AsyncDisposable {
  /** Rows so far. */
  readonly rows: number
  /** Lines that the writable has not taken yet: where they become ever more, it is too slow. */
  readonly pending: number
  /** Resolves when nothing more is written, and all that was is taken; to the error, where writing failed. */
  readonly finished: Promise<RecordResult>
  /** Ends the recording. Idempotent. */
  readonly stop: () => Promise<RecordResult>
}

/** Writes rows as they come, until it is stopped, all that it follows to the end has ended, or writing fails. */
export class LineRecorder implements Recorder {
  rows = 0
  pending = 0
  private readonly following = new Subscription()
  private failure: WriteError | undefined
  private readonly result = deferred<RecordResult>()
  readonly finished = this.result.promise

  constructor(
    private readonly to: LineWriter,
    header: RecordingHeader,
  ) {
    to.on?.('error', this.fail)
    this.write(header)
  }

  /** Rows are recorded as long as the recording goes on. */
  follow(rows$: Observable<Row>): void {
    this.following.add(rows$.subscribe((row) => this.record(row)))
  }

  /** The recording ends with these rows. */
  followToEnd(rows$: Observable<Row>): void {
    this.following.add(rows$.subscribe({ next: (row) => this.record(row), complete: () => this.end() }))
  }

  readonly stop = (): Promise<RecordResult> => {
    this.end()
    return this.finished
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  private record(row: Row): void {
    if (this.following.closed) return
    this.rows++
    this.write(row)
  }

  private write(row: Row | RecordingHeader): void {
    this.pending++
    const done = (error?: Error | null): void => {
      this.pending--
      if (error instanceof Error) this.fail(error)
      this.settle()
    }
    try {
      this.to.write(`${encodeRow(row)}\n`, done)
    } catch (thrown) {
      this.pending--
      this.fail(thrown)
    }
  }

  private readonly fail = (thrown: unknown): void => {
    this.failure ??= writeError(thrown)
    this.end()
  }

  private end(): void {
    this.following.unsubscribe()
    this.settle()
  }

  private settle(): void {
    if (!this.following.closed) return
    if (this.failure !== undefined) {
      // A writable tells its errors after its callbacks: it is listened to for good.
      this.result.settle(left(this.failure))
    } else if (this.pending === 0) {
      this.to.off?.('error', this.fail)
      this.result.settle(right({ rows: this.rows }))
    }
  }
}
