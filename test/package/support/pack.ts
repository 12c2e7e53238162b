import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { runOrThrow } from './run.js'

/** Builds and packs the repository, as `npm publish` does. Returns the path of the tarball. */
export const pack = async (repository: string, destination: string): Promise<string> => {
  await runOrThrow('npm', ['pack', '--pack-destination', destination], { cwd: repository })
  const tarball = (await readdir(destination)).find((file) => file.endsWith('.tgz'))
  if (tarball === undefined) throw new Error('npm pack created no tarball')
  return join(destination, tarball)
}
