import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A lock that one process has: a file that contains its process id. */
export interface FileLock {
  /** Throws if the file no longer exists: the disk may have been removed. */
  readonly check: () => void
  /** Removes the file. Idempotent. */
  readonly release: () => void
}

export class LockedError extends Error {
  override readonly name = 'LockedError'

  constructor(readonly pid: number) {
    super(`in use by process ${pid}`)
  }
}

/** The locks of this process. */
const locked = new Set<string>()

/**
 * Creates the file of a lock. Replaces that of a process that was killed. Throws a `LockedError` if the owner runs. Others may
 * write to the folder too: no file that exists is written, and a symbolic link is replaced.
 */
export const lockFile = (file: string): FileLock => {
  // By the system: where the case of a path does not matter, it returns one spelling of it.
  const path = join(realpathSync.native(dirname(file)), basename(file))
  const temporary = `${path}.${process.pid}.${randomBytes(8).toString('hex')}`
  if (locked.has(path)) throw new LockedError(process.pid)
  try {
    writeFileSync(temporary, ownerText(process.pid), { flag: 'wx' })
    removeStale(path, `${temporary}.stale`)
    linkSync(temporary, path)
  } catch (thrown) {
    throw (thrown as NodeJS.ErrnoException).code === 'EEXIST' ? new LockedError(ownerOf(path)) : thrown
  } finally {
    rmSync(temporary, { force: true })
  }
  locked.add(path)
  return {
    check: () => void statSync(path),
    release: () => {
      if (locked.delete(path)) rmSync(path, { force: true })
    },
  }
}

/** Removes the lock of a process that has ended. Throws if its process runs. */
const removeStale = (path: string, moved: string): void => {
  const text = readLock(path)
  if (text === undefined) return
  if (isRunning(text)) throw new LockedError(Number.parseInt(text))
  renameSync(path, moved)
  // Another process may have replaced the old lock in the meantime.
  const taken = readLock(moved)
  if (taken !== text && taken !== undefined) linkSync(moved, path)
  rmSync(moved, { force: true })
}

const readLock = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw thrown
  }
}

const ownerOf = (path: string): number => Number.parseInt(readLock(path) ?? '')

/** The process id and the start of a process: after a restart of the machine, another process may have the id. */
const ownerText = (pid: number): string => `${pid} ${startOf(pid) ?? 'unknown'}\n`

const isRunning = (text: string): boolean => {
  const pid = Number.parseInt(text)
  // In a container, the process before this one often had the same id.
  if (!(pid > 0) || pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const start = startOf(pid)
  return start === undefined || text.endsWith(' unknown\n') || text === ownerText(pid)
}

/** The start of a process, as Linux counts it; `undefined` on other systems. */
const startOf = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program may contain spaces and brackets.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
