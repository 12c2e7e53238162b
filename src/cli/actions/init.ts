import { existsSync, statSync } from 'node:fs'
import { open, readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { createFolders } from '../../backtest/recording/files/files.js'
import type { Io, Variables } from '../io.js'
import { shellWord } from '../output/shell-word.js'
import { writeFailure } from '../output/error-text.js'
import { usageError } from '../run.js'

/** Resolved by the name of the package, because the place of this module differs between the sources and the package. */
const manifest = createRequire(import.meta.url).resolve('svc-streams/package.json')
const template = join(manifest, '../examples/project')

/** A project in `folder`, from `examples/project` of the package. Overwrites nothing, and prints what to do next. */
export const writeProject = async (io: Io, command: Command, folder: string): Promise<void> => {
  if (folder === '') return usageError(command, 'folder: expected a name, or . for this folder; it is empty')
  const files = await projectFiles(folder)
  if (existsSync(folder) && !statSync(folder).isDirectory())
    throw new Error(`nothing was written, because ${folder} is a file; give another folder`)
  const [existing, ...others] = [...files.keys()].filter((file) => existsSync(join(folder, file)))
  if (existing !== undefined) {
    const rest = others.length === 0 ? 'exists' : `and ${others.length} more of its files exist`
    throw new Error(`nothing was written, because ${existing} ${rest} in ${folder}; give another folder`)
  }
  await writeFiles(folder, files)
  const steps = folder === '.' ? [] : [changeFolder(io, folder)]
  io.stdout.write(
    `Wrote ${[...files.keys()].join(', ')}\n\nNext:\n` +
      [...steps, ...nextSteps(io.env)].map((step) => `  ${step}\n`).join(''),
  )
}

/** The command of a shell that changes to a folder with any name. */
export const changeFolder = ({ platform, env }: Pick<Io, 'platform' | 'env'>, folder: string): string => {
  const isWindows = platform === 'win32' && env['SHELL'] === undefined
  // `cd -x` has an option, and `cd -` changes to the earlier folder.
  const path = folder.startsWith('-') ? `.${isWindows ? '\\' : '/'}${folder}` : folder
  if (isWindows) return /^[\p{L}\p{N}_.:\\/-]+$/u.test(path) ? `cd ${path}` : `cd "${path}"`
  return `cd ${shellWord(path)}`
}

/** Writes all files, by path in the folder, or none of them. */
const writeFiles = async (folder: string, files: ReadonlyMap<string, string>): Promise<void> => {
  const folders: string[] = []
  const written: string[] = []
  for (const [file, text] of files) {
    const path = join(folder, file)
    try {
      folders.push(...createFolders(dirname(path)))
      // A file that was created in the meantime is not overwritten either.
      await using handle = await open(path, 'wx')
      written.push(path)
      await handle.writeFile(text)
    } catch (thrown) {
      throw writeFailure(path, thrown, await removeFiles(written, folders))
    }
  }
}

/** Removes the files, and the folders, which are in the order of their creation. Returns the files that remain. */
const removeFiles = async (
  files: readonly string[],
  folders: readonly string[],
): Promise<readonly string[]> => {
  const results = await Promise.allSettled(files.map((file) => rm(file, { force: true })))
  // A folder to which another program has written remains.
  for (const each of folders.toReversed()) await rmdir(each).catch(() => undefined)
  return files.filter((_, index) => results[index]?.status === 'rejected')
}

/** The steps with the package manager that has started the command, and otherwise with npm. */
const nextSteps = ({ npm_config_user_agent: userAgent = '' }: Variables): readonly string[] => {
  const name = /^(?:pnpm|yarn|bun)(?=\/)/.exec(userAgent)?.[0] ?? 'npm'
  // `bun test` is another test runner.
  const script = name === 'bun' ? 'bun run' : name
  return [`${name} install`, `${script} start`, `${script} test`]
}

/** The texts of the files, by path. */
const projectFiles = async (folder: string): Promise<ReadonlyMap<string, string>> => {
  const entries = await readdir(template, { recursive: true, withFileTypes: true })
  const files = new Map([['package.json', await packageJson(folder)]])
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name)
    files.set(projectPath(relative(template, path)), await readFile(path, 'utf8'))
  }
  return files
}

/** npm omits a `.gitignore` from a package. */
const projectPath = (path: string): string => (path === 'gitignore' ? '.gitignore' : path)

interface PackageJson {
  readonly version: string
  readonly devDependencies: Readonly<Record<string, string>>
}

/** The peers have the versions with which the library is tested. */
const packageJson = async (folder: string): Promise<string> => {
  const { version, devDependencies } = JSON.parse(await readFile(manifest, 'utf8')) as PackageJson
  const versions = (...names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, devDependencies[name]]))
  const project = {
    name: projectName(folder),
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: {
      start: 'node --import tsx src/main.ts',
      test: 'node --import tsx --test src/strategy.test.ts',
      types: 'tsc',
    },
    dependencies: { 'svc-streams': await ownSource(version), ...versions('rxjs', 'fp-ts', 'io-ts') },
    devDependencies: versions('@types/node', 'tsx', 'typescript'),
    // tsx works without the install script of esbuild, of which npm would warn.
    allowScripts: { esbuild: false },
  }
  return `${JSON.stringify(project, null, 2)}\n`
}

/**
 * What a project gives npm to install this package again: the tarball or the folder from which it was installed, or else its
 * version in the registry.
 */
const ownSource = async (version: string): Promise<string> => {
  const folder = dirname(manifest)
  const modules = dirname(folder)
  if (basename(modules) !== 'node_modules') return fileUrl(folder)
  const text = await readFile(join(modules, '.package-lock.json'), 'utf8').catch(() => '{}')
  const { packages } = JSON.parse(text) as InstalledPackages
  const resolved = packages?.['node_modules/svc-streams']?.resolved
  return resolved?.startsWith('file:') === true
    ? fileUrl(resolve(modules, '..', resolved.slice('file:'.length)))
    : `^${version}`
}

/** What npm writes about the packages that it has installed. */
interface InstalledPackages {
  readonly packages?: Readonly<Partial<Record<string, { readonly resolved?: string }>>>
}

const fileUrl = (path: string): string => `file:${path.replaceAll('\\', '/')}`

/** A name that npm accepts. */
const projectName = (folder: string): string =>
  basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'prices'
