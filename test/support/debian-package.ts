import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

const cache = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))

/**
 * Downloads a package of Debian once and unpacks it, without installing it. Resolves to the folder of its files. Rejects with
 * the reason if it cannot be downloaded.
 */
export const unpackDebianPackage = async (name: string): Promise<string> => {
  const unpacked = join(cache, name)
  if (!existsSync(unpacked)) await unpackInto(unpacked, name)
  return unpacked
}

const unpackInto = async (folder: string, name: string): Promise<void> => {
  await mkdir(cache, { recursive: true })
  // Several processes may do this at once: each one works in a folder of its own.
  const temporary = await mkdtemp(`${folder}-`)
  try {
    await download(temporary, name)
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
const download = async (folder: string, name: string): Promise<void> => {
  const get = () => run('apt-get', ['download', name], { cwd: folder, timeout: 60_000 })
  await get().catch(async () => {
    await run('apt-get', ['update'], { timeout: 120_000 })
    await get()
  })
}
