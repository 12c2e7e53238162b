import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Keeps other processes from a file, by a file beside it with the id of this process. The lock of a process that was
 * killed is taken over. Throws if another process has the lock. Returns a function that releases it.
 */
export const acquireLock = (path: string): (() => void) => {
  const lock = `${path}.lock`
  const own = identityOf(process.pid)
  if (held.has(path)) throw inUse(path, process.pid)
  try {
    writeFileSync(lock, own, { flag: 'wx' })
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown
    removeStale(path, lock)
    writeFileSync(lock, own, { flag: 'wx' })
  }
  held.add(path)
  return () => {
    held.delete(path)
    rmSync(lock, { force: true })
  }
}

/** The paths that this process has locked. */
const held = new Set<string>()

const inUse = (path: string, pid: number): Error =>
  new Error(`${path}: in use by process ${pid}, or delete ${path}.lock if that is another program`)

/** Removes the lock of a process that has ended. */
const removeStale = (path: string, lock: string): void => {
  const found = readFileSync(lock, 'utf8')
  const pid = Number.parseInt(found, 10)
  // A process of this one's id that has not locked the file is an earlier one, as in a container.
  if (pid !== process.pid && isRunning(pid) && identityOf(pid) === found) throw inUse(path, pid)
  // Of several processes that remove the lock, one takes it aside. It must be the one that was read.
  const aside = `${lock}.${process.pid}`
  renameSync(lock, aside)
  if (readFileSync(aside, 'utf8') !== found) {
    renameSync(aside, lock)
    throw inUse(path, Number.parseInt(readFileSync(lock, 'utf8'), 10))
  }
  rmSync(aside)
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The id of a process, and on Linux its start time: another process may get the id later. */
const identityOf = (pid: number): string => {
  try {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) (?=[^)]*$)/)
    return `${pid} ${fields.split(' ')[19] ?? ''}`
  } catch {
    return `${pid} `
  }
}
