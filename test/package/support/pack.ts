import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { runOrThrow } from './run.js'

/**
 * Builds and packs the repository, as `npm publish` does. Returns the path of the tarball. If the environment names a
 * tarball in TEST_TARBALL, returns that one: `.ci/run` packs once for all its steps.
 */
export const pack = async (repository: string, destination: string): Promise<string> => {
  const existing = process.env['TEST_TARBALL']
  if (existing !== undefined) return existing
  await runOrThrow('npm', ['pack', '--pack-destination', destination], { cwd: repository })
  const tarball = (await readdir(destination)).find((file) => file.endsWith('.tgz'))
  if (tarball === undefined) throw new Error('npm pack created no tarball')
  return join(destination, tarball)
}
