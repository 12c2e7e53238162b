import { closeSync, mkdirSync, openSync, readSync, realpathSync, rmSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { defer, filter, finalize, map, Subscription, switchMap } from 'rxjs'
import { isLeft } from 'fp-ts/lib/Either.js'
import { sweepError } from '../../errors/sweep-error.js'
import { nodePlatform } from '../../recording/on-node.js'
import { lineEnd, readWholeLines } from '../../recording/read/read-entries.js'
import { gzipStart, openableSource } from '../../recording/read/source.js'
import type { Job, Output, StandIn, WorkerFile } from '../messages.js'
import { runInThread$, runJobs$, type WorkerProgram } from '../worker-pool.js'
import type { RunPrefix$ } from './find-look-ahead.js'

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
  /** Each file of the recording has one, unless the prefix is the recording. */
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
    for (const path of this.paths) for await (const part of partsOf(path, Infinity)) count += part.lines
    return (this.total = count)
  }

  /** The position of a line, from 1. */
  async locate(line: number): Promise<LinePosition> {
    let left = line
    for (const path of this.paths) {
      let last: Part | undefined
      for await (const part of partsOf(path, left)) {
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
  private get whole(): Prefix {
    const files = this.paths.map((name) => ({ kind: 'path', name }) as const)
    return { files, standIns: [], remove: () => undefined }
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
      standIns.push({ path: realpathSync(path), standIn })
    }
    return { files, standIns, remove: () => rmSync(folder, { recursive: true, force: true }) }
  }
}

/** Copies at most `most` lines, compressed like the source. Returns their number. */
const copyLines = async (path: string, to: string, most: number): Promise<number> => {
  const isGzip = firstByte(path) === gzipStart
  const file = openSync(to, 'w')
  try {
    let lines = 0
    if (most > 0) {
      for await (const part of partsOf(path, most)) {
        // Members of gzip data may follow each other.
        writeWhole(file, isGzip ? gzipSync(part.bytes, { level: 1 }) : part.bytes)
        lines += part.lines
      }
    }
    return lines
  } finally {
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

/** Whole lines of a file. */
interface Part {
  readonly bytes: Uint8Array
  /** Number of lines in it that are not empty. */
  readonly lines: number
  /** The last of these, and its number in the file, from 1. */
  readonly lastLine: Uint8Array
  readonly lineNumber: number
}

/** The first lines of a file, at most `most` that are not empty. */
async function* partsOf(path: string, most: number): AsyncGenerator<Part, void> {
  const closing = new Subscription()
  let left = most
  let lineNumber = 0
  try {
    for await (const bytes of readWholeLines(openableSource(nodePlatform, path).open(closing), closing)) {
      let lines = 0
      let end = 0
      let last: Pick<Part, 'lastLine' | 'lineNumber'> = { lastLine: bytes, lineNumber }
      while (end < bytes.length && lines < left) {
        const start = end
        const at = bytes.indexOf(lineEnd, start)
        end = at < 0 ? bytes.length : at + 1
        lineNumber++
        const line = bytes.subarray(start, end)
        if (isEmpty(line)) continue
        lines++
        last = { lastLine: line, lineNumber }
      }
      left -= lines
      yield { bytes: bytes.subarray(0, end), lines, ...last }
      if (left === 0) return
    }
  } finally {
    closing.unsubscribe()
  }
}

const isEmpty = (line: Uint8Array): boolean => (line[0] ?? 0) <= 0x20 && textOf(line).trim() === ''

const textOf = (line: Uint8Array): string => new TextDecoder().decode(line)

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
 * Runs a strategy over the first lines of a recording, in a thread of its own. Each file of the recording that the strategy reads
 * by itself has only these lines, too. Fails if the run has no result.
 */
export const runPrefixes =
  ({ program, recording, strategy, parameter }: PrefixRun): RunPrefix$ =>
  (lines) =>
    defer(() => recording.write(lines)).pipe(
      switchMap(({ files, standIns, remove }: Prefix) => {
        const tasks = [{ index: 0, parameter }]
        const job: Job = { files, replay: {}, strategy, tasks, reportsRows: false, trace: standIns }
        return runJobs$([job], 1, (each) => runInThread$(program, each)).pipe(finalize(remove))
      }),
      filter((message) => message._tag === 'Result'),
      map(({ outcome }) => {
        if (!isLeft(outcome)) return outcome.right.values as readonly Output[]
        const { message } = sweepError(parameter, outcome.left)
        throw new Error(outcome.left.why === 'module' ? message : `the run over ${lines} lines: ${message}`)
      }),
    )
