/// <reference lib="esnext.disposable" preserve="true" />
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subscription, type Observable } from 'rxjs'
import { writeError } from '../codec/errors.js'
import type { WriteError } from '../../../base/errors/model.js'
import { deferred } from '../../../base/task/deferred.js'
import { safeUnsubscribe } from '../../../base/task/safe-notify.js'
import { encodeLine } from '../codec/row-codec.js'
import type { RecordingHeader, Row } from '../codec/row.js'

/** Receives the lines of a recording: a Node writable, or any object with such a `write`. */
export interface LineWriter {
  /** Calls `done` when the line is written, with an error if writing failed. */
  readonly write: (line: string, done: (error?: Error | null) => void) => unknown
  /** Optional. The recorder listens for `error` events while it records, because an unhandled `error` event ends the process. */
  readonly on?: (event: 'error', failed: (error: Error) => void) => unknown
  readonly off?: (event: 'error', failed: (error: Error) => void) => unknown
}

/** The summary of a finished recording. */
export interface RecordSummary {
  /** Number of rows, without the header. */
  readonly rows: number
}

export type RecordResult = Either<WriteError, RecordSummary>

/** A recording in progress. */
export interface Recorder extends AsyncDisposable {
  /** Number of rows so far, without the header. */
  readonly rows: number
  /** Number of lines that the writable has not confirmed yet. It grows if the writable is too slow. */
  readonly pending: number
  /** Resolves when recording has ended and all lines are written, or with the error when a write fails. */
  readonly finished: Promise<RecordResult>
  /** Ends the recording. Idempotent. */
  readonly stop: () => Promise<RecordResult>
}

/** Writes rows as lines until it is stopped, or a write fails. */
export class LineRecorder implements Recorder {
  rows = 0
  pending = 0
  private readonly subscriptions = new Subscription()
  private failure: WriteError | undefined
  private onDrained: () => void = () => undefined
  private readonly result = deferred<RecordResult>()
  readonly finished = this.result.promise

  constructor(
    private readonly to: LineWriter,
    header: RecordingHeader,
    /** Called when no further line is written. Idempotent. */
    private readonly close: () => void = () => undefined,
  ) {
    try {
      to.on?.('error', this.failBy)
      this.writeLine(header)
    } catch (thrown) {
      this.failBy(thrown)
    }
  }

  /** Records these rows. `onEnd`: called when they complete. */
  record(rows$: Observable<Row>, onEnd = (): void => undefined): void {
    this.subscriptions.add(rows$.subscribe({ next: (row) => this.add(row), complete: onEnd }))
  }

  readonly stop = (): Promise<RecordResult> => {
    this.end()
    return this.finished
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  get hasEnded(): boolean {
    return this.subscriptions.closed
  }

  add(line: Row | RecordingHeader): void {
    if (this.hasEnded) return
    if (line._tag !== 'Recording') this.rows++
    this.writeLine(line)
  }

  /** Resolves when all lines are confirmed, or the recording has ended. */
  drained(): Promise<void> {
    if (this.pending === 0 || this.hasEnded) return Promise.resolve()
    return new Promise((resolve) => (this.onDrained = resolve))
  }

  /** Ends the recording with this error, unless it has failed before. */
  fail(error: WriteError): void {
    this.failure ??= error
    this.end()
  }

  private writeLine(row: Row | RecordingHeader): void {
    this.pending++
    let isPending = true
    const done = (error?: unknown): void => {
      if (isPending) this.pending--
      isPending = false
      if (error !== undefined && error !== null) this.failBy(error)
      this.settle()
    }
    try {
      this.to.write(encodeLine(row), done)
    } catch (thrown) {
      this.failBy(thrown)
      done()
    }
  }

  private readonly failBy = (thrown: unknown): void => this.fail(writeError(thrown))

  private end(): void {
    safeUnsubscribe(this.subscriptions)
    this.settle()
  }

  private settle(): void {
    if (this.pending === 0 || this.hasEnded) this.onDrained()
    if (!this.hasEnded || (this.failure === undefined && this.pending > 0)) return
    try {
      // A file may write its last lines.
      this.close()
    } catch (thrown) {
      this.failure ??= writeError(thrown)
    }
    // A Node writable emits `error` after its write callbacks, so the listener stays attached after a failure.
    if (this.failure === undefined)
      safeUnsubscribe({ unsubscribe: () => this.to.off?.('error', this.failBy) })
    this.result.resolve(this.failure === undefined ? right({ rows: this.rows }) : left(this.failure))
  }
}
