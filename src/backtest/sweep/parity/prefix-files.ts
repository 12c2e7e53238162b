import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import {
  Subscription,
  BehaviorSubject,
  defer,
  filter,
  finalize,
  map,
  switchMap,
  takeUntil,
  takeWhile,
  tap,
  type Observable,
} from 'rxjs'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { RecordingError } from '../../../base/errors/model.js'
import { sweepError } from '../../../base/errors/sweep-error.js'
import { nodePlatform } from '../../recording/on-node.js'
import { allTimes } from '../../recording/format/timeline.js'
import { endOfLine, readWholeLines, type RecordingEntry } from '../../recording/read/read-entries.js'
import { readFirstLines } from '../../recording/read/recording-set.js'
import { gzipStart, openableSource, openableSources } from '../../recording/read/source.js'
import type { Job, Output, StandIn, WorkerFile, WorkerMessage } from '../messages.js'
import { runInThread$, runJobs$, type ThreadEnded, type WorkerProgram } from '../worker-pool.js'
import type { PrefixRuns } from './find-look-ahead.js'

/** A line of a recording. */
export interface LinePosition {
  readonly source: string
  /** Number of the line in its source, from 1. */
  readonly line: number
  /** The `at` of the line, in ms since the Unix epoch. */
  readonly at: number
}

/** Files with the first lines of a recording, which a strategy reads instead of the recording. */
export interface Prefix {
  /** One file per file of the recording: the file itself, if the prefix is the whole recording. */
  readonly standIns: readonly StandIn[]
  readonly remove: () => void
}

/**
 * Writes the first lines of a recording to files of its own. Lines are counted in the order in which all files are played, headers
 * included. The methods reject if a file cannot be read or written.
 */
export class PrefixFiles {
  private written = 0
  private total = Infinity

  /** `folder`: a folder of the caller for the prefixes. */
  constructor(
    private readonly paths: readonly string[],
    private readonly folder: string,
  ) {}

  get files(): readonly WorkerFile[] {
    return this.paths.map((name) => ({ kind: 'path', name }))
  }

  /** The number of lines, or the error of a line that cannot be read. */
  async count(): Promise<Either<RecordingError, number>> {
    let count = 0
    const failure = await this.forEachLine(Infinity, () => count++)
    this.total = count
    return failure === undefined ? right(count) : left(failure)
  }

  /** The position of a line, from 1. */
  async locate(line: number): Promise<LinePosition> {
    let position: LinePosition | undefined
    let count = 0
    await this.forEachLine(line, ({ line: { at }, origin }) => {
      count++
      position = { source: origin.source, line: origin.lineNumber, at }
    })
    if (position !== undefined && count === line) return position
    throw new Error(`the recording has no line ${line}: it has changed`)
  }

  /** The recording itself, so that an error names it. */
  get whole(): Prefix {
    return { standIns: this.paths.map((path) => ({ path, standIn: path })), remove: () => undefined }
  }

  /** Writes the first `lines` lines. The stand-in of a file without any of them is empty. */
  async write(lines: number): Promise<Prefix> {
    if (lines >= this.total) return this.whole
    const folder = join(this.folder, String(this.written++))
    mkdirSync(folder)
    const last = new Map<string, number>()
    await this.forEachLine(lines, ({ origin }) => last.set(origin.source, origin.lineNumber))
    const standIns: StandIn[] = []
    for (const [index, path] of this.paths.entries()) {
      const standIn = join(folder, `${index}-${basename(path)}`)
      await copyLines(path, standIn, last.get(path) ?? 0)
      standIns.push({ path, standIn })
    }
    return { standIns, remove: () => removeFolder(folder) }
  }

  /** Calls back for each of the first lines. Resolves with the error that ends them. */
  private async forEachLine(
    lines: number,
    onLine: (entry: RecordingEntry) => void,
  ): Promise<RecordingError | undefined> {
    const closing = new Subscription()
    const reading = { range: allTimes, closing }
    try {
      const sources = openableSources(nodePlatform, this.paths)
      for await (const entries of readFirstLines(sources, reading, lines)) {
        if (isLeft(entries)) return entries.left
        for (const entry of entries.right) onLine(entry)
      }
      return undefined
    } finally {
      closing.unsubscribe()
    }
  }
}

