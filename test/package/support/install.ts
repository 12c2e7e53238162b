import { cp, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { runOrThrow } from './run.js'

const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--no-update-notifier']

/** Creates a folder and installs packages into it: names, ranges or tarballs. Returns the path of the folder. */
export const install = async (parent: string, name: string, packages: readonly string[]): Promise<string> => {
  const folder = join(parent, name)
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: `a-${name}`, private: true }))
  await addPackages(folder, packages)
  return folder
}

/** Copies a folder, and installs more packages into the copy: npm then unpacks those alone. Returns the path of the copy. */
export const installInCopy = async (
  folder: string,
  name: string,
  packages: readonly string[],
): Promise<string> => {
  const copy = join(dirname(folder), name)
  await cp(folder, copy, { recursive: true, verbatimSymlinks: true })
  await addPackages(copy, packages)
  return copy
}

const addPackages = (folder: string, packages: readonly string[]): Promise<string> =>
  runOrThrow('npm', ['install', ...flags, ...packages], { cwd: folder, timeout: 240_000 })
