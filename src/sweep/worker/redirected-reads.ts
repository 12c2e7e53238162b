import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { fileURLToPath } from 'node:url'
import { chunkBytes } from '../../platform/node/files.js'
import { nodePlatform } from '../../recording/on-node.js'
import type { SourcePlatform } from '../../recording/read/source.js'
import type { StandIn } from '../messages.js'

/** The functions of `node:fs` before they are redirected. */
const originalFs = { ...fs }

/** Reads the files of a recording for the replay, which does not count as a read of the strategy. */
export const unredirected: SourcePlatform = {
  ...nodePlatform,
  stringSource: (path) => ({
    ...nodePlatform.stringSource(path),
    open: () => originalFs.createReadStream(path, { fs: originalFs, highWaterMark: chunkBytes }),
  }),
}

/**
 * Makes this thread read other files instead of some, whatever module reads them: a strategy that reads the recording itself
 * must not see more rows than it is given. `onRead`: called at the first read of such a file.
 */
export const redirectReads = (standIns: readonly StandIn[], onRead: () => void): void => {
  const standInOf = new Map(standIns.map(({ path, standIn }) => [path, standIn]))
  const { realpathSync } = fs
  let hasRead = false
  const redirected = (path: unknown): unknown => {
    const named = path instanceof URL ? fileURLToPath(path) : Buffer.isBuffer(path) ? path.toString() : path
    if (typeof named !== 'string') return path
    try {
      const standIn = standInOf.get(realpathSync(named))
      if (standIn === undefined) return path
      if (!hasRead) onRead()
      hasRead = true
      return standIn
    } catch {
      return path
    }
  }
  redirect(fs, readers, redirected)
  redirect(fs.promises, promisedReaders, redirected)
  syncBuiltinESMExports()
}

/** The functions of `node:fs` that read a file by a path, which is their first argument. */
const readers = [
  'createReadStream',
  'open',
  'openAsBlob',
  'openSync',
  'readFile',
  'readFileSync',
  'stat',
  'statSync',
] as const

/** Those of `node:fs/promises`. */
const promisedReaders = ['open', 'readFile', 'stat'] as const

type Reader = (...args: readonly unknown[]) => unknown

const redirect = <Name extends string>(
  module: Partial<Record<Name, unknown>>,
  names: readonly Name[],
  redirected: (path: unknown) => unknown,
): void => {
  for (const name of names) {
    const read = module[name] as Reader | undefined
    if (read !== undefined)
      module[name] = ((path, ...rest) => read(redirected(path), ...rest)) satisfies Reader
  }
}
