import { opendir, stat, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Topic } from '../../base/domain/topic.js'
import { parseRotatedPath, rotatedPath } from '../../backtest/recording/codec/rotated-path.js'
import type { HistorySetup } from '../options.js'

/** Time between the starts of two files of a topic, in ms. */
export const filePeriod = 3_600_000

/** A file of a history. Its path is computed, because a folder may have many files. */
export interface HistoryFile {
  readonly topic: Topic
  /** The time in its name, in ms since the Unix epoch. */
  readonly startAt: number
  /** The number of the files with this time in their names, up to this one. */
  readonly number: number
  /** No row was written at this time or later, in ms of the steady time. */
  readonly endsBy: number
  bytes: number
}

type FolderLimits = Pick<HistorySetup, 'keep' | 'maxBytes'>

/** Names that are read from the folder at once, and files whose sizes are. */
const namesPerSlice = 512
const filesPerSlice = 64

/**
 * The files of all topics in a folder. The folder is listed once, asynchronously; afterwards, the index knows the files
 * that are added and deleted. A file that somebody else has removed is forgotten when it cannot be read.
 *
 * Files expire by the steady time, which begins as the time of day and then runs monotonically: a clock that is set
 * neither deletes young files nor keeps old ones. At the start, the age of a file is that of its name; if its name is of
 * the future, because a clock was ahead, that of its last change.
 */
export class FolderIndex {
  /** In the order of their names. */
  private readonly files = new Map<Topic, HistoryFile[]>()
  /** All files, the oldest first. */
  private readonly byAge = new Set<HistoryFile>()
  private bytes = 0
  private deletion: Promise<void> | undefined

  private constructor(
    private readonly folder: string,
    /** In ms since the Unix epoch at the start. */
    private readonly steadyTime: () => number,
  ) {}

  /** Lists the folder. Rejects if it cannot be read. */
  static async open(folder: string, steadyTime: () => number): Promise<FolderIndex> {
    const index = new FolderIndex(folder, steadyTime)
    const names: string[] = []
    for await (const { name } of await opendir(folder, { bufferSize: namesPerSlice })) names.push(name)
    const found: HistoryFile[] = []
    for (let at = 0; at < names.length; at += filesPerSlice) {
      const files = await Promise.all(names.slice(at, at + filesPerSlice).map((name) => index.found(name)))
      found.push(...files.filter((file) => file !== undefined))
    }
    found.sort((a, b) => a.endsBy - b.endsBy || byName(a, b))
    for (const file of found) index.insert(file)
    return index
  }

  /** The topics with files. Their addresses are in lower case. */
  get topics(): readonly Topic[] {
    return [...this.files.keys()]
  }

  /** The files of a topic, in the order of their names. */
  filesOf(topic: Topic): readonly HistoryFile[] {
    return [...(this.files.get(topic) ?? [])]
  }

  pathOf({ topic, startAt, number }: HistoryFile): string {
    return rotatedPath(join(this.folder, `${topic}.ndjson`), startAt, false, number)
  }

  /** A file that is created now. Somebody may have removed an earlier file of this name. */
  add(path: string): HistoryFile {
    const named = fileOf(basename(path))
    if (named === undefined) throw new Error('the path is none of a history')
    const added = { ...named, endsBy: this.steadyTime() + filePeriod }
    this.forgetNamed(added)
    this.insert(added)
    return added
  }

  grow(file: HistoryFile, bytes: number): void {
    if (!this.byAge.has(file)) return
    file.bytes += bytes
    this.bytes += bytes
  }

  isLargerThan(maxBytes: number): boolean {
    return this.bytes > maxBytes
  }

  /** Deletes files without a row younger than `keep` ms, and the oldest beyond `maxBytes`. Calls `onDelete` before. Never rejects. */
  deleteOld(limits: FolderLimits, onDelete: (file: HistoryFile) => void): Promise<void> {
    this.deletion ??= this.deleteBeyond(limits, onDelete).finally(() => (this.deletion = undefined))
    return this.deletion
  }

  /** Forgets a file that no longer exists. Resolves to false for one that does. */
  async forgetMissing(path: string): Promise<boolean> {
    const isMissing = !(await stat(path).then(() => true, isOtherError))
    const file = fileOf(basename(path))
    if (isMissing && file !== undefined) this.forgetNamed(file)
    return isMissing
  }

  private forgetNamed(named: HistoryFile): void {
    for (const file of this.filesOf(named.topic)) if (byName(file, named) === 0) this.forget(file)
  }

  private insert(file: HistoryFile): void {
    const files = this.files.get(file.topic) ?? []
    files.splice(files.findLastIndex((each) => byName(each, file) < 0) + 1, 0, file)
    this.files.set(file.topic, files)
    this.byAge.add(file)
    this.bytes += file.bytes
  }

  private forget(file: HistoryFile): void {
    const files = this.files.get(file.topic)
    if (!this.byAge.delete(file) || files === undefined) return
    files.splice(files.indexOf(file), 1)
    if (files.length === 0) this.files.delete(file.topic)
    this.bytes -= file.bytes
  }

  private async deleteBeyond(
    { keep, maxBytes }: FolderLimits,
    onDelete: (file: HistoryFile) => void,
  ): Promise<void> {
    const expired = this.steadyTime() - keep
    for (const file of this.byAge) {
      if (file.endsBy > expired && !this.isLargerThan(maxBytes)) return
      onDelete(file)
      // Windows deletes no file that another program has open. A later call tries it again.
      const isKept = await unlink(this.pathOf(file)).then(() => false, isOtherError)
      if (!isKept) this.forget(file)
    }
  }

  /** `undefined` if the file is none of a history. Deletes a file that a crash has left without a header. */
  private async found(name: string): Promise<HistoryFile | undefined> {
    const file = fileOf(name)
    const path = join(this.folder, name)
    const stats = file && (await stat(path).catch(() => undefined))
    if (file === undefined || stats === undefined) return undefined
    const { size: bytes, mtimeMs } = stats
    if (bytes === 0) {
      await unlink(path).catch(() => undefined)
      return undefined
    }
    const now = this.steadyTime()
    return { ...file, bytes, endsBy: file.startAt > now ? Math.min(mtimeMs, now) : file.endsBy }
  }
}

/** The empty file of a name like `svc-0xab.2026-11-22T10-00-00Z.ndjson`; `undefined` for any other name. */
const fileOf = (name: string): HistoryFile | undefined => {
  const { start: topic = '', at: startAt = NaN, number = 1, end } = parseRotatedPath(name) ?? {}
  if (end !== '.ndjson' || !/^[\w-]+-0x[0-9a-f]+$/.test(topic)) return undefined
  const endsBy = startAt - (startAt % filePeriod) + filePeriod
  return { topic: topic as Topic, startAt, number, endsBy, bytes: 0 }
}

const byName = (a: HistoryFile, b: HistoryFile): number => a.startAt - b.startAt || a.number - b.number

/** False if the file does not exist. */
const isOtherError = (error: unknown): boolean => (error as NodeJS.ErrnoException).code !== 'ENOENT'
