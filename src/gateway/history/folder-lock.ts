import { join } from 'node:path'
import { createFolders } from '../../backtest/recording/files/files.js'
import { lockFile, LockedError, type FileLock } from '../../backtest/recording/files/file-lock.js'
import { GatewayError } from '../gateway.js'

const lockName = 'history.lock'

/**
 * Creates the folder if it does not exist, and locks it by a file that contains the process id. Replaces the lock of a
 * process that was killed. Throws a `GatewayError` if another gateway has the folder, or if the folder cannot be
 * written.
 */
export const lockFolder = (folder: string): FileLock => {
  try {
    createFolders(folder)
    return lockFile(join(folder, lockName))
  } catch (thrown) {
    throw thrown instanceof LockedError ? inUse(thrown.pid) : folderError(thrown as NodeJS.ErrnoException)
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
  ENOENT: 'cannot be created',
  EEXIST: 'is no folder',
  ENOTDIR: 'is no folder',
}

const inUse = (pid: number): GatewayError =>
  historyFolderError(`is in use by another gateway, with the process id ${pid}; choose another folder`)
