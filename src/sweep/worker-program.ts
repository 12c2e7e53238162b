import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigurationError } from '../errors/configuration-error.js'

/**
 * The program of the worker threads, in the installed package, which finds itself by its name. Throws a
 * `ConfigurationError` in a bundle without the package.
 */
export const packagedProgram = (): URL => {
  try {
    const manifest = createRequire(import.meta.url).resolve('svc-streams/package.json')
    return pathToFileURL(join(manifest, '../dist/sweep/worker/main.js'))
  } catch {
    throw new ConfigurationError(
      'sweep',
      'cannot find the package svc-streams, which contains the program of the worker threads: install it beside this bundle',
    )
  }
}
