import { setImmediate as turn } from 'node:timers/promises'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Observable, ReplaySubject, Subscription, takeUntil } from 'rxjs'
import { clientClosed } from '../../errors/constructors.js'
import type { ClientClosed, RecordingError } from '../../errors/model.js'
import { deferred } from '../../task/deferred.js'
import type { RecordingSource } from '../format/lines.js'
import { entriesOf } from '../format/read.js'
import type { RecordingHeader, Row } from '../format/row.js'
import { waitFor, type Pace } from './pace.js'
import { RecordedStreams } from './recorded-streams.js'

/** Rows after which the event loop has its turn, so that other work is not held up. */
const burst = 256

/** What was told of a recording. */
export interface ReplaySummary {
  /** Rows. */
  readonly rows: number
}

export type ReplayResult = Either<RecordingError, ReplaySummary>

export type HeaderResult = Either<RecordingError | ClientClosed, RecordingHeader>

/**
 * Reads a recording and tells it row by row, each at its time. It goes on only while somebody listens, and reads no
 * further than it has told: a recording of any length takes little memory.
 */
export class Playback {
  readonly streams = new RecordedStreams(() => this.joined())
  private readonly closing = new Subscription()
  private readonly ended$ = new ReplaySubject<void>(1)
  private readonly result = deferred<ReplayResult>()
  private readonly opened = deferred<HeaderResult>()
  private started = false
  private rows = 0
  private listeners = 0
  private awaited: (() => void) | undefined
  /** The wait for a row's time, which ends early where nobody is left to hear it. */
  private waiting = new Subscription()

  constructor(
    private readonly source: RecordingSource,
    private readonly pace: Pace,
  ) {}

  /** Resolves when the recording is over, cannot be read on, or is closed. */
  get finished(): Promise<ReplayResult> {
    return this.result.promise
  }

  /** The first line. Asking for it is no listening: time stands still. */
  header(): Promise<HeaderResult> {
    this.start()
    return this.opened.promise
  }

  /** What is subscribed to and unsubscribed from in the recording's time, from its first moment to its last. */
  runInRecordingTime$<A>(inside$: Observable<A>): Observable<A> {
    const lived$ = new Observable<A>((subscriber) => {
      const inside = new Subscription()
      subscriber.add(() => this.within(() => inside.unsubscribe()))
      subscriber.add(this.joined())
      void this.opened.promise.then(() => {
        if (!subscriber.closed) this.within(() => inside.add(inside$.subscribe(subscriber)))
      })
    })
    return lived$.pipe(takeUntil(this.ended$))
  }

  /** Does something in the recording's time. */
  within<A>(work: () => A): A {
    return this.pace.within(work)
  }

  close(): void {
    this.closing.unsubscribe()
    this.waiting.unsubscribe()
    this.awaited?.()
    this.ended$.next()
    this.opened.settle(left(clientClosed))
    this.result.settle(right({ rows: this.rows }))
  }

  private joined(): () => void {
    this.listeners++
    this.awaited?.()
    this.start()
    return () => {
      this.listeners--
      if (this.listeners === 0) this.waiting.unsubscribe()
    }
  }

  private start(): void {
    if (this.started) return
    this.started = true
    void this.play()
  }

  private async play(): Promise<void> {
    for await (const entries of entriesOf(this.source, this.closing)) {
      for (const entry of entries) {
        if (isLeft(entry)) return this.end(entry.left)
        await this.timeOf(entry.right)
        if (this.closing.closed) return
        this.tell(entry.right)
        if (entry.right._tag === 'Recording' || this.rows % burst === 0) await turn()
      }
    }
    return this.end(undefined)
  }

  private tell(row: Row | RecordingHeader): void {
    if (row._tag !== 'Recording') this.rows++
    this.pace.at(row.at, () => this.streams.tell(row))
    if (row._tag === 'Recording') this.opened.settle(right(row))
  }

  /** Resolves when a row is to be told, or at once after the close. Only a header is told to nobody. */
  private async timeOf({ _tag, at }: Row | RecordingHeader): Promise<void> {
    while (!this.closing.closed) {
      if (_tag !== 'Recording' && this.listeners === 0) await this.somebody()
      const wait = this.pace.wait(at)
      if (wait <= 0) return
      await waitFor(wait, (this.waiting = new Subscription()))
    }
  }

  /** Nobody listens: time stands still. */
  private async somebody(): Promise<void> {
    this.pace.pause()
    while (this.listeners === 0 && !this.closing.closed) {
      await new Promise<void>((resolve) => {
        this.awaited = resolve
      })
    }
    this.awaited = undefined
    this.pace.resume()
  }

  private async end(error: RecordingError | undefined): Promise<void> {
    if (error !== undefined) this.opened.settle(left(error))
    // Who has waited for the beginning is to hear of the end.
    await turn()
    if (this.closing.closed) return
    this.within(() => {
      this.streams.end(error)
      this.ended$.next()
    })
    this.result.settle(error === undefined ? right({ rows: this.rows }) : left(error))
  }
}
