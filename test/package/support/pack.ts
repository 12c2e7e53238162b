import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { runWell } from './run.js'

/** Packs the repository as publishing would, build included, and gives the tarball's path. */
export const pack = async (repository: string, destination: string): Promise<string> => {
  await runWell('npm', ['pack', '--pack-destination', destination], { cwd: repository })
  const found = (await readdir(destination)).find((file) => file.endsWith('.tgz'))
  if (found === undefined) throw new Error('npm pack has made no tarball')
  return join(destination, found)
}
