import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { unpackDebianPackage } from '../debian-package.js'

/** Where Debian's package puts it. The `PATH` of a user often lacks this folder. */
const packageFolder = 'usr/sbin'

/**
 * Finds the program `nats-server`: in `PATH`, or in Debian's package. Resolves to its path. Rejects with the reason if there
 * is none.
 */
export const findNatsServer = async (): Promise<string> => {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), `/${packageFolder}`]
  const installed = folders.map((folder) => join(folder, 'nats-server')).find((file) => existsSync(file))
  return installed ?? join(await unpackDebianPackage('nats-server'), packageFolder, 'nats-server')
}
