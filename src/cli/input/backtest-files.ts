import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isLeft } from 'fp-ts/lib/Either.js'
import { printable } from '../../errors/text.js'
import { replay } from '../../recording/index.js'
import { errorLine } from '../output/error-line.js'

// The arguments of commands that run a strategy in worker threads: recordings, and last the module of the strategy.

export interface BacktestFiles {
  readonly recordings: readonly string[]
  /** The URL of the module. */
  readonly strategy: URL
}

/** Why the arguments cannot be used; `undefined` if they can. */
export const backtestProblem = (files: readonly string[]): string | undefined => {
  if (files.length < 2) return 'give a recording, and after it the module of the strategy'
  return files.includes('-')
    ? '-: each worker thread reads the recording; give a file, not standard input'
    : undefined
}

/**
 * Throws if the module does not exist, or the recording has no header: each run would fail for the same reason. `range`: the
 * part that is played, in ms since the Unix epoch.
 */
export const checkedBacktest = async (
  files: readonly string[],
  range: { readonly from?: number; readonly to?: number } = {},
): Promise<BacktestFiles> => {
  const recordings = files.slice(0, -1)
  const module = files.at(-1) ?? ''
  if (!existsSync(module)) throw new Error(`${printable(module)}: the module of the strategy does not exist`)
  await using client = replay(recordings, range)
  const header = await client.header()
  if (isLeft(header)) throw new Error(errorLine(header.left))
  return { recordings, strategy: pathToFileURL(resolve(module)) }
}
