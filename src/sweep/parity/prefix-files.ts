import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import {
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
import { isLeft } from 'fp-ts/lib/Either.js'
import { sweepError } from '../../errors/sweep-error.js'
import { nodePlatform } from '../../recording/on-node.js'
import { gzipStart, openableSource } from '../../recording/read/source.js'
import { firstLines, textOf, type Lines } from '../first-lines.js'
import type { Job, Output, StandIn, WorkerFile, WorkerMessage } from '../messages.js'
import { runInThread$, runJobs$, type ThreadEnded, type WorkerProgram } from '../worker-pool.js'
import type { PrefixRuns } from './find-look-ahead.js'

/** A line of a recording. */
export interface LinePosition {
  readonly source: string
  /** Number of the line in its source, from 1. */
  readonly line: number
  /** The `at` of the line, in ms since the Unix epoch; `undefined` if it has none. */
  readonly at: number | undefined
}

/** Files with the first lines of a recording. */
export interface Prefix {
  readonly files: readonly WorkerFile[]
  /** One file per file of the recording: the file itself, if the prefix is the whole recording. */
  readonly standIns: readonly StandIn[]
  readonly remove: () => void
}

/**
 * Writes the first lines of a recording to files of its own. Lines are counted over all files, headers included, without empty
 * ones. The methods reject if a file cannot be read or written.
 */
export class PrefixFiles {
  private written = 0
  private total = Infinity

  /** `folder`: a folder of the caller for the prefixes. */
  constructor(
    private readonly paths: readonly string[],
    private readonly folder: string,
  ) {}

  /** The number of lines. */
  async count(): Promise<number> {
    let count = 0
    for (const path of this.paths) for await (const part of linesOf(path, Infinity)) count += part.lines
    return (this.total = count)
  }

  /** The position of a line, from 1. */
  async locate(line: number): Promise<LinePosition> {
    let left = line
    for (const path of this.paths) {
      let last: Lines | undefined
      for await (const part of linesOf(path, left)) {
        left -= part.lines
        last = part
        if (left === 0) break
      }
      if (left === 0 && last !== undefined)
        return { source: path, line: last.lineNumber, at: timeOf(last.lastLine) }
    }
    throw new Error(`the recording has no line ${line}: it has changed`)
  }

  /** The recording itself, so that an error names it. */
  get whole(): Prefix {
    const files = this.paths.map((name) => ({ kind: 'path', name }) as const)
    const standIns = this.paths.map((path) => ({ path, standIn: path }))
    return { files, standIns, remove: () => undefined }
  }

  /** Writes the first `lines` lines. A file after them is no part of the prefix; its stand-in is empty. */
  async write(lines: number): Promise<Prefix> {
    if (lines >= this.total) return this.whole
    const folder = join(this.folder, String(this.written++))
    mkdirSync(folder)
    let left = lines
    const files: WorkerFile[] = []
    const standIns: StandIn[] = []
    for (const [index, path] of this.paths.entries()) {
      const standIn = join(folder, `${index}-${basename(path)}`)
      if (left > 0) files.push({ kind: 'path', name: standIn })
      left -= await copyLines(path, standIn, left)
      standIns.push({ path, standIn })
    }
    return { files, standIns, remove: () => removeFolder(folder) }
  }
}

/** Windows keeps a folder until a thread that was terminated has closed its files: it is tried again for up to 1.5 s. */
export const removeFolder = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })

/** Copies at most `most` lines, compressed like the source. Returns their number. */
const copyLines = async (path: string, to: string, most: number): Promise<number> => {
  const isGzip = firstByte(path) === gzipStart
  const file = openSync(to, 'w')
  try {
    let lines = 0
    for await (const part of linesOf(path, most)) {
      // Members of gzip data may follow each other.
      writeWhole(file, isGzip ? gzipSync(part.bytes, { level: 1 }) : part.bytes)
      lines += part.lines
    }
    return lines
  } finally {
    closeSync(file)
  }
}

const linesOf = (path: string, most: number): AsyncIterable<Lines> =>
  firstLines(openableSource(nodePlatform, path), most)

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

const timeOf = (line: Uint8Array): number | undefined => {
  const { at } = JSON.parse(textOf(line)) as { readonly at?: unknown }
  return typeof at === 'number' ? at : undefined
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
  const common = { replay: {}, strategy, reportsRows: false }

  const run$: PrefixRuns['run$'] = (lines) =>
    defer(() => recording.write(lines)).pipe(
      switchMap(({ files, standIns, remove }: Prefix) => {
        const job = { ...common, files, tasks: [{ index: 0, parameter }], trace: { standIns } }
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
    const { files, standIns } = recording.whole
    const tasks = prefixes.map((_, index) => ({ index, parameter }))
    return start$({ ...common, files, tasks, trace: { standIns, prefixes } }).pipe(
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
