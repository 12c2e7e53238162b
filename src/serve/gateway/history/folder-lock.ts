import {
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { GatewayError } from '../gateway.js'

/** A folder that only this process writes to. */
export interface FolderLock {
  /** Throws if the folder or its lock no longer exists: the disk may have been removed. */
  readonly check: () => void
  /** Idempotent. */
  readonly release: () => void
}

const lockName = 'history.lock'

/** The folders that this process has locked. */
const locked = new Set<string>()

/**
 * Creates the folder if it does not exist, and locks it by a file that contains the process id. Replaces the lock of a
 * process that was killed. Throws a `GatewayError` if another gateway has the folder, or if the folder cannot be
 * written.
 */
export const lockFolder = (folder: string): FolderLock => {
  try {
    mkdirSync(folder, { recursive: true })
    // By the system: where the case of a path does not matter, it returns one spelling of it.
    return lock(realpathSync.native(folder))
  } catch (thrown) {
    throw thrown instanceof GatewayError ? thrown : folderError(thrown as NodeJS.ErrnoException)
  }
}

/** An error of the option `history.folder`. */
export const historyFolderError = (problem: string, cause = new Error(problem)): GatewayError =>
  new GatewayError('history.folder', problem, cause)

const folderError = (error: NodeJS.ErrnoException): GatewayError => {
  const { code = 'unknown' } = error
  return historyFolderError(
    `${problems[code] ?? 'cannot be written to'} (${code}); choose another folder`,
    error,
  )
}

const problems: Readonly<Partial<Record<string, string>>> = {
  EACCES: 'this user has no permission to write to it',
  EPERM: 'this user has no permission to write to it',
  EROFS: 'is on a disk that is read-only',
  ENOSPC: 'is on a disk that is full',
  EEXIST: 'is no folder',
  ENOTDIR: 'is no folder',
}

const lock = (folder: string): FolderLock => {
  const path = join(folder, lockName)
  const own = ownerText(process.pid)
  const temporary = `${path}.${process.pid}`
  if (locked.has(folder)) throw inUse(process.pid)
  writeFileSync(temporary, own)
  try {
    removeStale(path, `${temporary}.stale`)
    linkSync(temporary, path)
  } catch (thrown) {
    throw (thrown as NodeJS.ErrnoException).code === 'EEXIST' ? inUse(ownerOf(path)) : thrown
  } finally {
    rmSync(temporary, { force: true })
  }
  locked.add(folder)
  return {
    check: () => void statSync(path),
    release: () => {
      if (locked.delete(folder)) rmSync(path, { force: true })
    },
  }
}

const inUse = (pid: number): GatewayError =>
  historyFolderError(`is in use by another gateway, with the process id ${pid}; choose another folder`)

/** Removes the lock of a process that has ended. Throws if its process runs. */
const removeStale = (path: string, moved: string): void => {
  const text = readLock(path)
  if (text === undefined) return
  if (isRunning(text)) throw inUse(Number.parseInt(text))
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
