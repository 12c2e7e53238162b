import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runWell } from './run.js'

const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--no-update-notifier']

/** A new folder of a user's, with these packages in it: names, ranges, tarballs. */
export const install = async (parent: string, name: string, packages: readonly string[]): Promise<string> => {
  const folder = join(parent, name)
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: `a-${name}`, private: true }))
  await runWell('npm', ['install', ...quietly, ...packages], { cwd: folder, timeout: 240_000 })
  return folder
}
