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
    if (thrown instanceof LockedError)
      throw historyFolderError(
        `is in use by another gateway, with the process id ${thrown.pid}; choose another folder`,
      )
    const error = thrown as NodeJS.ErrnoException
    throw historyFolderError(
      `cannot be written to (${error.code ?? error.message}); choose another folder`,
      error,
    )
  }
}

/** An error of the option `history.folder`. */
export const historyFolderError = (problem: string, cause = new Error(problem)): GatewayError =>
  new GatewayError('history.folder', problem, cause)