/** Windows keeps a folder until a thread that was terminated has closed its files: it is tried again for up to 1.5 s. */
export const removeFolder = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })

/** Copies the first lines, compressed like the source. */
const copyLines = async (path: string, to: string, lines: number): Promise<void> => {
  const isGzip = firstByte(path) === gzipStart
  const file = openSync(to, 'w')
  const closing = new Subscription()
  let remaining = lines
  try {
    const source = openableSource(nodePlatform, path)
    for await (const bytes of readWholeLines(source.open(closing), closing)) {
      let end = 0
      for (; remaining > 0 && end < bytes.length; remaining--) end = endOfLine(bytes, end)
      // Members of gzip data may follow each other.
      if (end > 0)
        writeWhole(file, isGzip ? gzipSync(bytes.subarray(0, end), { level: 1 }) : bytes.subarray(0, end))
      if (remaining === 0) return
    }
  } finally {
    closing.unsubscribe()
    closeSync(file)
  }
}

const firstByte = (path: string): number | undefined => {
  const file = openSync(path, 'r')
  try {
    const bytes = new Uint8Array(1)
    return readSync(file, bytes, 0, 1, 0) === 0 ? undefined : bytes[0]
  } finally {
    closeSync(file)
  }
}

const writeWhole = (file: number, bytes: Uint8Array): void => {
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written)
}

interface PrefixRun {
  readonly program: WorkerProgram
  readonly recording: PrefixFiles
  /** The URL of the strategy's module. */
  readonly strategy: string
  readonly parameter: unknown
}

/**
 * Runs a strategy over prefixes of a recording. A run fails if it has no result.
 *
 * Prefixes that run together share a thread, in which each has a new instance of the strategy's module. The strategy
 * may keep state elsewhere, such as in a module that it imports. This state is from earlier, shorter prefixes: it
 * contains no later line, but it may change the outputs. Runs together end if the thread ends, or if the strategy in
 * any thread has read a file of the recording itself.
 */
export const prefixRuns = ({ program, recording, strategy, parameter }: PrefixRun): PrefixRuns => {
  const hasRead$ = new BehaviorSubject(false)
  const start$ = (job: Job): Observable<WorkerMessage | ThreadEnded> =>
    runInThread$(program, job).pipe(
      tap(({ _tag }) => {
        if (_tag === 'RecordingRead') hasRead$.next(true)
      }),
    )
  const common = { files: recording.files, replay: {}, strategy, reportsRows: false }

  const run$: PrefixRuns['run$'] = (lines) =>
    defer(() => recording.write(lines)).pipe(
      switchMap(({ standIns, remove }: Prefix) => {
        const job = { ...common, tasks: [{ index: 0, parameter }], trace: { standIns, lines } }
        return runJobs$([job], 1, start$).pipe(finalize(remove))
      }),
      filter((message) => message._tag === 'Result'),
      map(({ outcome }) => {
        if (!isLeft(outcome)) return outcome.right.values as readonly Output[]
        const { message } = sweepError(parameter, outcome.left)
        throw new Error(outcome.left.why === 'module' ? message : `the run over ${lines} lines: ${message}`)
      }),
    )

  const runTogether$: PrefixRuns['runTogether$'] = (prefixes) => {
    const { standIns } = recording.whole
    const tasks = prefixes.map((_, index) => ({ index, parameter }))
    return start$({ ...common, tasks, trace: { standIns, prefixes } }).pipe(
      map(outputsOf),
      takeWhile((outputs) => outputs !== undefined),
      takeUntil(hasRead$.pipe(filter((hasRead) => hasRead))),
    )
  }

  return { run$, runTogether$ }
}

/** The outputs of a prefix; `undefined` for any other message. */
const outputsOf = (message: WorkerMessage | ThreadEnded): readonly Output[] | undefined =>
  message._tag === 'Result' && !isLeft(message.outcome)
    ? (message.outcome.right.values as readonly Output[])
    : undefined
