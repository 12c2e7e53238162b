import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runOrThrow } from './run.js'

const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--no-update-notifier']

/** Creates a folder and installs packages into it: names, ranges or tarballs. Returns the path of the folder. */
export const install = async (parent: string, name: string, packages: readonly string[]): Promise<string> => {
  const folder = join(parent, name)
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: `a-${name}`, private: true }))
  await runOrThrow('npm', ['install', ...flags, ...packages], { cwd: folder, timeout: 240_000 })
  return folder
}
