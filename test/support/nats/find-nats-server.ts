import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

const cache = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url))
const unpacked = join(cache, 'nats-server')

/** Where Debian's package puts it. The `PATH` of a user often lacks this folder. */
const packageFolder = 'usr/sbin'

/**
 * Finds the program `nats-server`: in `PATH`, or in Debian's package, which is downloaded once and unpacked, not installed.
 * Resolves to its path. Rejects with the reason if there is none.
 */
export const findNatsServer = async (): Promise<string> => {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), `/${packageFolder}`]
  const installed = folders.map((folder) => join(folder, 'nats-server')).find((file) => existsSync(file))
  if (installed !== undefined) return installed
  if (!existsSync(unpacked)) await unpackInto(unpacked)
  return join(unpacked, packageFolder, 'nats-server')
}

const unpackInto = async (folder: string): Promise<void> => {
  await mkdir(cache, { recursive: true })
  // Several processes may do this at once: each one works in a folder of its own.
  const temporary = await mkdtemp(join(cache, 'nats-server-'))
  try {
    await download(temporary)
    const [archive = ''] = (await readdir(temporary)).filter((file) => file.endsWith('.deb'))
    await run('dpkg-deb', ['--extract', join(temporary, archive), join(temporary, 'files')])
    await rename(join(temporary, 'files'), folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Downloads the package into a folder. A fresh machine has no package lists. */
const download = async (folder: string): Promise<void> => {
  const get = () => run('apt-get', ['download', 'nats-server'], { cwd: folder, timeout: 60_000 })
  await get().catch(async () => {
    await run('apt-get', ['update'], { timeout: 120_000 })
    await get()
  })
}
