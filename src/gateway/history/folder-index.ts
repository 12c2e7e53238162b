import { opendir, stat, unlink, utimes } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Topic } from '../../base/domain/topic.js'
import { rotatedStart } from '../../backtest/recording/past/recorded-file.js'
import { rotatedPath } from '../../backtest/recording/record/rotating-file.js'

/** Time between the starts of two files of a topic, in ms. */
export const filePeriod = 3_600_000

/** A file of a history. Its path is computed, because a folder may have many files. */
export interface HistoryFile {
  /** The time in its name, in ms since the Unix epoch. */
  readonly startAt: number
  /** The number of the files with this time in their names, up to this one. */
  readonly number: number
  /** No row was written at this time or later, in ms of the steady time. */
  readonly endsBy: number
}

/** `svc-0xab.2026-11-22T10-00-00Z.ndjson`: the time is in UTC. A number follows it if the name was taken. */
const filePattern = /^([\w-]+-0x[0-9a-f]+)\.[^._]+(?:_(\d+))?\.ndjson$/

/** Names that are read from the folder at once. */
const namesPerSlice = 512

/**
 * The files of all topics in a folder. The folder is listed once, asynchronously; afterwards, the index knows the files
 * that are added and deleted. A file that somebody else has removed is forgotten when it is read.
 *
 * Files expire by the steady time, which begins as the time of day and then runs monotonically: a clock that is set
 * neither deletes young files nor keeps old ones. At the start, the age of a file is that of its name. If its name is of
 * the future, because a clock was ahead, its age is that of its last change. If that is in the future too, it is set to
 * now, so that later starts count from now.
 */
export class FolderIndex {
  private readonly files = new Map<Topic, Set<HistoryFile>>()
  /** The files in the order of their names, of the topics that were read since their last change. */
  private readonly ordered = new Map<Topic, readonly HistoryFile[]>()
  private deletion: Promise<void> | undefined

  private constructor(
    private readonly folder: string,
    /** In ms since the Unix epoch at the start. */
    private readonly steadyTime: () => number,
  ) {}

  /** Lists the folder. Rejects if it cannot be read. */
  static async open(folder: string, steadyTime: () => number): Promise<FolderIndex> {
    const index = new FolderIndex(folder, steadyTime)
    const ofFuture: string[] = []
    for await (const { name } of await opendir(folder, { bufferSize: namesPerSlice })) {
      const startAt = rotatedStart(name) ?? NaN
      if (startAt > steadyTime()) ofFuture.push(name)
      else index.insert(name, startAt - (startAt % filePeriod) + filePeriod)
    }
    for (const name of ofFuture) index.insert(name, await index.lastChange(name))
    return index
  }

  /** The topics with files. Their addresses are in lower case. */
  get topics(): readonly Topic[] {
    return [...this.files.keys()]
  }

  /** The files of a topic, in the order of their names. */
  filesOf(topic: Topic): readonly HistoryFile[] {
    const known = this.ordered.get(topic)
    if (known !== undefined) return known
    const files = [...(this.files.get(topic) ?? [])]
    files.sort((a, b) => a.startAt - b.startAt || a.number - b.number)
    if (files.length > 0) this.ordered.set(topic, files)
    return files
  }

  pathOf(topic: Topic, { startAt, number }: HistoryFile): string {
    return rotatedPath(join(this.folder, `${topic}.ndjson`), startAt, false, number)
  }

  /** A file that is created now. Somebody may have removed an earlier file of this name. */
  add(topic: Topic, path: string): void {
    const added = this.insert(basename(path), this.steadyTime() + filePeriod)
    for (const file of this.files.get(topic) ?? []) {
      const isSame = file.startAt === added?.startAt && file.number === added.number
      if (isSame && file !== added) this.forget(topic, file)
    }
  }

  /** Deletes the files without a row younger than `keep` ms. Never rejects. */
  deleteExpired(keep: number): Promise<void> {
    this.deletion ??= this.deleteUntil(this.steadyTime() - keep).finally(() => (this.deletion = undefined))
    return this.deletion
  }

  /** Forgets those of the given files that no longer exist. Resolves to true if there are any. */
  async forgetMissing(topic: Topic, files: readonly HistoryFile[]): Promise<boolean> {
    let isMissing = false
    for (const file of files) {
      if (await exists(this.pathOf(topic, file))) continue
      this.forget(topic, file)
      isMissing = true
    }
    return isMissing
  }

  /** `undefined` if the name is not that of a file of a history. */
  private insert(name: string, endsBy: number): HistoryFile | undefined {
    const startAt = rotatedStart(name)
    const [, topic, number = '1'] = filePattern.exec(name) ?? []
    if (topic === undefined || startAt === undefined) return undefined
    const files = this.files.get(topic as Topic) ?? new Set()
    const file = { startAt, number: Number(number), endsBy }
    this.files.set(topic as Topic, files.add(file))
    this.ordered.delete(topic as Topic)
    return file
  }

  private forget(topic: Topic, file: HistoryFile): void {
    const files = this.files.get(topic)
    files?.delete(file)
    this.ordered.delete(topic)
    if (files?.size === 0) this.files.delete(topic)
  }

  private async deleteUntil(time: number): Promise<void> {
    for (const [topic, files] of this.files) {
      for (const file of files) {
        if (file.endsBy > time) continue
        const path = this.pathOf(topic, file)
        const isDeleted = await unlink(path).then(() => true, isMissingError)
        // Windows deletes no file that another program has open. A later call tries it again.
        if (isDeleted) this.forget(topic, file)
      }
    }
  }

  private async lastChange(name: string): Promise<number> {
    const path = join(this.folder, name)
    const now = this.steadyTime()
    try {
      const { mtimeMs } = await stat(path)
      if (mtimeMs <= now) return mtimeMs
      await utimes(path, now / 1000, now / 1000)
    } catch {
      // It was removed, or another user owns it.
    }
    return now
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: unknown) => !isMissingError(error),
  )

const isMissingError = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
