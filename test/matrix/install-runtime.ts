import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install } from '../package/support/install.js'
import { runOrThrow } from '../package/support/run.js'
import type { Runtime } from './runtimes.js'

/** Outside of git. */
const cache = fileURLToPath(new URL('../../node_modules/.cache/runtimes/', import.meta.url))

/** Installs a runtime once, from the registry. Returns the path of its executable. */
export const installRuntime = async (runtime: Runtime): Promise<string> => {
  const folder = join(cache, `${runtime.name}-${runtime.version}`)
  if (!existsSync(folder)) {
    await mkdir(cache, { recursive: true })
    // Renamed when it is complete, because several processes may install it. Scripts would move the executable.
    const temporary = await mkdtemp(join(cache, 'new-'))
    const installed = await install(temporary, 'runtime', ['--ignore-scripts', runtime.package])
    await rename(installed, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error
    })
    await rm(temporary, { recursive: true, force: true })
  }
  const executable = runtime.executableIn(folder)
  const version = await runOrThrow(executable, ['--version'], { cwd: folder })
  if (!version.includes(runtime.version)) throw new Error(`${executable} is version ${version}`)
  return executable
}
